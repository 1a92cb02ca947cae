import DaybookServer
import HTTPTypes
import Synchronization

/// How sessions begin and end.
extension Dashboard {
    var sessionRoutes: [Route] {
        var routes = [
            open("/", "rootPage", "The first app that the session opens.", root),
            open("/sign-in", "signInPage", "Sign in with a key.", signInPage),
            Route(
                .post, "/sign-out", "signOut", "End the session.", for: Self.people,
                door: door, input: .form, signOut),
        ]
        if ticket == nil {
            routes.append(
                Route(
                    .post, "/sign-in", "signIn", "Begin a session.", for: [], door: door,
                    input: .form, signIn))
        } else {
            routes.append(
                open("/open", "openPages", "Begin the operator's session.", openOnce))
        }
        return routes
    }

    private func root(_ call: inout RouteCall) -> Answer {
        var answer = Answer(status: .seeOther)
        answer.headers[.cacheControl] = "no-store"
        let session = door.session(call.request, now: call.now())
        let served = call.ledgers.names
        let own = session.map { session in
            session.isLocal ? served : served.filter { session.keys[$0] != nil }
        }
        answer.headers[.location] = own?.first.map { Paths.app($0) } ?? Paths.signIn
        return answer
    }

    private func signInPage(_ call: inout RouteCall) throws -> Answer {
        let next = try call.fields.text("next")
        try call.fields.finish()
        return signInPage(call, next: next, problem: nil)
    }

    private func signInPage(_ call: RouteCall, next: String?, problem: Problem?) -> Answer {
        var page = Frame.Page(title: "Sign in", template: "sign-in")
        page.model["local"] = ticket != nil
        page.model["next"] = next ?? ""
        page.model["problem"] = problem?.detail
        page.status = problem?.status ?? .ok
        return door.frame.answer(page, PageCall(call, clocks: .now))
    }

    private func signIn(_ call: inout RouteCall) throws -> Answer {
        let text = try call.fields.text("key") ?? ""
        let next = try call.fields.text("next")
        try call.fields.finish()
        let key: APIKey
        do {
            key = try call.gate.key(shown: text.filter { !$0.isWhitespace })
            try Problem.require(
                !key.scopes.isDisjoint(with: Self.people), as: .forbidden, "scope_needed",
                "this is no key for a person: one of support, analyst or admin opens pages")
        } catch let problem as Problem {
            return signInPage(call, next: next, problem: problem)
        }
        // A session that is there is added to, under a new name: a cookie that was planted before is worth nothing.
        let cookie = door.cookie(call.request.authority, call.headers)
        var keys: [String: String] = [:]
        if let old = cookie.text(in: call.headers) {
            keys = sessions.session(old, now: call.now())?.keys ?? [:]
            sessions.end(old)
        }
        keys[key.app] = key.id
        return begin(call, keys, isLocal: false, next: Self.ownPath(next) ?? Paths.app(key.app))
    }

    private func openOnce(_ call: inout RouteCall) throws -> Answer {
        let shown = try call.fields.text("ticket") ?? ""
        try call.fields.finish()
        if door.session(call.request, now: call.now()) != nil {
            return .seeOther("/")
        }
        guard let ticket, ticket.take(shown) else {
            throw Problem(
                .forbidden, "used_address",
                "this address opens the pages once, and was used or is wrong; start \"daybook dashboard\" again for another"
            )
        }
        return begin(call, [:], isLocal: true, next: "/")
    }

    private func begin(
        _ call: RouteCall, _ keys: [String: String], isLocal: Bool, next: String
    ) -> Answer {
        let token = sessions.begin(keys: keys, isLocal: isLocal, now: call.now())
        var answer = Answer.seeOther(next)
        answer.headers[.cacheControl] = "no-store"
        answer.headers[.setCookie] =
            door.cookie(call.request.authority, call.headers).setting(token)
        return answer
    }

    private func signOut(_ call: inout RouteCall) throws -> Answer {
        try call.confirmForm()
        try call.fields.finish()
        let cookie = door.cookie(call.request.authority, call.headers)
        if let token = cookie.text(in: call.headers) { sessions.end(token) }
        var answer = Answer.seeOther(Paths.signIn)
        answer.headers[.setCookie] = cookie.removing
        return answer
    }

    /// A path of ours to go on to; never another site's, whatever an address said.
    static func ownPath(_ text: String?) -> String? {
        guard let text, text.hasPrefix("/apps/"), !text.contains("\\"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return text
    }
}

extension RouteCall {
    /// - Throws: `Problem` for a form that is none of this session's pages.
    mutating func confirmForm() throws {
        let shown = try fields.text("form_token") ?? ""
        guard let own = caller.session?.formToken, RandomText.areEqual(shown, own) else {
            throw Problem(
                .forbidden, "stale_form",
                "the form is not of this session; go back, load the page again, and send it once more"
            )
        }
    }
}

/// A secret that opens once.
final class OneTimeTicket: Sendable {
    let text = RandomText.make()
    private let isUsed = Mutex(false)

    /// Whether it is the ticket, for the first time.
    func take(_ shown: String) -> Bool {
        guard RandomText.areEqual(shown, text) else { return false }
        return isUsed.withLock { used in
            defer { used = true }
            return !used
        }
    }
}
