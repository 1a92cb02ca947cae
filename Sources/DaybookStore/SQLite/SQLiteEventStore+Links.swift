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
        var walk = ChainsWalk(positions, above: max(0, floor))
        while let first = walk.next {
            try reads.use("reading the stream that ends at position \(walk.head)") { db in
                var known = bounds.withLock { $0 }
                var left = Self.walkCount
                let missing = try db.walk(RowSelection.linksOfWalk, from: first) { row in
                    var claims = RowClaims()
                    let event = RowSelection.event(row, &claims)
                    if !known.admit(claims) { try admit(claims, &known, db) }
                    try take(event, row.integer(RowSelection.previousColumn), &walk)
                    left -= 1
                    return left > 0 ? walk.next ?? 0 : 0
                }
                guard missing != nil else { return }
                // An unknown position has no stream; an event that follows an unknown one is damaged.
                if let newer = walk.chain.events.last {
                    throw brokenChain(newer, after: walk.chain.next, "which is missing")
                }
                walk.leave()
            }
        }
        return walk.chains
    }

    /// Adds an event to the chain that is read.
    private func take(_ event: Event, _ previous: Int64, _ walk: inout ChainsWalk) throws {
        if let newer = walk.chain.events.last, event.stream != newer.stream {
            throw brokenChain(
                newer, after: event.position, "which is in stream \(event.stream)")
        }
        guard previous < event.position else {
            throw brokenChain(event, after: previous, "which is not before it")
        }
        walk.chain.events.append(event)
        walk.chain.next = previous
        if previous <= walk.floor { walk.leave() }
    }
}

/// Some chains, read one after the other.
private struct ChainsWalk {
    let floor: Int64
    var chains: [EventChain]
    private let positions: [Int64]
    /// Which is read.
    private var index = 0

    init(_ positions: [Int64], above floor: Int64) {
        self.floor = floor
        self.positions = positions
        chains = positions.map { EventChain(events: [], next: $0) }
        skipEnded()
    }

    /// Where the chain that is read ends.
    var head: Int64 { positions[index] }

    /// The chain that is read.
    var chain: EventChain {
        _read { yield chains[index] }
        _modify { yield &chains[index] }
    }

    /// The position that is read next; `nil`: all chains are at their end.
    var next: Int64? { index < chains.count ? chains[index].next : nil }

    /// Goes on to the next chain.
    mutating func leave() {
        index += 1
        skipEnded()
    }

    private mutating func skipEnded() {
        while index < chains.count, chains[index].next <= floor { index += 1 }
    }
}
