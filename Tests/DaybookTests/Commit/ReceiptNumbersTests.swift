import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// The numbers of a receipt, whichever thread works them out.
@Suite("Receipts have the numbers after their own use")
struct ReceiptNumbersTests {
    private static let usedBefore = 6_000

    /// A customer of whom a case takes so much memory that a group holds only some of them.
    private static func ledger() async throws -> Ledger {
        let ledger = try Ledger(inMemory: Workload.app, clock: { Fixtures.now })
        try await ledger.publish(
            CatalogPublication(document: Array(Workload.catalog.utf8), effectiveAt: 0))
        try await ledger.record(
            (0..<usedBefore).map { number in
                EventDraft(
                    type: .usageRecorded, environment: .production,
                    subject: "ada",
                    occurredAt: Fixtures.now - 1_000_000 + Int64(number),
                    source: EventSource(kind: "native", key: "before \(number)"), trust: .imported,
                    data: ["meter": .string(Workload.meter), "amount": 1])
            })
        return ledger
    }

    @Test(
        "Of a large group each receipt counts up to its own use, and a repeated key gets it again")
    func group() async throws {
        let ledger = try await Self.ledger()
        let requests = (0..<120).map { number in
            CommandRequest(
                .consume(meter: Workload.meter, amount: 1, ref: "r\(number)"), subject: "ada",
                key: "k\(number)")
        }
        let receipts = try ledger.writer.performTogether(requests).map { try $0.get() }
        #expect(receipts.count == requests.count)
        for (number, receipt) in receipts.enumerated() {
            #expect(receipt.decision?.usage?.used == Int64(Self.usedBefore + number + 1))
        }
        let again = try ledger.writer.performTogether(requests).map { try $0.get() }
        #expect(again == receipts)
    }

    /// A meter of those whose dog has ninety days of walks, which are an hour shorter where clocks go forward.
    private static let walks = """
        app: walks
        title: Walks
        defaultTimeZone: Europe/Amsterdam
        features:
          walks: { scope: profile }
        meters:
          rides: { kind: counter, limit: 10, requires: walks }
        freePeriods:
          puppy: { profileKind: dog, duration: P90D, features: [walks] }

        """

    @Test("A zone that is told in the same group rules the free period that begins in it")
    func zoneOfGroup() async throws {
        let ledger = try Ledger(inMemory: "walks", clock: { Fixtures.now })
        try await ledger.publish(
            CatalogPublication(document: Array(Self.walks.utf8), effectiveAt: 0))
        func end(_ subject: String, _ first: [Command]) throws -> Int64? {
            let commands =
                first + [
                    .createProfile(profile: "rex", kind: "dog", freeStartedAt: nil),
                    .consume(meter: "rides", amount: 1, ref: nil),
                ]
            let requests = commands.enumerated().map { index, command in
                CommandRequest(
                    command, subject: subject, key: "\(subject) \(index)",
                    profile: index == commands.count - 1 ? "rex" : nil)
            }
            let receipts = try ledger.writer.performTogether(requests).map { try $0.get() }
            return receipts.last?.decision?.source?.expiresAt
        }
        // No catalog names this zone, and no event did before.
        let told = try #require(try end("ada", [.changeTimeZone("Pacific/Kiritimati")]))
        let question = CheckQuestion("rides", profile: "rex")
        #expect(try ledger.check(question, for: "ada").decision.source?.expiresAt == told)
        #expect(try end("bob", []) != told)
    }

    @Test("A customer whom only a store knew is new with the first use, and its receipt says so")
    func firstSeen() async throws {
        let fixture = try await LedgerFixture("magical-stories")
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        let now = Fixtures.now
        let day = LedgerFixture.day
        try await fixture.record(
            lineage.started("1", from: now - 90 * day, until: now - 60 * day))
        try await fixture.publish(replacing: ["limit: 3\n": "limit: 5\n"], scope: .newSubjects)
        fixture.clock.now += day
        #expect(try fixture.ledger.check("stories", for: "ada").usage?.limit == 3)
        let receipt = try await fixture.ledger.consume("stories", by: "ada", ref: "s1", key: "use")
        #expect(receipt.decision?.usage?.limit == 5)
        #expect(receipt.decision?.usage?.used == 1)
        #expect(try fixture.ledger.check("stories", for: "ada").usage?.limit == 5)
    }
}
