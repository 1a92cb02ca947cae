public import DaybookEvents
import Synchronization

/// A store for tests and examples: the same contract, nothing on disk.
public final class InMemoryEventStore: EventCursorStore {
    private struct Content {
        var names: [String] = []
        var streams: [StreamRecord] = []
        var rows: [EventRow] = []
        var documents: [String: [UInt8]] = [:]
        var appendCount: Int64 = 0
        var history: MemoryHistory

        var head: StoreHead {
            StoreHead(position: Int64(rows.count), recordedAt: rows.last?.recordedAt ?? 0)
        }
    }

    /// Its secret is the same in every run (`LedgerSecret.ofMemory`).
    public let header: StoreHeader
    private let content: Mutex<Content>
    /// Serialises `exclusively`; `content` is only held for moments.
    private let turn = Mutex(())

    /// Creates an empty store; the ledger's id is part of every hash of its history.
    public init(app: String, ledgerID: String = "in-memory") {
        header = StoreHeader(
            app: app, ledgerID: ledgerID, schemaVersion: 2, secret: .ofMemory)
        content = Mutex(Content(history: MemoryHistory(ledgerID: ledgerID)))
    }

    /// A store that begins with everything that another one holds now, and goes its own way.
    public init(copying other: InMemoryEventStore) {
        header = other.header
        content = Mutex(other.content.withLock { $0 })
    }

    /// `memory`: nothing outlives the process.
    public var durability: String { "memory" }

    /// The last event; position and time are 0 in an empty store.
    public func head() throws -> StoreHead {
        content.withLock { $0.head }
    }

    /// The last event and the name of everything up to it, of one moment.
    public func end() throws -> StoreEnd {
        content.withLock { StoreEnd(head: $0.head, history: $0.history.end) }
    }

    /// The name of the history up to a position; `nil` beyond the end, or where there are fewer names or streams.
    /// - Complexity: Hashes the rows since the end of the last complete block, 255 at most.
    public func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
        content.withLock { $0.history.point(at: position, names: names, streams: streams) }
    }

    /// Whether the history has this one for its beginning.
    /// - Complexity: As of `point(at:names:streams:)`.
    public func confirms(_ point: HistoryPoint) throws -> Bool {
        content.withLock { $0.history.confirms(point) }
    }

    /// The cursor after the event at a position, without names and streams; `nil` beyond the end.
    public func storedEventCursor(at position: Int64) throws -> HistoryCursor? {
        content.withLock { $0.history.eventCursor(at: position) }
    }

    /// Names with numbers above a count, in order.
    public func names(after count: Int) throws -> [String] {
        content.withLock { Array($0.names.dropFirst(count)) }
    }

    /// Streams with numbers above a number, in order.
    public func streams(after id: UInt32) throws -> [StreamRecord] {
        content.withLock { Array($0.streams.dropFirst(Int(id))) }
    }

    /// Hands out events in position order, with all their slots.
    public func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        try scanRows(after: start, through: end, chunkCount: chunkCount) { rows in
            try body(rows.map(\.event))
        }
    }

    /// Hands out rows in position order, as they were at the beginning: what is appended meanwhile is left out.
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

    /// The rows at these positions, in the given order; unknown positions are left out.
    public func rows(at positions: [Int64]) throws -> [EventRow] {
        content.withLock { content in
            positions.compactMap { position in
                position >= 1 && position <= Int64(content.rows.count)
                    ? content.rows[Int(position) - 1] : nil
            }
        }
    }

    /// A stream's rows, newest first; none for an unknown position.
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

    /// The last position recorded by a time; 0 when there is none.
    /// - Complexity: O(log *n*): the recorded time never goes back.
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

    /// The bytes of a document by its SHA-256 in lower-case hexadecimal; `nil` when it is not there.
    public func document(sha256: String) throws -> [UInt8]? {
        content.withLock { $0.documents[sha256] }
    }

    /// Counts appends: two ledgers may share one store.
    public func foreignChangeCounter() throws -> Int64 { content.withLock { $0.appendCount } }

    /// Runs the body while no other thread can append; the body must not call it again.
    ///
    /// What was appended stays when the body throws afterwards.
    @discardableResult
    public func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
        try turn.withLock { _ in try body(Writer(store: self)) }
    }

    /// Always empty: there is no file that could be damaged.
    public func findings() throws -> [String] { [] }

    /// Does nothing; the store can be used afterwards.
    public func close() throws {}

    private func digests(
        of batch: AppendBatch, _ names: [String], _ streams: [StreamRecord]
    ) -> [HistoryHash] {
        guard batch.digests.isEmpty else { return batch.digests }
        func name(_ id: NameID) -> String { id == 0 ? "" : names[Int(id) - 1] }
        var digest = RowDigest(header.secret)
        return batch.rows.map { row in
            let stream = streams[Int(row.event.stream) - 1]
            return digest.of(
                row, RowDigest.Names(row.event, name),
                in: StreamName(stream.environment, stream.kind, name(stream.name)))
        }
    }

    private struct Writer: StoreWriter {
        let store: InMemoryEventStore

        func append(_ batch: AppendBatch) throws -> HistoryPoint {
            try store.content.withLock { content in
                try AppendGround(
                    head: content.head, nameCount: Int64(content.names.count),
                    streamCount: Int64(content.streams.count)
                ).check(batch)
                if let expected = batch.expectedHistory, expected != content.history.end.hash {
                    throw StoreError.otherHistory(
                        "the ledger in memory", "what was to be appended was decided upon",
                        expected, at: batch.expectedHead, content.history.end)
                }
                content.appendCount += 1
                content.names += batch.names
                content.streams += batch.streams
                content.rows += batch.rows
                for document in batch.documents {
                    content.documents[document.sha256] = document.bytes
                }
                content.history.append(
                    batch, digests: store.digests(of: batch, content.names, content.streams))
                return content.history.end
            }
        }
    }
}
