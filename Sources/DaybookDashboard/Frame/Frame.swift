import Daybook
import DaybookDomain
import DaybookEvents
import DaybookServer
import HTTPTypes

/// What a template is filled with.
typealias Model = [String: Any]

/// The head of every page, and the band that tells that it shows another moment than now.
package struct Frame: Sendable {
    let isLocal: Bool
    /// A part of an app's pages.
    enum Section: String, CaseIterable {
        case overview = "Overview"
        case customers = "Customers"
        case metrics = "Metrics"
        case catalog = "Catalog"
        case ledger = "Ledger"

        func path(_ app: String) -> String {
            self == .overview ? Paths.app(app) : "\(Paths.app(app))/\(rawValue.lowercased())"
        }

        /// Who may see it.
        var scopes: Set<Scope> {
            self == .customers ? [.support, .admin] : [.support, .analyst, .admin]
        }
    }

    /// One page's own content.
    struct Page {
        var title: String
        /// The template of its content.
        var template: String
        var section: Section?
        var model: Model = [:]
        var status = HTTPResponse.Status.ok
    }

    func answer(_ page: Page, _ call: PageCall) -> Answer {
        var model = page.model
        model["frame"] = head(page, call)
        model["clocks"] = clocks(call)
        model["form_token"] = call.caller.session?.formToken ?? ""
        return Self.rendered(page, model)
    }

    /// A page about a mistake or a failure: what is missing, why, and what to do.
    func answer(
        to problem: Problem, _ session: Sessions.Session?, app: String?, id: String
    ) -> Answer {
        var page = Page(title: problem.status.reasonPhrase, template: "problem")
        page.status = problem.status
        var model: Model = [
            "code": problem.code, "detail": problem.detail, "request": id,
            "problems": problem.problems.map { ["reason": $0.reason] },
            "sign_in": problem.code == SessionProblem.signInNeeded.code,
        ]
        if let app, session != nil { model["back"] = Paths.app(app) }
        model["frame"] = [
            "title": page.title, "version": PageFiles.version, "signed_in": session != nil,
        ]
        model["form_token"] = session?.formToken ?? ""
        var answer = Self.rendered(page, model)
        for field in problem.headers { answer.headers.append(field) }
        return answer
    }

    private func head(_ page: Page, _ call: PageCall) -> Model {
        var head: Model = [
            "title": page.title, "version": PageFiles.version,
            "signed_in": call.caller.session != nil, "local": isLocal,
        ]
        guard let app = call.app else { return head }
        head["app"] = app
        head["app_path"] = Paths.app(app)
        head["search_path"] = "\(Paths.app(app))/customers"
        head["searches"] = call.may(.support)
        head["sections"] = Section.allCases.filter { section in
            section.scopes.contains { call.may($0) }
        }.map { section -> Model in
            [
                "title": section.rawValue,
                "href": Link(section.path(app), call.clocks.parameters).text,
                "current": section == page.section,
            ]
        }
        let others = call.apps
        if others.count > 1 {
            head["apps"] = others.map { name -> Model in
                ["name": name, "href": Paths.app(name), "current": haveSameBytes(name, app)]
            }
        }
        return head
    }

    /// The control of both clocks, and the band where they do not show now.
    private func clocks(_ call: PageCall) -> Model? {
        guard call.app != nil, call.choice != .nothing else { return nil }
        let clocks = call.clocks
        var model: Model = [
            "path": call.path, "at": clocks.at ?? "", "known_at": clocks.knownAt ?? "",
            "environment": clocks.environment.name,
            "environments": Environment.allCases.map { environment -> Model in
                ["name": environment.name, "current": environment == clocks.environment]
            },
            "kept": call.kept.map { ["name": $0.0, "value": $0.1] },
        ]
        if clocks.environment != .production { model["other_environment"] = true }
        model["moment"] = call.choice == .all
        guard !clocks.isNow, call.choice == .all else { return model }
        var now = clocks
        now.at = nil
        now.knownAt = nil
        let kept = call.kept.map { ($0.0, Optional($0.1)) }
        model["past"] = [
            "sentence": Self.sentence(clocks.moment, isAsOfKnown: call.isAsOfKnown),
            "now": Link(call.path, kept + now.parameters).text,
        ]
        return model
    }

    /// What the page shows, where it is not now.
    /// - Parameter isAsOfKnown: Whether it is about the time of what was known, where it names no other.
    static func sentence(_ moment: Moment, isAsOfKnown: Bool = false) -> String {
        switch (moment.at, moment.knownAt) {
        case (nil, nil): "now"
        case (nil, .instant(let known)?) where isAsOfKnown:
            "\(PageTime.text(known)), as it was known at that moment"
        case (nil, .position(let position)?) where isAsOfKnown:
            "the time of position @\(position), as it was known then"
        case (let at?, nil): "\(PageTime.text(at)), with everything that is known today"
        case (nil, .position(let position)?): "now, as it was known at position @\(position)"
        case (nil, .instant(let known)?): "now, as it was known on \(PageTime.text(known))"
        case (let at?, .position(let position)?):
            "\(PageTime.text(at)), as it was known at position @\(position)"
        case (let at?, .instant(let known)?) where at == known:
            "\(PageTime.text(at)), as it was known at that moment"
        case (let at?, .instant(let known)?):
            "\(PageTime.text(at)), as it was known on \(PageTime.text(known))"
        }
    }

    private static func rendered(_ page: Page, _ model: Model) -> Answer {
        var model = model.forTemplate
        model["body"] = page.template
        guard let text = PageFiles.templates.render(model, withTemplate: "page") else {
            preconditionFailure("the templates have no page")
        }
        var answer = Answer.text(text, mediaType: "text/html; charset=utf-8")
        answer.status = page.status
        answer.headers[.cacheControl] = "no-store"
        return answer
    }
}
