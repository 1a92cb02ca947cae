import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Synchronization
import Testing

/// Events by stream, and a question that asks for the same ones again and again.
@Suite("Event log")
struct EventLogTests {
    private static let useCount = 20

    /// A ledger in which two customers use stories in turn.
    private func ledger(_ store: HookedStore) async throws -> Ledger {
        let ledger = try await store.dozzi()
        for index in 0..<Self.useCount {
            for subject in ["ada", "bob"] {
                let at = Fixtures.now - Int64(Self.useCount - index) * 60_000
                try await ledger.record([
                    .used("stories", at: at, ref: "\(subject)-\(index)", subject: subject)
                ])
            }
        }
        return ledger
    }

    @Test("A log that remembers gives at every cut what the store gives")
    func cuts() async throws {
        let store = HookedStore(app: "dozzi")
        let head = try await ledger(store).head().position
        let plain = EventLog(store: store, segments: nil)
        let remembering = plain.remembering()
        let heads = [head - 1, 0, head]
        // Not in the order of time: what was read for one cut must do for a later one.
        for cut in [head - 3, 1, 0, head, head + 1, head / 2, Int64.max] {
            let expected = try plain.streams(endingAt: heads, cut: cut)
            #expect(try remembering.streams(endingAt: heads, cut: cut) == expected, "cut \(cut)")
            for (head, events) in zip(heads, expected) {
                #expect(try remembering.stream(endingAt: head, cut: cut) == events)
            }
        }
        #expect(try plain.stream(endingAt: head, cut: Int64.max).count == Self.useCount)
    }

    @Test("A stream that is lent is the one that was asked for, whatever was lent before")
    func lending() async throws {
        let store = HookedStore(app: "dozzi")
        let head = try await ledger(store).head().position
        let log = EventLog(store: store, segments: nil)
        let all = try log.stream(endingAt: head, cut: Int64.max)
        let asked: [(head: Int64, cut: Int64)] = [
            (head, Int64.max), (head - 1, head / 2), (0, head), (head - 1, 1), (head, head - 1),
        ]
        for (last, cut) in asked {
            // A borrower may do with it what it wants.
            try log.withStream(endingAt: head, cut: Int64.max) { $0.append(all[0]) }
            let expected = try log.stream(endingAt: last, cut: cut)
            let lent = try log.withStream(endingAt: last, cut: cut) { $0 }
            #expect(lent == expected, "cut \(cut)")
            // Another one is lent meanwhile.
            try log.withStream(endingAt: head, cut: Int64.max) { outer in
                let inner = try log.withStream(endingAt: last, cut: cut) { $0 }
                #expect(inner == expected)
                #expect(outer == all)
            }
            #expect(throws: StoreError.self) {
                try log.withStream(endingAt: head, cut: Int64.max) { _ in
                    throw StoreError(.failed, "a fold that ends half-way")
                }
            }
        }
        let remembered = try log.remembering().withStream(endingAt: head, cut: head / 2) { $0 }
        #expect(remembered == (try log.stream(endingAt: head, cut: head / 2)))
    }

    @Test("An explanation and a plane read a customer's stream a few times, not once an event")
    func reading() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await ledger(store)
        let count = Mutex(0)
        store.before { call in
            if case .stream = call { count.withLock { $0 += 1 } }
        }
        // Each event is left out once.
        let explanation = try ledger.explain(CheckQuestion("stories"), for: "ada")
        #expect(explanation.silentCount + explanation.steps.count >= Self.useCount)
        #expect(count.withLock { $0 } <= 6, "by an explanation")
        count.withLock { $0 = 0 }
        _ = try ledger.beliefs(BeliefRequest("stories"), of: "ada")
        #expect(count.withLock { $0 } <= 6, "by a plane")
    }
}
