import Daybook
import DaybookDomain
import DaybookEvents
package import HTTPTypes
import Logging

/// One request to a route, after it was admitted.
package struct RouteCall: Sendable {
    package let ledgers: ServedLedgers
    /// The app that the path names; `nil` where it names none.
    package let served: ServedApp?
    package let caller: Caller
    /// The parts of the path that are named, decoded.
    let parts: [String: String]
    package let request: HTTPRequest
    package var fields: RequestFields
    /// What was sent, where the route takes bytes.
    let bytes: [UInt8]
    let streams: StreamCount
    package let longWork: LongWork
    let metrics: PrometheusRegistry
    package let gate: Gate
    let rate: RateLimit
    let log: Logger

    let route: Route

    /// The customer who was asked about where the path names none, for the log.
    package var asked: String?

    package var headers: HTTPFields { request.headerFields }

    /// Looks again whether the caller may: a key may have been revoked, and a token be over, while a stream went on.
    var admission: @Sendable () async throws -> Void {
        let (gate, request, route, app) = (gate, request, route, served?.name ?? "")
        return { _ = try await route.door.admit(request, to: route, app: app, by: gate) }
    }

    /// The server's clock, milliseconds since 1970 UTC.
    package func now() -> Int64 { gate.clock() }

    /// The app of the path.
    /// - Throws: `Problem`, in a route that is about no app.
    package var app: ServedApp {
        get throws {
            guard let served else {
                throw Problem(.internalServerError, "failed", "the route names no app")
            }
            return served
        }
    }

    /// A named part of the path, which the router has found.
    package func part(_ name: String) -> String { parts[name] ?? "" }

    /// The customer whom the path names.
    /// - Throws: `Problem` for a client who asks about another one.
    package func customer() throws -> String {
        let subject = part("customer")
        try caller.confirm(subject)
        return subject
    }

    /// The answer with its tag, or only the tag where the caller has the answer already.
    func tagged(_ object: JSONObject) -> Answer {
        .tagged(object, ifNoneMatch: headers[.ifNoneMatch])
    }

    /// Answers from the ledger, once it has come to the place that the client has seen (`min_position`).
    mutating func asking<Result>(_ body: (Ledger) throws -> Result) throws -> Result {
        let place = try fields.place("min_position")
        try fields.finish()
        return try app.ledger.asking { ledger in
            if let place { try ledger.confirm(place) }
            return try body(ledger)
        }
    }

    /// The same for a question that goes through all customers, or through all that one did.
    mutating func asking(
        atLength question: @escaping Route.LongQuestion, in lane: LongWork.Lane
    ) async throws -> Answer {
        let place = try fields.place("min_position")
        try fields.finish()
        let ledger = try app.ledger
        return try await longWork.run(of: ledger.app, in: lane) {
            try ledger.asking { ledger in
                if let place { try ledger.confirm(place) }
                return try question(ledger)
            }
        }
    }

    // MARK: Writes

    /// Has the ledger perform a command for a customer, as all writes are asked for.
    mutating func perform(
        _ command: Command, for subject: String, profile: String? = nil
    ) async throws -> Answer {
        let request = try request(command, for: subject, profile)
        let isDryRun = try fields.flag("dry_run") ?? false
        let isRestating = try fields.flag("restatements") ?? false
        try fields.finish()
        let json = try await app.ledger.writing { ledger in
            isDryRun
                ? try await ledger.dryRun(request, isRestating: isRestating).json
                : ledger.json(of: try await ledger.perform(request, isRestating: isRestating))
        }
        return .json(json.adding(["dry_run": .bool(isDryRun)]))
    }

    private mutating func request(
        _ command: Command, for subject: String, _ profile: String?
    ) throws -> CommandRequest {
        let (actor, reason) = try audit()
        let ticket = try fields.text("ticket")
        if caller.customer != nil, ticket != nil { throw Self.personNeeded }
        let clientAt = try fields.instant("client_at")
        if caller.customer != nil, let clientAt,
            clientAt < now() - RouteTable.clientDelayMax
        {
            throw Problem(
                .forbidden, "too_late",
                "\"client_at\" is more than \(RouteTable.clientDelayMax / 86_400_000) days ago")
        }
        let version = try fields.integer("expected_version")
        if let version, version < 0 {
            throw Problem.unprocessable(
                "bad_version",
                "\"expected_version\" is \(version): versions count from 1; 0 means that the customer is new"
            )
        }
        return CommandRequest(
            command, subject: subject, environment: try fields.environment(),
            key: idempotencyKey(for: subject), profile: profile,
            actor: actor, reason: reason, ticket: ticket,
            clientAt: clientAt, expectedVersion: version)
    }

    /// Who does it and why; a person must say both.
    mutating func audit() throws -> (actor: String?, reason: String?) {
        let actor = try fields.text("actor")
        let reason = try fields.text("reason")
        if caller.customer != nil, actor != nil || reason != nil {
            throw Self.personNeeded
        }
        for (name, text) in [("actor", actor), ("reason", reason)] {
            guard let text else { continue }
            do {
                try EnvelopeBounds.check(text, name)
            } catch {
                throw Problem.unprocessable(error.code.rawValue, "\(name): \(error.reason)")
            }
        }
        if caller.isPerson {
            for (name, value) in [("actor", actor), ("reason", reason)] where value == nil {
                throw Problem.unprocessable(
                    "missing_member",
                    "\"\(name)\" is missing: with a key of support or admin say who does this, and why"
                )
            }
        }
        return (actor, reason)
    }

    /// A history must not name a person for what a client did.
    private static let personNeeded = Problem(
        .forbidden, "person_needed",
        "a client acts for its customer: leave out \"actor\", \"reason\" and \"ticket\"")

    /// The key under which the request is known for ever. A client's is told apart by customer: a client that sends
    /// another customer's key neither gets that customer's receipt nor learns that there is one.
    func idempotencyKey(for subject: String) -> String? {
        guard let key = headers[.idempotencyKey] else { return nil }
        return caller.customer == nil ? key : scoped(key, to: subject)
    }

    /// A key that is told apart by customer, and from those that the ledger and the app's backend make.
    func scoped(_ key: String, to subject: String) -> String {
        let name = subject.replacing("%", with: "%25").replacing("/", with: "%2F")
        return EventSource.boundedKey("client/\(name)/\(key)")
    }
}
