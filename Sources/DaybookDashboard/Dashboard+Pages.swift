import Daybook
import DaybookAudit
import DaybookServer
import HTTPTypes

/// What pages about one customer ask the ledger.
extension Dashboard {
    func customers(_ call: inout RouteCall) async throws -> Answer {
        let text = try call.fields.text("q") ?? ""
        let after = try call.fields.text("after")
        let page = try pageCall(&call, .environment)
        try call.fields.finish()
        // A look by an id is a look at a customer.
        call.asked = text.isEmpty ? nil : text
        let ledger = try call.app.ledger
        let frame = door.frame
        let asked = CustomersPage(call: page, text: text, after: after)
        return try await call.longWork.run(of: ledger.app, in: .customers) {
            try ledger.asking { ledger in
                if let only = try asked.only(ledger) {
                    return .seeOther(page.link(page.address(of: only)))
                }
                return frame.answer(try asked.page(ledger), page)
            }
        }
    }

    func event(_ call: inout RouteCall) async throws -> Answer {
        let position = call.part("position")
        if let number = Int64(position) {
            call.asked = try call.app.ledger.asking { try $0.event(at: number)?.draft.subject }
        }
        return try await answer(&call, choosing: .environment) { page in
            { try EventPage(call: page, position: position).page($0) }
        }
    }

    static let customerNames = ["name", "profile", "scale"]

    func customer(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let done = try call.fields.text("done")
        let page = try pageCall(&call, .all, Self.customerNames + WhatIfPanel.names)
        try call.fields.finish()
        var asked = CustomerPage(
            call: page, subject: subject, name: page.kept("name"),
            profile: page.kept("profile"),
            scale: page.kept("scale").flatMap(PlaneScale.Kind.init), done: done)
        if let panel = WhatIfPanel(page, subject, drafts) {
            asked.panel = (panel, try await outcome(of: panel))
        }
        return try await answer(page) { [asked] in try asked.page($0) }
    }

    func timeline(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let after = try call.fields.place("after")
        let drafts = drafts
        return try await answer(&call, kept: Self.customerNames + WhatIfPanel.names) { page in
            {
                let panel = WhatIfPanel(page, subject, drafts)
                var shown = Frame.Page(
                    title: "\(subject): timeline", template: "timeline", section: .customers)
                shown.model["subject"] = subject
                shown.model["back"] = page.link(page.address(of: subject), keeping: [])
                shown.model["timeline"] = try TimelinePart(
                    call: page, subject: subject, panel: panel
                ).model($0, after: after)
                return shown
            }
        }
    }

    func explain(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let name = call.part("name")
        return try await answer(&call, kept: ["profile"]) { page in
            let asked = ExplainPage(
                call: page, subject: subject, name: name, profile: page.kept("profile"))
            return { try asked.page($0) }
        }
    }

    static func asset(_ call: inout RouteCall) throws -> Answer {
        let name = call.part("name")
        guard let mediaType = PageFiles.mediaType(of: name), let bytes = PageFiles.all[name] else {
            throw Problem.notFound("unknown_asset", "there is no such file")
        }
        var answer = Answer.bytes(bytes, mediaType: mediaType)
        answer.headers[.cacheControl] = "public, max-age=31536000, immutable"
        return answer
    }

    func compare(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let other = try Clocks(&call.fields, at: "to", knownAt: "to_known_at")
        return try await answer(&call) { page in
            { try ComparePage(call: page, subject: subject, other: other).page($0) }
        }
    }

    /// A bundle with what the customer may do at the page's moment, to be replayed elsewhere (`daybook replay`).
    func bundle(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let name = try call.fields.text("name")
        let profile = try call.fields.text("profile")
        let isRedacted = try call.fields.flag("redact") ?? false
        let clocks = try Clocks(&call.fields)
        try call.fields.finish()
        let request = CaptureRequest(
            [subject], environment: clocks.environment, moment: clocks.moment,
            questions: name.map { [.init($0, amount: 1, profile: profile)] } ?? [],
            isRedacted: isRedacted, version: DaybookVersion.current)
        let bundle: ReproBundle
        do {
            let ledger = try call.app.ledger
            bundle = try await captures.run {
                try await ledger.writing { try await $0.capture(request) }
            }
        } catch let problem as BundleProblem {
            throw Problem.unprocessable("no_bundle", "\(problem)")
        }
        return .file(
            "customer-\(bundle.digest.prefix(8)).daybundle", mediaType: "application/x-ndjson",
            bundle.bytes)
    }
}
