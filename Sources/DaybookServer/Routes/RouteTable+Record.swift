import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest

/// Facts that other systems established.
extension RouteTable {
    /// The most bytes of lines in one request.
    static let linesByteCountMax = 4 << 20
    /// The most events of one request: they are one commit.
    static let linesMax = 1_000

    static let recordRoutes: [Route] = [
        Route(
            .post, "/v1/{app}/events", "record",
            "Record facts, one event as JSON a line, all or none. A client tells of its own customer, unproven.",
            for: [.store, .client, .admin], input: .bytes(max: linesByteCountMax), record)
    ]

    @Sendable
    private static func record(_ call: inout RouteCall) async throws -> Answer {
        let allowsUnknown = try call.fields.flag("allow_unknown") ?? false
        try call.fields.finish()
        var reader = NDJSONReader(
            app: try call.app.name,
            defaultTrust: call.caller.customer == nil ? .imported : .clientAsserted)
        var (events, problems) = reader.read(call.bytes)
        guard problems.isEmpty else {
            throw LedgerError.badInput(problems.map(InputProblem.init))
        }
        guard events.count <= linesMax else {
            throw Problem(
                .unprocessableContent, "too_many_events",
                "\(events.count) events are more than a request may have: \(linesMax)")
        }
        if call.caller.customer != nil { events = try events.map { try asserted($0, call) } }
        let taken = events
        let json = try await call.app.ledger.writing { ledger in
            var options = ReportOptions()
            if !allowsUnknown { options.names = try ledger.unknownNames(beside: taken) }
            return ledger.json(of: try await ledger.record(taken, options: options))
        }
        return .json(json)
    }

    /// A client asserts, about its own customer alone, and under keys that are this customer's: by another's key it
    /// could take the place of what is still to come.
    private static func asserted(_ event: ReadEvent, _ call: RouteCall) throws -> ReadEvent {
        let draft = event.draft
        guard draft.trust == .clientAsserted, haveSameBytes(draft.source.kind, "native") else {
            throw Problem(
                .forbidden, "trust",
                "line \(event.line): a client asserts (\"client_asserted\"), as source \"native\"; what is proven comes from its server"
            )
        }
        guard let subject = draft.subject else {
            throw Problem(
                .forbidden, "other_customer", "line \(event.line): the event names no customer")
        }
        try call.caller.confirm(subject)
        var own = event
        own.draft.source.key = draft.source.key.map { call.scoped($0, to: subject) }
        return own
    }
}
