package import HTTPTypes

/// How those who ask are let in, and in which form they are told what went wrong.
package protocol Door: Sendable {
    /// - Parameters:
    ///   - app: The app of the path; empty where it names none.
    ///   - gate: Knows the keys.
    /// - Throws: `Problem` for a caller who may not use the route.
    func admit(
        _ request: HTTPRequest, to route: Route, app: String, by gate: Gate
    ) async throws -> Caller

    /// - Parameters:
    ///   - parts: The named parts of the path, decoded.
    ///   - id: Under which the server logged the request.
    func answer(
        to problem: Problem, _ request: HTTPRequest, _ parts: [String: String], id: String,
        by gate: Gate
    ) -> Answer

    /// What every answer says beside.
    var headers: HTTPFields { get }
}

/// The way of programs: a key in the request's head, problems as JSON.
package struct KeyDoor: Door {
    package init() {}

    package func admit(
        _ request: HTTPRequest, to route: Route, app: String, by gate: Gate
    ) async throws -> Caller {
        try await gate.admit(request.headerFields, to: route.scopes, app: app)
    }

    package func answer(
        to problem: Problem, _ request: HTTPRequest, _ parts: [String: String], id: String,
        by gate: Gate
    ) -> Answer {
        var answer = Answer.json(problem.json(of: id), status: problem.status)
        answer.headers[.contentType] = Problem.mediaType
        for field in problem.headers { answer.headers.append(field) }
        return answer
    }

    package var headers: HTTPFields { [:] }
}
