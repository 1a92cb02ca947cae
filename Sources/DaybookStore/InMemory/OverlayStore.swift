package import DaybookEvents
import Synchronization

/// The beginning of another store, with events after it that stay in memory: what would be, if they were appended.
///
/// Nothing ever reaches the other store. What is appended there meanwhile is not seen.
package final class OverlayStore: EventStore {
    private let base: any EventStore
    /// What is seen of the other store.
    private let ground: AppendGround
    private let added: Mutex<MemoryRows>
    /// Serialises `exclusively`; `added` is only held for moments.
    private let turn = Mutex(())

    /// - Parameters:
    ///   - head: The last event of the other store that is seen.
    ///   - nameCount: How many of its names are.
    ///   - streamCount: How many of its streams are.
    package init(_ base: any EventStore, through head: StoreHead, nameCount: Int, streamCount: Int)
    {
        self.base = base
        ground = AppendGround(
            head: head, nameCount: Int64(nameCount), streamCount: Int64(streamCount))
        added = Mutex(MemoryRows(upon: ground))
    }

    package var header: StoreHeader { base.header }
    package var durability: String { base.durability }

    package func head() throws -> StoreHead { added.withLock { $0.ground.head } }

    /// What is added here is in no history: nothing goes on from it, and nothing that is kept is made of it.
    package func end() throws -> StoreEnd {
        added.withLock { StoreEnd(head: $0.ground.head, history: Self.history($0.ground)) }
    }

    /// The place that it shows now, without a hash.
    package var history: HistoryPoint { added.withLock { Self.history($0.ground) } }

    private static func history(_ ground: AppendGround) -> HistoryPoint {
        HistoryPoint(
            position: ground.head.position, epoch: 0, nameCount: ground.nameCount,
            streamCount: ground.streamCount, hash: .zero)
    }

    package func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
        guard position <= ground.head.position else { return nil }
        return try base.point(at: position, names: names, streams: streams)
    }

    package func confirms(_ point: HistoryPoint) throws -> Bool {
        try point.hash == .zero || base.confirms(point)
    }

    package func names(after count: Int) throws -> [String] {
        let seen = Int(ground.nameCount) - count
        let below = seen > 0 ? try base.names(after: count) : []
        return below.prefix(max(0, seen)) + added.withLock { Array($0.names(after: count)) }
    }

    package func streams(after id: UInt32) throws -> [StreamRecord] {
        let count = Int(id)
        let seen = Int(ground.streamCount) - count
        let below = seen > 0 ? try base.streams(after: id) : []
        return below.prefix(max(0, seen)) + added.withLock { Array($0.streams(after: count)) }
    }

    package func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        if start < ground.head.checkpoint {
            let last = min(end, ground.head.checkpoint)
            try base.scan(after: start, through: last, chunkCount: chunkCount, body)
        }
        let added = added.withLock { $0 }
        try added.forEachChunk(after: start, through: end, chunkCount: chunkCount) {
            try body($0.map(\.event))
        }
    }

    package func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        if start < ground.head.checkpoint {
            let last = min(end, ground.head.checkpoint)
            try base.scanRows(after: start, through: last, chunkCount: chunkCount, body)
        }
        let added = added.withLock { $0 }
        try added.forEachChunk(after: start, through: end, chunkCount: chunkCount, body)
    }

    package func rows(at positions: [Int64]) throws -> [EventRow] {
        let below = positions.filter { $0 <= ground.head.position }
        let rows = below.isEmpty ? [] : try base.rows(at: below)
        if below.count == positions.count { return rows }
        let known = Dictionary(rows.map { ($0.event.position, $0) }, uniquingKeysWith: { $1 })
        return added.withLock { added in
            positions.compactMap { known[$0] ?? added.row(at: $0) }
        }
    }

    package func stream(endingAt position: Int64) throws -> [EventRow] {
        var (rows, next) = added.withLock {
            $0.walk(from: position, above: ground.head.position)
        }
        if next > 0, next <= ground.head.position { rows += try base.stream(endingAt: next) }
        return rows
    }

    package func chains(endingAt positions: [Int64], above floor: Int64) throws -> [EventChain] {
        try positions.map { try ownChain(endingAt: $0, above: floor) }
    }

    private func ownChain(endingAt position: Int64, above floor: Int64) throws -> EventChain {
        let (rows, next) = added.withLock {
            $0.walk(from: position, above: max(floor, ground.head.position))
        }
        var chain = EventChain(events: rows.map(\.event), next: next)
        guard next > floor, next <= ground.head.position else { return chain }
        let below = try base.chain(endingAt: next, above: floor)
        chain.events += below.events
        chain.next = below.next
        return chain
    }

    package func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        let inMemory = added.withLock { $0.position(recordedAtOrBefore: instant) }
        if let inMemory { return inMemory }
        return min(ground.head.position, try base.position(recordedAtOrBefore: instant))
    }

    package func document(sha256: String) throws -> [UInt8]? {
        try added.withLock { $0.documents[sha256] } ?? base.document(sha256: sha256)
    }

    package func foreignChangeCounter() throws -> Int64 { added.withLock { $0.appendCount } }

    @discardableResult
    package func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
        try turn.withLock { _ in try body(Writer(store: self)) }
    }

    package func findings() throws -> [String] { [] }

    /// The other store stays open.
    package func close() throws {}

    private struct Writer: StoreWriter {
        let store: OverlayStore

        func append(_ batch: AppendBatch) throws -> HistoryPoint {
            try store.added.withLock { added in
                try added.ground.check(batch)
                added.append(batch)
                return OverlayStore.history(added.ground)
            }
        }
    }
}
