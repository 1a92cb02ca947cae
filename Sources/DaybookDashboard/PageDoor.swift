import DaybookEvents
package import DaybookServer
package import HTTPTypes

/// Lets browsers in: by the cookie of a session, and for what changes something by a token in the form.
package struct PageDoor: Door {
    let sessions: Sessions
    /// Whether the pages are for the operator of this machine alone: requests must name it as their host, so that no
    /// other site's name can be made to lead here (DNS rebinding).
    let isLocal: Bool
    /// Whether the server itself speaks TLS, and nothing else.
    let isEncrypted: Bool
    let frame: Frame

    package func admit(
        _ request: HTTPRequest, to route: Route, app: String, by gate: Gate
    ) throws -> Caller {
        try confirmHost(request)
        if route.method == .post { try confirmOrigin(request) }
        guard !route.scopes.isEmpty else { return .open }
        // What a page does by itself is no use of the session: it listens, and follows.
        let isUse = !route.path.hasSuffix("/news") && request.headerFields[.follows] == nil
        guard let session = session(request, now: gate.clock(), isUse: isUse) else {
            throw SessionProblem.signInNeeded
        }
        if session.isLocal {
            let granted = route.scopes.intersection([.support, .analyst, .admin])
            return Caller(
                key: nil, granted: granted,
                session: Caller.Session(formToken: session.formToken, apps: nil))
        }
        // A page about no app in particular: by any key of the session that still opens something.
        let names = app.isEmpty ? session.keys.keys.sorted(by: precedesInBytes) : [app]
        var failure: Problem?
        for name in names {
            guard let id = session.keys[name] else { continue }
            do {
                let key = try gate.key(id)
                var caller = try gate.caller(key, to: route.scopes, app: name)
                caller.session = Caller.Session(
                    formToken: session.formToken, apps: Array(session.keys.keys))
                return caller
            } catch let problem as Problem {
                failure = problem
            }
        }
        guard let failure else {
            throw Problem(
                .forbidden, "other_app",
                "you are signed in, but with no key for \(ShownText.escaped(app)); sign in with one"
            )
        }
        throw failure.status == .unauthorized ? SessionProblem.signInNeeded : failure
    }

    package func answer(
        to problem: Problem, _ request: HTTPRequest, _ parts: [String: String], id: String,
        by gate: Gate
    ) -> Answer {
        let isPage = request.method == .get || request.method == .head
        if problem.code == SessionProblem.signInNeeded.code, isPage,
            request.headerFields[.fetchDestination] ?? "document" == "document"
        {
            let path = request.path ?? "/"
            return .seeOther(
                path == "/" ? Paths.signIn : Link(Paths.signIn, [("next", path)]).text)
        }
        return frame.answer(
            to: problem, session(request, now: gate.clock(), isUse: false), app: parts["app"],
            id: id)
    }

    /// What every answer to a browser says beside, so that no page runs what is not ours, is shown within another, or
    /// tells another site where it was.
    package var headers: HTTPFields { PageHeaders.all }

    /// The session of a request; `nil`: none that lasts.
    /// - Parameter isUse: Whether the session is used by that, and lasts longer.
    func session(
        _ request: HTTPRequest, now: Int64, isUse: Bool = true
    ) -> Sessions.Session? {
        cookie(request.authority, request.headerFields).text(in: request.headerFields)
            .flatMap { sessions.session($0, now: now, isUse: isUse) }
    }

    func cookie(_ authority: String?, _ fields: HTTPFields) -> SessionCookie {
        // Or what stands before us does.
        SessionCookie(
            authority: authority, isSecure: isEncrypted || fields[.forwardedProtocol] == "https")
    }

    private func confirmHost(_ request: HTTPRequest) throws {
        guard isLocal else { return }
        var host = Substring(request.authority ?? "")
        if let end = host.lastIndex(of: ":"), !host.hasSuffix("]") { host = host[..<end] }
        try Problem.require(
            ["127.0.0.1", "localhost", "[::1]"].contains(host), as: .misdirectedRequest,
            "wrong_host",
            "this dashboard answers at 127.0.0.1 and localhost alone")
    }

    /// Whether what is sent comes from one of our own pages: browsers say so (Fetch Metadata, W3C), older ones name the
    /// origin of the page.
    private func confirmOrigin(_ request: HTTPRequest) throws {
        let isOwn: Bool
        if let site = request.headerFields[.fetchSite] {
            isOwn = site == "same-origin" || site == "none"
        } else if let origin = request.headerFields[.origin] {
            let parts = origin.split(separator: "/", omittingEmptySubsequences: true)
            isOwn = parts.count == 2 && parts[1] == (request.authority ?? "")
        } else {
            isOwn = true
        }
        try Problem.require(
            isOwn, as: .forbidden, "other_origin", "what another site sends for you is not done")
    }
}

extension HTTPField.Name {
    static let fetchSite = named("Sec-Fetch-Site")
    static let fetchDestination = named("Sec-Fetch-Dest")
    static let follows = named("X-Daybook-Follows")
    static let forwardedProtocol = named("X-Forwarded-Proto")
}
