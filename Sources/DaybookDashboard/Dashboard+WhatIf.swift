import Daybook
import DaybookServer

/// Questions about what is not so; none of them changes anything.
extension Dashboard {
    var whatIfRoutes: [Route] {
        let path = "/catalog/what-if"
        return [
            app(
                "/catalog/{version}/changes", "catalogChangesPage",
                "What one published catalog says otherwise than another.", Self.people,
                catalogChanges),
            app(
                path, "whatIfPage", "Who would be affected by another catalog.", Self.people,
                whatIf),
            Route(
                .post, "/apps/{app}" + path, "whatIfCatalog",
                "Hand over a catalog to be tried out.", for: Self.people, door: door, input: .form,
                tryOut),
            Route(
                .post, "/apps/{app}/customers/{customer}/what-if", "whatIfCustomer",
                "Hand over events to be put in beside a customer's own.", for: Self.supporters,
                door: door, input: .form, putIn),
        ]
    }

    private func catalogChanges(_ call: inout RouteCall) async throws -> Answer {
        let from = try call.fields.integer("from")
        return try await answer(&call, choosing: .environment, kept: ["from"]) { page in
            let asked = CatalogChangesPage(
                call: page, version: page.call.part("version"), from: from)
            return { try asked.page($0) }
        }
    }

    private func whatIf(_ call: inout RouteCall) async throws -> Answer {
        call.fields.leaveOutEmpty()
        let kept = call.fields.given(["version", "draft"])
        let version = try call.fields.integer("version")
        let draft = try call.fields.text("draft")
        var page = try pageCall(&call)
        page.kept = kept
        try call.fields.finish()
        var question: WhatIfPage.Question?
        if let version { question = .version(version) }
        if let draft {
            guard let document = drafts.document(draft, app: page.app ?? "") else {
                throw Problem.notFound(
                    "unknown_draft",
                    "the catalog that was tried out is not kept any more; hand it over again")
            }
            question = .draft(document)
        }
        return try await answer(question, page)
    }

    private func answer(_ question: WhatIfPage.Question?, _ page: PageCall) async throws -> Answer {
        let text = try text(of: question, page)
        guard let question else {
            return door.frame.answer(WhatIfPage(call: page).page(nil, nil, text: text), page)
        }
        let clocks = page.clocks
        let shown: Frame.Page
        do {
            let state = try await board(page, "what if") {
                try WhatIfPage.answer($0, question, clocks, progress: $1)
            }
            shown = WhatIfPage(call: page).page(question, state, text: text)
        } catch let error as LedgerError {
            // The form stays, so that what is wrong can be put right in it.
            shown = WhatIfPage(call: page).page(
                question, nil, text: text, problem: Problem(error))
        }
        return door.frame.answer(shown, page)
    }

    /// What the form begins with: what was tried out, else the newest catalog.
    private func text(of question: WhatIfPage.Question?, _ page: PageCall) throws -> String? {
        if case .draft(let document)? = question {
            return String(decoding: document, as: UTF8.self)
        }
        return try page.call.app.ledger.asking { ledger in
            var version = try ledger.catalogs().newest?.version
            if case .version(let asked)? = question { version = asked }
            return try version.map {
                String(decoding: try ledger.catalogDocument(version: $0).document, as: UTF8.self)
            } ?? ""
        }
    }

    private func tryOut(_ call: inout RouteCall) async throws -> Answer {
        try call.confirmForm()
        call.fields.leaveOutEmpty()
        let text = try call.fields.text("catalog") ?? ""
        let page = try pageCall(&call)
        try call.fields.finish()
        return .seeOther(page.link(page.path, [("draft", keep(text, of: page))]))
    }

    /// What a customer's page asks beside what is so.
    func outcome(of panel: WhatIfPanel) async throws -> WhatIfPanel.Outcome {
        if let early = panel.early { return early }
        do {
            let state = try await board(panel.call, "what if \(panel.subject)") {
                try panel.report($0, progress: $1)
            }
            return switch state {
            case .running: .running
            case .done(let report): .done(report)
            }
        } catch let error where error is LedgerError || error is Problem {
            return .refused(Problem(error))
        }
    }

    private func putIn(_ call: inout RouteCall) async throws -> Answer {
        try call.confirmForm()
        let subject = try call.customer()
        call.fields.leaveOutEmpty()
        let text = try call.fields.text("events") ?? ""
        var page = try pageCall(&call, .all, Self.customerNames + WhatIfPanel.names)
        try call.fields.finish()
        page.kept.removeAll { ["with", "like", "what_if"].contains($0.0) }
        if !text.allSatisfy(\.isWhitespace) {
            page.kept.append(("with", keep(text, of: page)))
        }
        if !page.kept.contains(where: { WhatIfPanel.names.contains($0.0) }) {
            page.kept.append(("what_if", "open"))
        }
        return .seeOther(
            page.link(page.address(of: subject), keeping: []) + WhatIfPanel.anchor)
    }

    /// Keeps what was typed into a form; browsers send the ends of its lines as CR LF (WHATWG, HTML).
    private func keep(_ text: String, of page: PageCall) -> String {
        drafts.keep(Array(text.replacing("\r\n", with: "\n").utf8), app: page.app ?? "")
    }
}
