import Daybook
package import HTTPTypes

/// What can be asked of the server, and how: the router, the table in the docs, the description at `/openapi.json` and
/// the tests' list are made of these declarations.
package struct Route: Sendable {
    /// What a request may bring beside its path and query.
    package enum Input: Sendable {
        case nothing
        /// One JSON object, or nothing.
        case object
        /// The fields of an HTML form, `application/x-www-form-urlencoded`.
        case form
        /// Bytes as they are, at most so many.
        case bytes(max: Int)
    }

    package typealias Respond = @Sendable (inout RouteCall) async throws -> Answer

    package let method: HTTPRequest.Method
    /// Such as `/v1/{app}/customers/{customer}/status`.
    package let path: String
    /// The operation's id; unique.
    package let name: String
    package let summary: String
    /// A key needs one of them; empty: the route is open.
    package let scopes: Set<Scope>
    let input: Input
    /// Lets those in who ask, and tells them what went wrong.
    let door: any Door
    /// Whether it is about one app's ledger.
    let isOfApp: Bool
    let respond: Respond

    /// A question that takes long: what it asks is read first, and asked beside the threads that answer requests.
    typealias Prepare = @Sendable (inout RouteCall) throws -> LongQuestion
    typealias LongQuestion = @Sendable (Ledger) throws -> Answer

    /// A route that goes through all customers, or through all that one did.
    static func atLength(
        _ path: String, _ name: String, _ summary: String, for scopes: Set<Scope>,
        method: HTTPRequest.Method = .get, in lane: LongWork.Lane = .all,
        _ prepare: @escaping Prepare
    ) -> Route {
        Route(
            method, path, name, summary, for: scopes, input: method == .post ? .object : .nothing
        ) { call in
            let question = try prepare(&call)
            return try await call.asking(atLength: question, in: lane)
        }
    }

    /// The most bytes of a JSON object.
    static let objectByteCountMax = 1 << 20

    package init(
        _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String,
        for scopes: Set<Scope>, door: any Door = KeyDoor(), input: Input = .nothing,
        _ respond: @escaping Respond
    ) {
        self.method = method
        self.path = path
        isOfApp = path.contains("{app}")
        self.name = name
        self.summary = summary
        self.scopes = scopes
        self.input = input
        self.door = door
        self.respond = respond
    }

    /// The most bytes of a body.
    var bodyByteCountMax: Int {
        switch input {
        case .nothing: 0
        case .object, .form: Self.objectByteCountMax
        case .bytes(let max): max
        }
    }
}
