import DaybookServer

/// How the ledger is, and what an operator does about it.
extension Dashboard {
    var ledgerRoutes: [Route] {
        var routes = [
            app("/ledger", "ledgerPage", "How the ledger is.", Self.people, ledger),
            app(
                "/ledger/{check}", "ledgerCheckPage",
                "Check the whole file (verify), or look for what needs care (doctor).", [.admin],
                check),
        ]
        if ticket == nil {
            routes.append(
                Route(
                    .post, "/apps/{app}/ledger/dead-letters/{position}", "actOnDeadLetter",
                    "Try a dead letter again, or dismiss it with a reason.", for: [.admin],
                    door: door, input: .form, actOnDeadLetter))
        }
        return routes
    }

    private func ledger(_ call: inout RouteCall) async throws -> Answer {
        let keys = try call.gate.keys(app: call.app.name)
        let done = try call.fields.text("done")
        return try await answer(&call, choosing: .environment) { page in
            let shown = page.may(.admin) ? keys : nil
            return { try LedgerPage(call: page, keys: shown, done: done).page($0) }
        }
    }

    private func check(_ call: inout RouteCall) async throws -> Answer {
        let name = call.part("check")
        guard let check = LedgerCheckPage.Check(rawValue: name) else {
            throw Problem.notFound("unknown_check", "there is no such check of a ledger")
        }
        let page = try pageCall(&call, .nothing)
        try call.fields.finish()
        let state = try await board(page, "check \(name)") { ledger, _ in
            try LedgerCheckPage.rows(check, ledger)
        }
        return door.frame.answer(LedgerCheckPage(call: page, check: check).page(state), page)
    }

    private func actOnDeadLetter(_ call: inout RouteCall) async throws -> Answer {
        try call.confirmForm()
        guard let step = try call.fields.text("step"), ["retry", "dismiss"].contains(step) else {
            throw Problem.unprocessable("unknown_choice", "\"step\" is retry or dismiss")
        }
        let isDismissed = step == "dismiss"
        let reason = try call.fields.text("reason") ?? ""
        let position = Int64(call.part("position"))
        let page = try pageCall(&call, .environment)
        try call.fields.finish()
        let ledger = try call.app.ledger
        let found = try ledger.asking { ledger in
            try ledger.deadLetters().first { $0.position == position }
        }
        guard let deadLetter = found else {
            throw Problem.notFound("unknown_dead_letter", "no dead letter stands at that position")
        }
        let done: String
        if isDismissed {
            let actor = call.caller.key?.label
            try await ledger.writing {
                try await $0.dismiss(deadLetter, reason: reason, actor: actor)
            }
            done = "dismissed"
        } else {
            // What is not signed needs no roots.
            let verifier =
                deadLetter.kind.isSigned ? try call.verifier(deadLetter.environment) : nil
            let receipt = try await ledger.writing {
                try await $0.retry(deadLetter, by: verifier)
            }
            done = receipt.refused.isEmpty ? "taken-in" : "refused"
        }
        return .seeOther(page.link(page.address("/ledger"), [("done", done)]))
    }
}
