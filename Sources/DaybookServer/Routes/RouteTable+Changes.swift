import Daybook
import DaybookEvents

/// What was recorded after a place: in pages, or as it comes.
extension RouteTable {
    private static let followers: Set<Scope> = [.analyst, .admin]

    static let changeRoutes: [Route] = [
        Route(
            .get, "/v1/{app}/changes", "changes",
            "Read what was recorded after a place: NDJSON, or with \"Accept: text/event-stream\" server-sent events.",
            for: followers, changes),
        Route(
            .get, "/v1/{app}/customers/{customer}/changes", "customerChanges",
            "The same for one customer. A client is told that something happened, and asks what is true now.",
            for: askers, customerChanges),
        Route(
            .get, "/v1/{app}/place", "place",
            "The place at the end: what comes later comes after it.",
            for: askers.union(followers), place),
        Route(
            .get, "/v1/{app}/export", "export",
            "Write all events as lines of JSON; one that was cut is resumed (after, through).",
            for: followers, export),
    ]

    private static func changes(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.fields.text("subject")
        return try await changes(&call, of: subject, isReduced: false)
    }

    private static func customerChanges(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        return try await changes(&call, of: subject, isReduced: call.caller.customer != nil)
    }

    private static func place(_ call: inout RouteCall) throws -> Answer {
        .json(try call.asking { try $0.place() }.json)
    }

    private static func export(_ call: inout RouteCall) throws -> Answer {
        let after = try call.fields.integer("after") ?? 0
        let through = try call.fields.place("through")
        let environment = try call.fields.environmentIfAny()
        let end = try call.asking { ledger in
            guard let through else { return try ledger.place() }
            try ledger.confirm(through)
            return through
        }
        try Problem.require(
            (0...end.position).contains(after), "bad_position",
            "\"after\" is no position of an export that ends at \(end.position)")
        return ExportStream(
            ledger: try call.app.ledger, environment: environment, start: after, end: end,
            ticket: try call.streams.begin(
                app: try call.app.name, for: call.caller, at: after),
            admission: call.admission
        ).answer
    }

    private static func changes(
        _ call: inout RouteCall, of subject: String?, isReduced: Bool
    ) async throws -> Answer {
        let isStream = EventStream.isAsked(by: call.headers)
        let resumed = call.headers[.lastEventID].flatMap(Place.init)
        if call.headers[.lastEventID] != nil, resumed == nil {
            throw Problem.unprocessable("bad_place", "\"Last-Event-ID\" is no place of a stream")
        }
        let after = try call.fields.place("after")
        let reader = ChangeReader(
            ledger: try call.app.ledger,
            types: Set((try call.fields.texts("type") ?? []).map(EventTypeName.init(rawValue:))),
            subject: subject, environment: try call.fields.environmentIfAny(),
            limit: try call.fields.limit(100, most: ChangePage.limitMax), isReduced: isReduced)
        // The client's own memory is newer than the address that it was given.
        let start = resumed ?? after
        if isStream {
            try call.fields.finish()
            return try await call.stream(reader, after: start)
        }
        let wait = try call.fields.duration("wait") ?? 0
        try call.fields.finish()
        try Problem.require(
            wait <= ChangeReader.waitMax, "wait_out_of_bounds",
            "\"wait\" is longer than \(ChangeReader.waitMax / 1_000) s")
        // Who waits is a stream as far as their number goes.
        let ticket = try wait > 0 ? call.ticket(for: reader, after: start) : nil
        defer { withExtendedLifetime(ticket) {} }
        let page = try await reader.page(after: start, waiting: .milliseconds(wait))
        var answer = Answer.bytes(reader.lines(of: page), mediaType: "application/x-ndjson")
        answer.headers[.cacheControl] = "no-store"
        return answer
    }
}

extension RouteCall {
    /// What is recorded after the place of a page (`after`), or from now on, as server-sent events without their data:
    /// a page is told that something is new.
    /// - Parameter subject: `nil`: of all customers.
    package mutating func newsStream(of subject: String?) async throws -> Answer {
        let ledger = try app.ledger
        let environment = try fields.environmentIfAny() ?? .production
        let shown = try fields.place("after")
        try fields.finish()
        // The browser's own memory is newer than the page.
        let after = headers[.lastEventID].flatMap(Place.init) ?? shown
        let reader = ChangeReader(
            ledger: ledger, types: [], subject: subject, environment: environment, limit: 100,
            isReduced: true)
        let place = try after ?? ledger.asking { try $0.place() }
        return try await stream(reader, after: place)
    }

    /// Refused before the stream begins, with a status that says so.
    fileprivate func stream(_ reader: ChangeReader, after place: Place?) async throws -> Answer {
        let first = try await reader.page(after: place)
        let ticket = try ticket(for: reader, after: place)
        return EventStream(
            reader: reader, first: first, ticket: ticket, admission: admission
        ).answer
    }

    fileprivate func ticket(for reader: ChangeReader, after place: Place?) throws -> StreamTicket {
        try streams.begin(
            app: try app.name, for: caller,
            at: reader.subject == nil ? place?.position ?? 0 : nil)
    }
}
