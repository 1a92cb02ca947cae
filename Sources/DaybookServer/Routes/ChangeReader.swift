import Daybook
import DaybookEvents

/// Reads the changes of a ledger that one client asked for.
struct ChangeReader: Sendable {
    let ledger: ServedLedger
    let types: Set<EventTypeName>
    let subject: String?
    let environment: Environment?
    let limit: Int
    /// Whether events come without their data: a client is told that something happened.
    let isReduced: Bool

    /// The longest that an empty page waits, in milliseconds: less than the idle time-outs of usual proxies.
    static let waitMax: Int64 = 50_000

    func page(after place: Place?) async throws -> ChangePage {
        try await ledger.askingPatiently { ledger in
            try ledger.changes(
                after: place, limit: limit, types: types, subject: subject,
                environment: environment)
        }
    }

    /// The next page; where nothing is there, after waiting for it.
    func page(after place: Place?, waiting duration: Duration) async throws -> ChangePage {
        let end = ContinuousClock.now + duration
        var page = try await page(after: place)
        while page.events.isEmpty {
            if !page.isMore {
                let rest = end - ContinuousClock.now
                guard rest > .zero, !Task.isShuttingDownGracefully else { break }
                try await LedgerWatch(
                    ledger: ledger, subject: subject, environment: environment
                ).wait(beyond: page.place.position, atMost: rest)
            }
            // Also where the time is over: the place moves on over what others did.
            page = try await self.page(after: page.place)
        }
        return page
    }

    func json(of event: PlacedEvent) -> JSONObject {
        let json = event.json
        guard isReduced else { return json }
        return JSONObject(
            ["type", "environment", "occurred_at", "recorded_at", "position", "place"].compactMap {
                name in json[name].map { .init(name: name, value: $0) }
            })
    }

    /// Each event in a line, and where to go on in the last one, as `daybook changes --json` has it.
    func lines(of page: ChangePage) -> [UInt8] {
        var bytes: [UInt8] = []
        for event in page.events { bytes += json(of: event).canonicalBytes + [0x0A] }
        var end = page.place.json
        end["events"] = .count(page.events.count)
        end["more"] = .bool(page.isMore)
        return bytes + end.canonicalBytes + [0x0A]
    }
}
