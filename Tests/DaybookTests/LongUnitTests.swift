import Daybook
import DaybookDomain
import DaybookEvents
import DaybookStore
import DaybookTesting
import Dispatch
import Synchronization
import Testing

/// One customer with very many events, and everybody else, who does not wait for them.
@Suite("Long units")
struct LongUnitTests {
    /// Reading some customer's events waits until the test lets it go on.
    private final class GatedStore: EventStore {
        private let inner = InMemoryEventStore(app: "dozzi")
        private let longest = Atomic<Int64>(0)
        let reached = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)

        /// Whoever reads the events up to this position next has to wait.
        func gate(_ position: Int64) { longest.store(position, ordering: .releasing) }

        var header: StoreHeader { inner.header }
        var durability: String { inner.durability }
        func head() throws -> StoreHead { try inner.head() }
        func end() throws -> StoreEnd { try inner.end() }
        func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
            try inner.point(at: position, names: names, streams: streams)
        }
        func confirms(_ point: HistoryPoint) throws -> Bool { try inner.confirms(point) }
        func names(after count: Int) throws -> [String] { try inner.names(after: count) }
        func streams(after id: UInt32) throws -> [StreamRecord] { try inner.streams(after: id) }
        func scan(
            after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
            _ body: (borrowing [Event]) throws -> Void
        ) throws {
            try inner.scan(after: start, through: end, chunkCount: chunkCount, body)
        }
        func scanRows(
            after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
            _ body: ([EventRow]) throws -> Void
        ) throws {
            try inner.scanRows(after: start, through: end, chunkCount: chunkCount, body)
        }
        func rows(at positions: [Int64]) throws -> [EventRow] { try inner.rows(at: positions) }
        func stream(endingAt position: Int64) throws -> [EventRow] {
            let isGated = longest.compareExchange(
                expected: position, desired: 0, ordering: .acquiringAndReleasing
            ).exchanged
            if isGated {
                reached.signal()
                goesOn.wait()
            }
            return try inner.stream(endingAt: position)
        }
        func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
            try inner.position(recordedAtOrBefore: instant)
        }
        func document(sha256: String) throws -> [UInt8]? { try inner.document(sha256: sha256) }
        func foreignChangeCounter() throws -> Int64 { try inner.foreignChangeCounter() }
        func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
            try inner.exclusively(body)
        }
        func findings() throws -> [String] { try inner.findings() }
        func close() throws { try inner.close() }
    }

    private func bench() async throws -> (store: GatedStore, ledger: Ledger) {
        let store = GatedStore()
        let first = try Ledger(store: store, clock: { Fixtures.now })
        try await first.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        try await first.record([.used("stories", at: Fixtures.now - 1, ref: "b1", subject: "bob")])
        let count = Int(Ledger.eventsUnderLockMax) + 1
        try await first.record(
            (0..<count).map {
                .reported("app.launched", at: Fixtures.now - Int64($0), key: "launch-\($0)")
            })
        let head = try first.head().position
        // A ledger that has nothing at hand.
        let ledger = try Ledger(store: store, clock: { Fixtures.now })
        store.gate(head)
        return (store, ledger)
    }

    /// Runs on a thread of its own, which may wait.
    private func detached(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue(label: "long").async {
            body()
            ended.signal()
        }
        return ended
    }

    @Test("While one customer's events are read, others get their answers, and are written for")
    func answers() async throws {
        let (store, ledger) = try await bench()
        let asked = detached { _ = try? ledger.check("stories", for: "ada") }
        store.reached.wait()
        #expect(try ledger.check("stories", for: "bob").usage?.used == 1)
        #expect(try ledger.head().position > Ledger.eventsUnderLockMax)
        try await ledger.consume("stories", by: "bob", ref: "b2")
        #expect(try ledger.check("stories", for: "bob").usage?.used == 2)
        store.goesOn.signal()
        asked.wait()
    }

    @Test("While somebody with many events is decided about, others get their answers")
    func decisions() async throws {
        let (store, ledger) = try await bench()
        let results = Mutex([Result<Receipt, LedgerError>]())
        let decided = detached {
            let made = ledger.performTogether([
                CommandRequest(.consume(meter: "stories", amount: 1, ref: "a1"), subject: "ada")
            ])
            results.withLock { $0 = made }
        }
        store.reached.wait()
        #expect(try ledger.check("stories", for: "bob").usage?.used == 1)
        store.goesOn.signal()
        decided.wait()
        #expect(try results.withLock { try $0.first?.get().decision?.usage?.used } == 1)
        // It is at hand now: nobody reads it again.
        #expect(try ledger.check("stories", for: "ada").usage?.used == 1)
    }
}
