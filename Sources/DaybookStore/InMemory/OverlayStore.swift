package import DaybookEvents
import Synchronization

/// The beginning of another store, with events after it that stay in memory: what would be, if they were appended.
///
/// Nothing ever reaches the other store. What is appended there meanwhile is not seen.
package final class OverlayStore: EventStore {
    private struct Added {
        var names: [String] = []
        var streams: [StreamRecord] = []
        var rows: [EventRow] = []
        var documents: [String: [UInt8]] = [:]
        var appendCount: Int64 = 0
    }

    private let base: any EventStore
    private let baseHead: StoreHead
    private let baseNameCount: Int
    private let baseStreamCount: Int
    private let added = Mutex(Added())
    /// Serialises `exclusively`; `added` is only held for moments.
    private let turn = Mutex(())

    /// - Parameters:
    ///   - head: The last event of the other store that is seen.
    ///   - nameCount: How many of its names are.
    ///   - streamCount: How many of its streams are.
    package init(_ base: any EventStore, through head: StoreHead, nameCount: Int, streamCount: Int)
    {
        self.base = base
        baseHead = head
        baseNameCount = nameCount
        baseStreamCount = streamCount
    }

    package var header: StoreHeader { base.header }
    package var durability: String { base.durability }

    package func head() throws -> StoreHead { added.withLock { head($0) } }

    private func head(_ added: Added) -> StoreHead {
        guard let last = added.rows.last else { return baseHead }
        return StoreHead(position: last.event.position, recordedAt: last.recordedAt)
    }

    /// What is added here is in no history: nothing goes on from it, and nothing that is kept is made of it.
    package func end() throws -> StoreEnd {
        added.withLock { StoreEnd(head: head($0), history: history($0)) }
    }

    /// The place that it shows now, without a hash.
    package var history: HistoryPoint { added.withLock { history($0) } }

    private func history(_ added: Added) -> HistoryPoint {
        HistoryPoint(
            position: head(added).position, epoch: 0,
            nameCount: Int64(baseNameCount + added.names.count),
            streamCount: Int64(baseStreamCount + added.streams.count), hash: .zero)
    }

    package func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
        guard position <= baseHead.position else { return nil }
        return try base.point(at: position, names: names, streams: streams)
    }

    package func confirms(_ point: HistoryPoint) throws -> Bool {
        try point.hash == .zero || base.confirms(point)
    }

    package func names(after count: Int) throws -> [String] {
        let below = count < baseNameCount ? try base.names(after: count) : []
        return below.prefix(max(0, baseNameCount - count))
            + added.withLock { Array($0.names.dropFirst(max(0, count - baseNameCount))) }
    }

    package func streams(after id: UInt32) throws -> [StreamRecord] {
        let count = Int(id)
        let below = count < baseStreamCount ? try base.streams(after: id) : []
        return below.prefix(max(0, baseStreamCount - count))
            + added.withLock { Array($0.streams.dropFirst(max(0, count - baseStreamCount))) }
    }

    package func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        if start < baseHead.checkpoint {
            let last = min(end, baseHead.checkpoint)
            try base.scan(after: start, through: last, chunkCount: chunkCount, body)
        }
        try addedRows(start, end, chunkCount) { try body($0.map(\.event)) }
    }

    package func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        if start < baseHead.checkpoint {
            let last = min(end, baseHead.checkpoint)
            try base.scanRows(after: start, through: last, chunkCount: chunkCount, body)
        }
        try addedRows(start, end, chunkCount, body)
    }

    /// The rows of the range that stay in memory.
    private func addedRows(
        _ start: Checkpoint, _ end: Checkpoint, _ chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        let rows = added.withLock { $0.rows }
        var index = Int(max(0, start.position - baseHead.position))
        let last = min(Int(clamping: end.position - baseHead.position), rows.count)
        while index < last {
            let next = min(index + max(1, chunkCount), last)
            try body(Array(rows[index..<next]))
            index = next
        }
    }

    package func rows(at positions: [Int64]) throws -> [EventRow] {
        let below = positions.filter { $0 <= baseHead.position }
        let rows = below.isEmpty ? [] : try base.rows(at: below)
        if below.count == positions.count { return rows }
        let known = Dictionary(rows.map { ($0.event.position, $0) }, uniquingKeysWith: { $1 })
        return added.withLock { added in
            positions.compactMap { known[$0] ?? row(at: $0, added) }
        }
    }

    private func row(at position: Int64, _ added: Added) -> EventRow? {
        let index = position - baseHead.position - 1
        return added.rows.indices.contains(Int(clamping: index)) ? added.rows[Int(index)] : nil
    }

    package func stream(endingAt position: Int64) throws -> [EventRow] {
        var (rows, next) = walk(from: position, above: baseHead.position)
        if next > 0, next <= baseHead.position { rows += try base.stream(endingAt: next) }
        return rows
    }

    package func chains(endingAt positions: [Int64], above floor: Int64) throws -> [EventChain] {
        try positions.map { try ownChain(endingAt: $0, above: floor) }
    }

    private func ownChain(endingAt position: Int64, above floor: Int64) throws -> EventChain {
        let (rows, next) = walk(from: position, above: max(floor, baseHead.position))
        var chain = EventChain(events: rows.map(\.event), next: next)
        guard next > floor, next <= baseHead.position else { return chain }
        let below = try base.chain(endingAt: next, above: floor)
        chain.events += below.events
        chain.next = below.next
        return chain
    }

    /// A stream's rows in memory above a position, newest first, and where the row before them stands.
    private func walk(from start: Int64, above floor: Int64) -> (rows: [EventRow], next: Int64) {
        added.withLock { added in
            var rows: [EventRow] = []
            var position = start
            while position > floor, let row = row(at: position, added) {
                rows.append(row)
                position = row.previous
            }
            return (rows, position)
        }
    }

    package func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        let inMemory = added.withLock { $0.rows.last { $0.recordedAt <= instant } }
        if let inMemory { return inMemory.event.position }
        return min(baseHead.position, try base.position(recordedAtOrBefore: instant))
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
                try AppendGround(
                    head: store.head(added),
                    nameCount: Int64(store.baseNameCount + added.names.count),
                    streamCount: Int64(store.baseStreamCount + added.streams.count)
                ).check(batch)
                added.appendCount += 1
                added.names += batch.names
                added.streams += batch.streams
                added.rows += batch.rows
                for document in batch.documents {
                    added.documents[document.sha256] = document.bytes
                }
                return store.history(added)
            }
        }
    }
}
