import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Dispatch
import Synchronization
import Testing

/// One customer with very many events, and the others, who do not wait for them.
@Suite("Long aggregates")
struct LongAggregateTests {
    /// A ledger that has nothing at hand, and whose next reader of ada's events waits until the test lets it go on.
    private struct Bench {
        let ledger: Ledger
        let reached = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        /// Signalled where the reader went on by itself, because nothing let it go on in time.
        let late = DispatchSemaphore(value: 0)

        /// A reader that never comes is a failure instead of a wait for ever.
        func expectReached() throws {
            try #require(reached.wait(timeout: .now() + 60) == .success)
        }

        /// Others did not wait for the reader until it went on by itself; to be asked once it has ended.
        func expectOthersWent() {
            #expect(late.wait(timeout: .now()) == .timedOut, "others waited for ada's events")
        }
    }

    /// Of ada's events: what is folded beside the state in any case, and what is folded before others have to wait.
    private static let counts = [1, Int(LedgerCore.eventsUnderLockMax) + 1]

    private func bench(_ count: Int) async throws -> Bench {
        let store = HookedStore(app: "dozzi")
        let first = try await store.dozzi()
        try await first.record([.used("stories", at: Fixtures.now - 1, ref: "b1", subject: "bob")])
        try await first.record(
            (0..<count).map {
                .reported(.appLaunched, at: Fixtures.now - Int64($0), key: "launch-\($0)")
            })
        let head = try first.head().position
        let bench = Bench(ledger: try Ledger(store: store, clock: { Fixtures.now }))
        let isWaiting = Atomic(false)
        let (reached, goesOn, late) = (bench.reached, bench.goesOn, bench.late)
        store.before { call in
            guard call == .stream(through: head),
                !isWaiting.exchange(true, ordering: .acquiringAndReleasing)
            else { return }
            reached.signal()
            if goesOn.wait(timeout: .now() + 60) == .timedOut { late.signal() }
        }
        return bench
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

    @Test(
        "While one customer's events are read, others get their answers, and are written for",
        arguments: counts)
    func answers(_ count: Int) async throws {
        let bench = try await bench(count)
        let ledger = bench.ledger
        let answered = Mutex<Result<Int64?, any Error>?>(nil)
        let asked = detached {
            let answer = Result { try ledger.check("stories", for: "ada").usage?.used }
            answered.withLock { $0 = answer }
        }
        try bench.expectReached()
        #expect(try ledger.check("stories", for: "bob").usage?.used == 1)
        #expect(try ledger.head().position > count)
        try await ledger.consume("stories", by: "bob", ref: "b2")
        #expect(try ledger.check("stories", for: "bob").usage?.used == 2)
        bench.goesOn.signal()
        asked.wait()
        bench.expectOthersWent()
        #expect(try answered.withLock { try $0?.get() } == 0)
    }

    @Test("While a customer is decided about, others get their answers", arguments: counts)
    func decisions(_ count: Int) async throws {
        let bench = try await bench(count)
        let ledger = bench.ledger
        let results = Mutex([Result<Receipt, LedgerError>]())
        let decided = detached {
            let made = ledger.writer.performTogether([
                CommandRequest(.consume(meter: "stories", amount: 1, ref: "a1"), subject: "ada")
            ])
            results.withLock { $0 = made }
        }
        try bench.expectReached()
        #expect(try ledger.check("stories", for: "bob").usage?.used == 1)
        bench.goesOn.signal()
        decided.wait()
        bench.expectOthersWent()
        #expect(try results.withLock { try $0.first?.get().decision?.usage?.used } == 1)
        // The aggregate is at hand now, and is not read again.
        #expect(try ledger.check("stories", for: "ada").usage?.used == 1)
    }

    @Test("While the keys of all events are read for the first time, others get their answers")
    func keys() async throws {
        let store = HookedStore(app: "dozzi")
        let first = try await store.dozzi()
        try await first.record([.used("stories", at: Fixtures.now - 2, ref: "b1", subject: "bob")])
        let ledger = try Ledger(store: store, clock: { Fixtures.now })
        #expect(try ledger.check("stories", for: "bob").usage?.used == 1)
        let isReading = Atomic(false)
        let answered = Mutex<Result<Int64?, any Error>?>(nil)
        store.before { call in
            guard call == .scan, !isReading.exchange(true, ordering: .acquiringAndReleasing)
            else { return }
            let asked = detached {
                let answer = Result { try ledger.check("stories", for: "bob").usage?.used }
                answered.withLock { $0 = answer }
            }
            // An answer that waits for the keys is a failure instead of a wait for ever.
            guard asked.wait(timeout: .now() + 60) == .success else {
                throw StoreError(.failed, "a question waited for the keys")
            }
        }
        try await ledger.record([.used("stories", at: Fixtures.now - 1, ref: "b2", subject: "bob")])
        let wasReading = isReading.load(ordering: .acquiring)
        #expect(wasReading)
        #expect(try answered.withLock { try $0?.get() } == 1)
        #expect(try ledger.check("stories", for: "bob").usage?.used == 2)
    }
}
