import DaybookEvents
import DaybookStore
import Synchronization

/// A store with the checks that the real one leaves out for speed: unique indexes on (stream, version) and on
/// (environment, source, key).
///
/// It is the oracle of property tests: a ledger over this store must do exactly what a ledger over
/// the real one does, for the real one trusts its ledger where this one checks
/// (`docs/decisions/0003-append-path.md`).
final class UniqueIndexStore: EventStore {
    private struct StreamVersion: Hashable {
        var stream: UInt32
        var version: Int64
    }

    private struct SourceKey: Hashable {
        var environment: Environment
        var source: NameID
        var key: ExactText
    }

    private struct Indexes {
        var versions: Set<StreamVersion> = []
        var keys: Set<SourceKey> = []
        var environments: [UInt32: Environment] = [:]
    }

    private let store: InMemoryEventStore
    private let indexes = Mutex(Indexes())

    /// Makes an empty store.
    init(app: String) { store = InMemoryEventStore(app: app) }

    /// The app, with the ledger id and the secret that all stores in memory share.
    var header: StoreHeader { store.header }
    /// `memory`: what is acknowledged is gone with the process.
    var durability: String { store.durability }
    /// The last event; position 0 while there is none.
    func head() throws -> StoreHead { try store.head() }
    /// The last event with the name of its history.
    func end() throws -> StoreEnd { try store.end() }
    /// The name of the history up to a position; `nil` beyond the end.
    func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
        try store.point(at: position, names: names, streams: streams)
    }
    /// Whether the store's own history begins with this one.
    func confirms(_ point: HistoryPoint) throws -> Bool { try store.confirms(point) }
    /// Names with numbers above `count`, in order.
    func names(after count: Int) throws -> [String] { try store.names(after: count) }
    /// Streams with numbers above `id`, in order.
    func streams(after id: UInt32) throws -> [StreamRecord] { try store.streams(after: id) }

    /// Hands out whole rows after `start` up to and including `end`, in position order.
    func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        try store.scanRows(after: start, through: end, chunkCount: chunkCount, body)
    }

    /// The rows at these positions, in the given order; unknown positions are left out.
    func rows(at positions: [Int64]) throws -> [EventRow] { try store.rows(at: positions) }

    /// A stream's rows, newest first, from the one at a position on.
    func stream(endingAt position: Int64) throws -> [EventRow] {
        try store.stream(endingAt: position)
    }

    /// The last position that was recorded at or before a time; 0 if none was (rule 5).
    func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        try store.position(recordedAtOrBefore: instant)
    }

    /// A document by lower-case hexadecimal SHA-256; `nil`: there is none.
    func document(sha256: String) throws -> [UInt8]? { try store.document(sha256: sha256) }
    /// The number of batches that were appended.
    func foreignChangeCounter() throws -> Int64 { try store.foreignChangeCounter() }
    /// Empty: a store in memory has nothing to check beyond what it checks when a batch is appended.
    func findings() throws -> [String] { try store.findings() }
    /// Does nothing: a store in memory holds no file.
    func close() throws { try store.close() }

    /// Runs the body with the sole right to append.
    /// - Throws: `StoreError` of code `conflict` for a batch that a unique index refuses; else what the body throws.
    @discardableResult
    func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
        try store.exclusively { writer in try body(CheckingWriter(store: self, writer: writer)) }
    }

    /// Refuses a batch that a unique index would refuse.
    private func check(
        _ batch: AppendBatch, _ append: () throws -> HistoryPoint
    ) throws -> HistoryPoint {
        try indexes.withLock { indexes in
            var next = indexes
            for stream in batch.streams { next.environments[stream.id] = stream.environment }
            for row in batch.rows {
                let stream = row.event.stream
                guard let environment = next.environments[stream] else {
                    throw StoreError(.conflict, "stream \(stream) does not exist")
                }
                let version = StreamVersion(stream: stream, version: row.streamVersion)
                guard next.versions.insert(version).inserted else {
                    throw StoreError(
                        .conflict, "stream \(stream) has a version \(row.streamVersion) already")
                }
                let key = SourceKey(
                    environment: environment, source: row.event.source, key: ExactText(row.key))
                guard next.keys.insert(key).inserted else {
                    throw StoreError(
                        .conflict,
                        "the key of position \(row.event.position) is in the store already")
                }
            }
            let point = try append()
            indexes = next
            return point
        }
    }

    private struct CheckingWriter: StoreWriter {
        let store: UniqueIndexStore
        let writer: any StoreWriter

        func append(_ batch: AppendBatch) throws -> HistoryPoint {
            try store.check(batch) { try writer.append(batch) }
        }
    }
}
