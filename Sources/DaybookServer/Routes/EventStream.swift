import Daybook
import DaybookEvents
import HTTPTypes
import ServiceLifecycle

/// Changes as server-sent events (WHATWG, HTML): each has its place as its id, so that a client that comes
/// back says with `Last-Event-ID` where it stopped.
struct EventStream: Sendable {
    let reader: ChangeReader
    /// The page that the stream begins with.
    let first: ChangePage
    let ticket: StreamTicket
    let admission: @Sendable () async throws -> Void

    static let mediaType = "text/event-stream"

    /// Between two comments of a stream in which nothing happens: it stays open in proxies, and a client that has gone
    /// is noticed.
    private static let silenceMax = Duration.seconds(15)
    /// Between two messages that tell only how far the stream has looked, after the first: in a ledger in which much
    /// happens a quiet stream would speak all the time.
    private static let placeInterval = Duration.seconds(5)

    static func isAsked(by headers: HTTPFields) -> Bool {
        (headers[.accept] ?? "").split(separator: ",").contains {
            $0.drop { $0 == " " }.hasPrefix(mediaType)
        }
    }

    var answer: Answer {
        .stream(mediaType: Self.mediaType) { writer in
            defer { withExtendedLifetime(ticket) {} }
            try await write(to: writer)
        }
    }

    private func write(to writer: any StreamWriter) async throws {
        var page = first
        var told: Place?
        var toldAt: ContinuousClock.Instant?
        while true {
            for event in page.events {
                try await writer.write(Self.message(event.place, reader.json(of: event)))
                told = event.place
            }
            // Events that were not asked for are gone through once, but for the last seconds also by a client that
            // comes back.
            let now = ContinuousClock.now
            if told != page.place, toldAt.map({ $0 + Self.placeInterval <= now }) ?? true {
                try await writer.write(Self.message(page.place, page.place.json, name: "place"))
                told = page.place
                toldAt = now
            }
            ticket.note(page.place.position)
            do {
                // A server that stops ends its streams; clients go on at another one, or later.
                guard let next = try await next(after: page, writer) else { return }
                page = next
                try await admission()
            } catch let error where error is LedgerError || error is Problem {
                // The client asks again, and is told by a status.
                try await writer.write(Self.problem(Problem(error)))
                return
            }
        }
    }

    /// - Returns: `nil`: the server stops.
    private func next(
        after page: ChangePage, _ writer: any StreamWriter
    ) async throws -> ChangePage? {
        if page.isMore { return try await reader.page(after: page.place) }
        while !Task.isShuttingDownGracefully {
            let next = try await reader.page(after: page.place, waiting: Self.silenceMax)
            if !next.events.isEmpty || next.isMore || next.place != page.place { return next }
            try await admission()
            try await writer.write(Array(": nothing new\n\n".utf8))
        }
        return nil
    }

    /// - Parameter name: Of what is no change; changes have none, which is what `onmessage` of browsers listens to.
    private static func message(
        _ place: Place, _ json: JSONObject, name: String? = nil
    ) -> [UInt8] {
        let event = name.map { "event: \($0)\n" } ?? ""
        return Array("\(event)id: \(place)\ndata: ".utf8) + json.canonicalBytes + [0x0A, 0x0A]
    }

    private static func problem(_ problem: Problem) -> [UInt8] {
        Array("event: problem\ndata: ".utf8) + problem.json(of: "").canonicalBytes + [0x0A, 0x0A]
    }
}
