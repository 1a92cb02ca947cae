public import DaybookEvents
import Synchronization

/// A store for tests and examples: the same contract, nothing on disk.
public final class InMemoryEventStore: EventCursorStore {
    private struct Content {
        var kept = MemoryRows(
            upon: AppendGround(
                head: StoreHead(position: 0, recordedAt: 0), nameCount: 0, streamCount: 0))
        var history: MemoryHistory
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
        content.withLock { $0.kept.ground.head }
    }

    /// The last event and the name of everything up to it, of one moment.
    public func end() throws -> StoreEnd {
        content.withLock { StoreEnd(head: $0.kept.ground.head, history: $0.history.end) }
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
        content.withLock { Array($0.kept.names(after: count)) }
    }

    /// Streams with numbers above a number, in order.
    public func streams(after id: UInt32) throws -> [StreamRecord] {
        content.withLock { Array($0.kept.streams(after: Int(id))) }
    }

    /// Hands out rows in position order, as they were at the beginning: what is appended meanwhile is left out.
    public func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        let kept = content.withLock { $0.kept }
        try kept.forEachChunk(after: start, through: end, chunkCount: chunkCount, body)
    }

    /// The rows at these positions, in the given order; unknown positions are left out.
    public func rows(at positions: [Int64]) throws -> [EventRow] {
        content.withLock { content in positions.compactMap(content.kept.row) }
    }

    /// A stream's rows, newest first; none for an unknown position.
    public func stream(endingAt position: Int64) throws -> [EventRow] {
        content.withLock { $0.kept.walk(from: position, above: 0).rows }
    }

    /// The last position recorded by a time; 0 when there is none.
    /// - Complexity: O(log *n*): the recorded time never goes back.
    public func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        content.withLock { $0.kept.position(recordedAtOrBefore: instant) ?? 0 }
    }

    /// The bytes of a document by its SHA-256 in lower-case hexadecimal; `nil` when it is not there.
    public func document(sha256: String) throws -> [UInt8]? {
        content.withLock { $0.kept.documents[sha256] }
    }

    /// Counts appends: two ledgers may share one store.
    public func foreignChangeCounter() throws -> Int64 { content.withLock { $0.kept.appendCount } }

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
        of batch: AppendBatch, _ kept: MemoryRows
    ) -> [HistoryHash] {
        guard batch.digests.isEmpty else { return batch.digests }
        func name(_ id: NameID) -> String { id == 0 ? "" : kept.names[Int(id) - 1] }
        let digest = RowDigest(header.secret)
        return batch.rows.map { row in
            let stream = kept.streams[Int(row.event.stream) - 1]
            return digest.of(
                row, RowDigest.Names(row.event, name),
                in: StreamName(stream.environment, stream.kind, name(stream.name)))
        }
    }

    private struct Writer: StoreWriter {
        let store: InMemoryEventStore

        func append(_ batch: AppendBatch) throws -> HistoryPoint {
            try store.content.withLock { content in
                try content.kept.ground.check(batch)
                if let expected = batch.expectedHistory, expected != content.history.end.hash {
                    throw StoreError.otherHistory(
                        "the ledger in memory", "what was to be appended was decided upon",
                        expected, at: batch.expectedHead, content.history.end)
                }
                content.kept.append(batch)
                content.history.append(batch, digests: store.digests(of: batch, content.kept))
                return content.history.end
            }
        }
    }
}
