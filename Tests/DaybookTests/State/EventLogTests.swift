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
        let ledger = try Ledger(store: store, clock: { Fixtures.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
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
