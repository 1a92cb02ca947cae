public import DaybookEvents
import GRDB

/// Reading hot events together with the place of the event before each in its stream.
extension SQLiteEventStore {
    /// How many events are looked up in one transaction: some milliseconds.
    private static let walkCount = 1_000

    /// Hands out hot events with their links, in chunks.
    /// - Throws: `.damaged` as `scan` does.
    public func scanLinks(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event], borrowing [Int64]) throws -> Void
    ) throws {
        var previous: [Int64] = []
        try chunks(
            RowSelection.linksOfRange, start, end, chunkCount,
            { row, claims in
                previous.append(row.integer(RowSelection.previousColumn))
                return RowSelection.event(row, &claims)
            }
        ) { events in
            try body(events, previous)
            previous.removeAll(keepingCapacity: true)
        }
    }

    /// The hot events of some streams, newest first, down to a position.
    /// - Throws: `.damaged` when an event follows a later one, one that is missing or one of another stream.
    public func chains(endingAt positions: [Int64], above floor: Int64) throws -> [EventChain] {
        var chains = positions.map { EventChain(events: [], next: $0) }
        let floor = max(0, floor)
        var index = 0
        while index < chains.count {
            try reads.use("reading the stream that ends at position \(positions[index])") { db in
                try db.inSnapshot {
                    let statement = try db.cachedStatement(sql: RowSelection.linkAtPosition)
                    var known = bounds.withLock { $0 }
                    var left = Self.walkCount
                    while left > 0, index < chains.count {
                        if chains[index].next > floor,
                            try extend(&chains[index], statement, &known, db)
                        {
                            left -= 1
                        } else {
                            try checkEnd(chains[index], above: floor)
                            index += 1
                        }
                    }
                }
            }
        }
        return chains
    }

    /// An unknown position has no stream; an event that follows an unknown one is damaged.
    private func checkEnd(_ chain: EventChain, above floor: Int64) throws {
        guard let oldest = chain.events.last, chain.next > floor else { return }
        throw brokenChain(oldest, after: chain.next, "which is missing")
    }

    /// - Returns: Whether there was an event.
    private func extend(
        _ chain: inout EventChain, _ statement: Statement, _ known: inout RowBounds, _ db: Database
    ) throws -> Bool {
        var found: (event: Event, previous: Int64)?
        var claims = RowClaims()
        try db.forEachRow(statement, of: chain.next) { row in
            found = (
                RowSelection.event(row, &claims),
                row.integer(RowSelection.previousColumn)
            )
        }
        guard let found else { return false }
        if !known.admit(claims) { try admit(claims, &known, db) }
        if let newer = chain.events.last, found.event.stream != newer.stream {
            throw brokenChain(
                newer, after: chain.next, "which is in stream \(found.event.stream)")
        }
        guard found.previous < found.event.position else {
            throw brokenChain(found.event, after: found.previous, "which is not before it")
        }
        chain.events.append(found.event)
        chain.next = found.previous
        return true
    }
}
