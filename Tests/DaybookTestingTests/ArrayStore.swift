import Daybook
import Synchronization

/// A store that keeps events in arrays, made of the package's public interface only: where to begin with a
/// store of one's own.
///
/// Its histories have no names (zeros), which a store may do whose events end with the process. One that lasts names
/// them with `RowDigest` and `HistoryCursor`.
final class ArrayStore: EventStore {
    private struct Content {
        var names: [String] = []
        var streams: [StreamRecord] = []
        var rows: [EventRow] = []
        var documents: [String: [UInt8]] = [:]
        var commitCount: Int64 = 0

        var head: StoreHead {
            StoreHead(position: Int64(rows.count), recordedAt: rows.last?.recordedAt ?? 0)
        }

        var history: HistoryPoint {
            HistoryPoint(
                position: Int64(rows.count), epoch: 1, nameCount: Int64(names.count),
                streamCount: Int64(streams.count), hash: .zero)
        }

        func row(at position: Int64) -> EventRow? {
            position >= 1 && position <= Int64(rows.count) ? rows[Int(position) - 1] : nil
        }
    }

    let header: StoreHeader
    let durability = "memory"
    private let content = Mutex(Content())
    /// Held by one writer at a time. What a writer reads meanwhile needs `content` alone, so that it does not wait for
    /// itself.
    private let turn = Mutex(())

    init(app: String) {
        header = StoreHeader(app: app, ledgerID: "arrays", schemaVersion: 1, secret: .ofMemory)
    }

    func head() throws -> StoreHead { content.withLock { $0.head } }

    func end() throws -> StoreEnd {
        content.withLock { StoreEnd(head: $0.head, history: $0.history) }
    }

    func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
        let end = content.withLock { $0.history }
        guard (0...end.position).contains(position) else { return nil }
        return HistoryPoint(
            position: position, epoch: 1, nameCount: names ?? end.nameCount,
            streamCount: streams ?? end.streamCount, hash: .zero)
    }

    func confirms(_ point: HistoryPoint) throws -> Bool { point.hash == .zero }

    func names(after count: Int) throws -> [String] {
        content.withLock { Array($0.names.dropFirst(count)) }
    }

    func streams(after id: UInt32) throws -> [StreamRecord] {
        content.withLock { content in content.streams.filter { $0.id > id } }
    }

    func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        try scanRows(after: start, through: end, chunkCount: chunkCount) {
            try body($0.map(\.event))
        }
    }

    func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        // No lock is held while events are handed out: the closure may ask the store for more.
        var rest = content.withLock { content in
            content.rows.prefix(Int(clamping: end.position)).dropFirst(Int(start.position))
        }
        while !rest.isEmpty {
            try body(Array(rest.prefix(chunkCount)))
            rest = rest.dropFirst(chunkCount)
        }
    }

    func rows(at positions: [Int64]) throws -> [EventRow] {
        content.withLock { content in positions.compactMap(content.row) }
    }

    func stream(endingAt position: Int64) throws -> [EventRow] {
        content.withLock { content in
            var found: [EventRow] = []
            var next = content.row(at: position)
            while let row = next {
                found.append(row)
                next = content.row(at: row.previous)
            }
            return found
        }
    }

    func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        content.withLock { content in Int64(content.rows.count { $0.recordedAt <= instant }) }
    }

    func document(sha256: String) throws -> [UInt8]? {
        content.withLock { $0.documents[sha256] }
    }

    func foreignChangeCounter() throws -> Int64 { content.withLock { $0.commitCount } }

    @discardableResult
    func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
        try turn.withLock { _ in try body(Writer(store: self)) }
    }

    func findings() throws -> [String] { [] }

    func close() throws {}

    private struct Writer: StoreWriter {
        let store: ArrayStore

        func append(_ batch: AppendBatch) throws -> HistoryPoint {
            try store.content.withLock { content in
                try AppendGround(
                    head: content.head, nameCount: Int64(content.names.count),
                    streamCount: Int64(content.streams.count)
                ).check(batch)
                content.names += batch.names
                content.streams += batch.streams
                content.rows += batch.rows
                for document in batch.documents {
                    content.documents[document.sha256] = document.bytes
                }
                content.commitCount += 1
                return content.history
            }
        }
    }
}
