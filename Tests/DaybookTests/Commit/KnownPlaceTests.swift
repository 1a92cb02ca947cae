import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Batches large enough that streams and keys are looked up before the writer has them.
@Suite("Reports that are looked up ahead")
struct KnownPlaceTests {
    private static let batchCount = 1_000
    private static let sealedCount = 16_384

    private static func uses(_ range: Range<Int>) -> [EventDraft] {
        range.map { number in
            .used(
                "stories", at: LedgerFixture.start - Int64(number), ref: "r\(number)",
                subject: "customer \(number % 300)")
        }
    }

    /// Each customer has its own events and no other's.
    private static func expectOwnStreams(_ ledger: Ledger, _ count: Int) throws {
        for customer in [0, 7, 299] {
            let refs = try ledger.history(of: "customer \(customer)").map {
                $0.event.draft.data["ref"]?.text
            }
            let own = stride(from: customer, to: count, by: 300).map { "r\($0)" }
            #expect(Set(refs) == Set(own) && refs.count == own.count, "customer \(customer)")
        }
    }

    @Test("What is there is found, in sealed runs and behind them, and a changed event is refused")
    func repeated() async throws {
        let ledger = try await Fixtures.ledger("dozzi")
        let count = 2 * Self.sealedCount + Self.batchCount
        for start in stride(from: 0, to: count, by: Self.batchCount) {
            let batch = Self.uses(start..<min(start + Self.batchCount, count))
            let receipt = try await ledger.record(batch)
            #expect(receipt.appended == batch.count && receipt.duplicates == 0)
        }
        let head = try ledger.head().position
        for start in [0, Self.sealedCount - 500, Self.sealedCount + 1, count - Self.batchCount] {
            let known = Self.uses(start..<start + Self.batchCount)
            let again = try await ledger.record(known)
            #expect(again.appended == 0 && again.duplicates == known.count, "\(start)")
            var changed = known
            changed[777].data["amount"] = 2
            do {
                try await ledger.record(changed)
                Issue.record("a key got a second event")
            } catch LedgerError.badInput(let problems) {
                #expect(problems.map(\.code) == ["idempotency_conflict"], "\(start)")
            }
        }
        // New events between known ones.
        let mixed = Self.uses(count - 200..<count + 200)
        let receipt = try await ledger.record(mixed)
        #expect(receipt.appended == 200 && receipt.duplicates == 200)
        #expect(try ledger.head().position == head + 200)
        try Self.expectOwnStreams(ledger, count + 200)
    }

    @Test("Four senders of the same events at once: each event once, in its customer's stream")
    func together() async throws {
        let ledger = try await Fixtures.ledger("dozzi")
        let count = Self.sealedCount + 2 * Self.batchCount
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var appended = 0
                    for start in stride(from: 0, to: count, by: Self.batchCount) {
                        let batch = Self.uses(start..<min(start + Self.batchCount, count))
                        let receipt = try await ledger.record(batch)
                        #expect(receipt.appended + receipt.duplicates == batch.count)
                        appended += receipt.appended
                    }
                    return appended
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == count)
        #expect(try ledger.subjects(in: .production).count == 300)
        try Self.expectOwnStreams(ledger, count)
        #expect(try ledger.replay().agrees)
    }

    @Test("Events under an app's own names are looked up as what the names stand for")
    func ownNames() async throws {
        let document = """
            app: walks
            meters:
              walks: { kind: counter, limit: 300 }
            eventNames:
              walked:
                event: usage.recorded
                data: { meter: walks }
                defaults: { amount: 1 }
                members: { walk: ref }

            """
        let ledger = try Ledger(inMemory: "walks", clock: { LedgerFixture.start })
        try await ledger.publish(CatalogPublication(document: Array(document.utf8)))
        let batch = (0..<300).map { number in
            EventDraft.reported(
                EventTypeName(rawValue: "walked"), at: LedgerFixture.start - 1,
                key: "walk \(number)", subject: "customer \(number % 2)",
                ["walk": .string("walk \(number)")])
        }
        #expect(try await ledger.record(batch).appended == 300)
        #expect(try await ledger.record(batch).duplicates == 300)
        #expect(try ledger.check("walks", for: "customer 1").usage?.used == 150)
        #expect(try ledger.replay().agrees)
    }
}
