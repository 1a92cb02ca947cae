import Daybook
import DaybookServer

/// What people do through pages; only where they sign in with a key.
extension Dashboard {
    var actionRoutes: [Route] {
        let path = "/apps/{app}/customers/{customer}/actions/{action}"
        return [
            Route(
                .get, path, "actionPage", "A form to do something for a customer.",
                for: Self.supporters, door: door, form),
            Route(
                .post, path, "act", "Try or do what the form says.", for: Self.supporters,
                door: door, input: .form, act),
        ]
    }

    /// The action of the path and what the form has, read before anything is done.
    private func asked(_ call: inout RouteCall) throws -> ActionPage {
        let subject = try call.customer()
        guard let action = ActionPage.Action(rawValue: call.part("action")) else {
            throw Problem.notFound("unknown_action", "there is no such form")
        }
        var values: [String: String] = [:]
        for name in ActionPage.own[action, default: []] + ActionPage.common {
            if let text = try call.fields.text(name) { values[name] = text }
        }
        let page = try pageCall(&call, .nothing)
        return ActionPage(call: page, subject: subject, action: action, values: values)
    }

    private func form(_ call: inout RouteCall) async throws -> Answer {
        let asked = try asked(&call)
        try call.fields.finish()
        return try await shown(asked, .none)
    }

    private func act(_ call: inout RouteCall) async throws -> Answer {
        try call.confirmForm()
        let isForReal = try call.fields.text("step") == "do"
        let asked = try asked(&call)
        try call.fields.finish()
        let ledger = try call.app.ledger
        do {
            let request = try asked.request()
            guard isForReal else {
                let receipt = try await ledger.writing {
                    try await $0.dryRun(request)
                }
                return try await shown(asked, .would(receipt))
            }
            let receipt = try await ledger.writing { try await $0.perform(request) }
            let done = receipt.positions.first.map(String.init) ?? "nothing"
            return .seeOther(
                asked.call.link(asked.call.address(of: asked.subject), [("done", done)]))
        } catch let error where error is Problem || error is LedgerError || error is TextProblem {
            return try await shown(asked, .refused(Problem(error)))
        }
    }

    private func shown(_ asked: ActionPage, _ outcome: ActionPage.Outcome) async throws -> Answer {
        try await answer(asked.call) { try asked.page($0, outcome) }
    }
}
