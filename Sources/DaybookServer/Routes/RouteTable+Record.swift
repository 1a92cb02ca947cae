import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest

/// Facts that other systems established.
extension RouteTable {
    /// The most bytes of lines in one request.
    static let linesByteCountMax = 4 << 20
    /// The most events of one request: they are one commit.
    package static let linesMax = 1_000
    /// The most of a client; each counts as a request.
    static let clientLinesMax = 100
    /// How late a client may tell of what happened. The first event of a customer is what periods are counted from, and
    /// who dates it freely chooses when counters begin anew.
    static let clientDelayMax: Int64 = 7 * 86_400_000

    /// How far a device's clock may be ahead.
    static let clientLeadMax: Int64 = 5 * 60_000

    static let recordRoutes: [Route] = [
        Route(
            .post, "/v1/{app}/events", "record",
            "Record facts, one event as JSON a line, all or none. A client tells what happened on its screens.",
            for: [.store, .client, .admin], input: .bytes(max: linesByteCountMax), record)
    ]

    private static func record(_ call: inout RouteCall) async throws -> Answer {
        let allowsUnknown = try call.fields.flag("allow_unknown") ?? false
        let showsStatus = try call.fields.flag("status") ?? false
        let (actor, reason) = try call.audit()
        try call.fields.finish()
        let isClient = call.caller.customer != nil
        // Counted before they are read: every line that is none is a problem to tell of.
        let lineCount = call.bytes.count { $0 == UInt8(ascii: "\n") }
        try confirm(lineCount, atMost: linesMax)
        // A line without a key of its own is known by that of the request and its number.
        let key = try call.headers[.idempotencyKey].map(lineKeys)
        var reader = NDJSONReader(
            app: try call.app.name, defaultTrust: isClient ? .clientAsserted : .imported,
            isReported: true, key: key)
        var (events, problems) = reader.read(call.bytes)
        try LedgerError.refuse(problems)
        try confirm(events.count, atMost: isClient ? clientLinesMax : linesMax)
        if !call.caller.granted.contains(.admin),
            let report = events.first(where: { $0.draft.type == .reportFrozen })
        {
            throw refusal(
                report, "type_for_admins",
                "a report is frozen by POST /v1/{app}/reports; an admin key may bring one of another ledger"
            )
        }
        if isClient {
            // The first of them is the request itself.
            _ = try call.rate.take(call.caller, count: Int64(events.count) - 1)
            let catalogs = try call.app.ledger.asking { try $0.catalogs() }
            events = try events.map { try asserted($0, catalogs, call) }
        }
        // A time of recording is the ledger's own; with it an event would pass for one of an older ledger.
        for index in events.indices {
            events[index].draft.recordedAt = nil
            for (name, text) in [("actor", actor), ("reason", reason)] {
                guard let text, events[index].draft.extras[name] == nil else { continue }
                events[index].draft.extras[name] = .string(text)
            }
        }
        let taken = events
        let shown = showsStatus ? try customer(of: taken) : nil
        let json = try await call.app.ledger.writing { ledger in
            var options = ReportOptions()
            if !allowsUnknown { options.names = try ledger.unknownNames(beside: taken) }
            var json = ledger.json(of: try await ledger.record(taken, options: options))
            // What is recorded is recorded; a client asks for a status that could not be told now.
            if let shown,
                let (status, asOf) = try? ledger.status(
                    of: shown.subject, environment: shown.environment)
            {
                json["status"] = .object(status.json(asOf))
            }
            return json
        }
        return .json(json)
    }

    /// The longest `Idempotency-Key` that leaves room for a line's number and an item's product.
    private static let lineKeyByteCountMax = 128

    /// - Returns: The key of a line, by its number.
    private static func lineKeys(_ key: String) throws -> @Sendable (Int) -> String {
        try Problem.require(
            (1...lineKeyByteCountMax).contains(key.utf8.count), "bad_key",
            "\"Idempotency-Key\" has \(key.utf8.count) bytes; here it has 1 to \(lineKeyByteCountMax)"
        )
        return { "\(key)/\($0)" }
    }

    /// Whose status is told beside the receipt (`status`): an app that says that it was launched is spared a question.
    private static func customer(
        of events: [ReadEvent]
    ) throws -> (subject: String, environment: Environment) {
        let drafts = events.map(\.draft)
        guard let first = drafts.first, let subject = first.subject,
            drafts.allSatisfy({ draft in
                draft.environment == first.environment
                    && draft.subject.map { haveSameBytes($0, subject) } == true
            })
        else {
            throw Problem.unprocessable(
                "one_customer",
                "\"status\" is told where all events are of one customer in one environment")
        }
        return (subject, first.environment)
    }

    private static func confirm(_ count: Int, atMost max: Int) throws {
        try Problem.require(
            count <= max, "too_many_events",
            "\(count) events are more than this caller's request may have: \(max)")
    }

    /// A client tells what its screens saw of its own customer, about now, under keys that are this customer's: by
    /// another's key it could take the place of what is still to come. All else it has routes for, where the ledger
    /// decides: with a profile's creation of its own date, a use that something covered, a first sight or a notice of
    /// billing it would serve itself.
    private static func asserted(
        _ event: ReadEvent, _ catalogs: CatalogHistory, _ call: RouteCall
    ) throws -> ReadEvent {
        let draft = event.draft
        guard draft.trust == .clientAsserted, haveSameBytes(draft.source.kind, "native") else {
            throw refusal(
                event, "trust",
                "a client asserts (\"client_asserted\"), as source \"native\"; what is proven comes from its server"
            )
        }
        // An app's own name is what the catalog says that it stands for.
        let type =
            draft.type.known
            ?? catalogs.eventName(draft.type.rawValue)?.canonical(draft)?.type.known
        guard let type, type.isOfScreens else {
            throw refusal(
                event, "type_for_servers",
                "\(ShownText.escaped(draft.type.rawValue)) is not a client's to record; for what customers do there are routes, and the rest comes from the app's server"
            )
        }
        if let name = ["actor", "reason", "ticket"].first(where: { draft.extras[$0] != nil }) {
            throw refusal(
                event, "person_needed", "a client acts for its customer, without \"\(name)\"")
        }
        guard let subject = draft.subject else {
            throw refusal(event, "other_customer", "the event names no customer")
        }
        try call.caller.confirm(subject)
        if let at = draft.occurredAt { try confirm(at, in: event, now: call.now()) }
        var own = event
        own.draft.source.key = draft.source.key.map { call.scoped($0, to: subject) }
        return own
    }

    /// - Throws: `Problem` for what happened long ago or is still to come: one event of the year 9999 would have all
    ///   others read again for each answer.
    private static func confirm(_ instant: Int64, in event: ReadEvent, now: Int64) throws {
        if instant < now - clientDelayMax {
            throw refusal(
                event, "too_late", "it happened more than \(clientDelayMax / 86_400_000) days ago")
        }
        if instant > now + clientLeadMax {
            throw refusal(event, "too_early", "it is still to happen")
        }
    }

    private static func refusal(_ event: ReadEvent, _ code: String, _ why: String) -> Problem {
        Problem(.forbidden, code, "line \(event.line): \(why)")
    }
}
