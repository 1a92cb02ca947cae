public import DaybookEvents
import Synchronization

/// A store for tests and examples: the same contract, nothing on disk.
public final class InMemoryEventStore: EventStore {
    private struct Content {
        var names: [String] = []
        var streams: [StreamRecord] = []
        var rows: [EventRow] = []
        var documents: [String: [UInt8]] = [:]
        var appendCount: Int64 = 0

        var head: StoreHead {
            StoreHead(position: Int64(rows.count), recordedAt: rows.last?.recordedAt ?? 0)
        }
    }

    public let header: StoreHeader
    private let content = Mutex(Content())
    /// Serialises `exclusively`; `content` is only held for moments.
    private let turn = Mutex(())

    public init(app: String, ledgerID: String = "in-memory") {
        header = StoreHeader(app: app, ledgerID: ledgerID, schemaVersion: 1)
    }

    /// A store that begins with everything that another one holds now, and goes its own way.
    public init(copying other: InMemoryEventStore) {
        header = other.header
        let held = other.content.withLock { $0 }
        content.withLock { $0 = held }
    }

    public var durability: String { "memory" }

    public func head() throws -> StoreHead {
        content.withLock { $0.head }
    }

    public func names(after count: Int) throws -> [String] {
        content.withLock { Array($0.names.dropFirst(count)) }
    }

    public func streams(after id: UInt32) throws -> [StreamRecord] {
        content.withLock { Array($0.streams.dropFirst(Int(id))) }
    }

    public func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        try scanRows(after: start, through: end, chunkCount: chunkCount) { rows in
            try body(rows.map(\.event))
        }
    }

    public func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        let all = content.withLock { $0.rows }
        var index = Int(start.position)
        let last = min(Int(clamping: end.position), all.count)
        while index < last {
            let next = min(index + max(1, chunkCount), last)
            try body(Array(all[index..<next]))
            index = next
        }
    }

    public func rows(at positions: [Int64]) throws -> [EventRow] {
        content.withLock { content in
            positions.compactMap { position in
                position >= 1 && position <= Int64(content.rows.count)
                    ? content.rows[Int(position) - 1] : nil
            }
        }
    }

    public func stream(endingAt position: Int64) throws -> [EventRow] {
        content.withLock { content in
            var rows: [EventRow] = []
            var position = position
            while position >= 1, position <= Int64(content.rows.count) {
                let row = content.rows[Int(position) - 1]
                rows.append(row)
                position = row.previous
            }
            return rows
        }
    }

    public func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        content.withLock { content in
            var low = 0
            var high = content.rows.count
            while low < high {
                let middle = (low + high) / 2
                if content.rows[middle].recordedAt <= instant {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return Int64(low)
        }
    }

    public func document(sha256: String) throws -> [UInt8]? {
        content.withLock { $0.documents[sha256] }
    }

    /// Counts appends: two ledgers may share one store.
    public func foreignChangeCounter() throws -> Int64 { content.withLock { $0.appendCount } }

    public func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
        try turn.withLock { _ in try body(Writer(store: self)) }
    }

    public func findings() throws -> [String] { [] }

    public func close() throws {}

    private struct Writer: StoreWriter {
        let store: InMemoryEventStore

        func append(_ batch: AppendBatch) throws {
            try store.content.withLock { content in
                try AppendGround(
                    head: content.head, nameCount: Int64(content.names.count),
                    streamCount: Int64(content.streams.count)
                ).check(batch)
                content.appendCount += 1
                content.names += batch.names
                content.streams += batch.streams
                content.rows += batch.rows
                for document in batch.documents {
                    content.documents[document.sha256] = document.bytes
                }
            }
        }
    }
}
