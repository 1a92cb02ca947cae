import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Synchronization

/// A store in memory that runs a test's hook before and after a commit, and before names, streams or events are read.
final class HookedStore: EventStore {
    enum Call: Sendable, Equatable {
        case commit
        /// What was committed is in the store, and its ledger has not been told yet.
        case committed
        case names
        case streams
        case rows
        case scan
        /// - Parameter through: The position that the stream is read back from.
        case stream(through: Int64)
    }

    /// What fails until something else is said.
    enum Fault: Sendable { case none, commit, rows }

    typealias Hook = @Sendable (Call) throws -> Void

    private let inner: InMemoryEventStore
    private let hook = Mutex<Hook>({ _ in })

    init(app: String) { inner = InMemoryEventStore(app: app) }

    /// A ledger in this store whose first event is the catalog of Dozzi, in effect from 1970 on.
    /// - Parameter now: Where its clock stands, in milliseconds since 1970 UTC.
    func dozzi(now: Int64 = Fixtures.now) async throws -> Ledger {
        let ledger = try Ledger(store: self, clock: { now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        return ledger
    }

    /// - Parameter hook: What it throws, the call throws.
    func before(_ hook: @escaping Hook) { self.hook.withLock { $0 = hook } }

    func fail(_ fault: Fault) {
        before { call in
            let isMeant =
                switch fault {
                case .none: false
                case .commit: call == .commit
                case .rows: ![.commit, .committed, .names, .streams, .scan].contains(call)
                }
            guard isMeant else { return }
            throw StoreError(.failed, "the test lets \(fault) fail")
        }
    }

    private func announce(_ call: Call) throws {
        // Not under the mutex: a hook may wait for another call.
        try hook.withLock { $0 }(call)
    }

    var header: StoreHeader { inner.header }
    var durability: String { inner.durability }
    func head() throws -> StoreHead { try inner.head() }
    func end() throws -> StoreEnd { try inner.end() }
    func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
        try inner.point(at: position, names: names, streams: streams)
    }
    func confirms(_ point: HistoryPoint) throws -> Bool { try inner.confirms(point) }
    func names(after count: Int) throws -> [String] {
        try announce(.names)
        return try inner.names(after: count)
    }
    func streams(after id: UInt32) throws -> [StreamRecord] {
        try announce(.streams)
        return try inner.streams(after: id)
    }
    func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        try announce(.scan)
        try inner.scan(after: start, through: end, chunkCount: chunkCount, body)
    }
    func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        try inner.scanRows(after: start, through: end, chunkCount: chunkCount, body)
    }
    func rows(at positions: [Int64]) throws -> [EventRow] {
        try announce(.rows)
        return try inner.rows(at: positions)
    }
    func stream(endingAt position: Int64) throws -> [EventRow] {
        try announce(.stream(through: position))
        return try inner.stream(endingAt: position)
    }
    func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        try inner.position(recordedAtOrBefore: instant)
    }
    func document(sha256: String) throws -> [UInt8]? { try inner.document(sha256: sha256) }
    func foreignChangeCounter() throws -> Int64 { try inner.foreignChangeCounter() }
    @discardableResult
    func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
        try inner.exclusively { writer in try body(Writer(store: self, inner: writer)) }
    }
    func findings() throws -> [String] { try inner.findings() }
    func close() throws { try inner.close() }

    private struct Writer: StoreWriter {
        let store: HookedStore
        let inner: any StoreWriter
        func append(_ batch: AppendBatch) throws -> HistoryPoint {
            try store.announce(.commit)
            let point = try inner.append(batch)
            try store.announce(.committed)
            return point
        }
    }
}
