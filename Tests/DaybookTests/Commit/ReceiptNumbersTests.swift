import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
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
}
