import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Synchronization
import Testing

/// Rule 24: what could be said about the past before, and cannot any more.
@Suite("Restatements")
struct RestatementTests {
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_767_225_600_000

    private final class Clock: Sendable {
        private let now = Mutex(RestatementTests.start)
        func set(_ instant: Int64) { now.withLock { $0 = instant } }
        var read: @Sendable () -> Int64 { { self.now.withLock { $0 } } }
    }

    private static func purchase(at instant: Int64) -> EventDraft {
        EventDraft(
            type: .purchaseCompleted, subject: "ada", occurredAt: instant,
            source: EventSource(kind: "apple", key: "buy", signedAt: instant), trust: .verified,
            data: [
                "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                "transaction_id": "t1", "original_transaction_id": "t1", "quantity": 1,
                "price_milli": 2_990, "currency": "USD", "starts_at": .integer(instant),
            ])
    }

    private static func refund(at instant: Int64, signedAt: Int64) -> EventDraft {
        EventDraft(
            type: .purchaseRefunded, subject: "ada", occurredAt: instant,
            source: EventSource(kind: "apple", key: "refund", signedAt: signedAt),
            trust: .verified,
            data: [
                "transaction_id": "t1", "original_transaction_id": "t1",
                "revoked_at": .integer(instant), "kind": "non_consumable",
            ])
    }

    private static func ledger(_ clock: Clock) async throws -> Ledger {
        let ledger = try Ledger(inMemory: "dozzi", clock: clock.read)
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        return ledger
    }

    @Test("A refund that is told two days late restates those two days, and nothing else")
    func lateRefund() async throws {
        let clock = Clock()
        let ledger = try await Self.ledger(clock)
        let product = try #require(try Fixtures.catalog("dozzi").products.first)
        let name = try #require(product.entitlements.first)
        var purchase = Self.purchase(at: Self.start)
        purchase.data["product"] = .string(product.id)
        let bought = try await ledger.record(
            [purchase], options: ReportOptions(isRestating: true))
        // Nothing was known of ada before.
        #expect(bought.restatements == [])
        clock.set(Self.start + 10 * Self.day)
        let refundAt = Self.start + 8 * Self.day
        let receipt = try await ledger.record(
            [Self.refund(at: refundAt, signedAt: clock.read())],
            options: ReportOptions(isRestating: true))
        let found = try #require(receipt.restatements.first)
        #expect(receipt.restatements.count == 1)
        #expect(found.subject == "ada")
        let access = found.restatements.filter { $0.name == name }
        #expect(access.count == 1)
        #expect(access.first?.from == refundAt)
        #expect(access.first?.until == Self.start + 10 * Self.day)
        guard case .access(true, _) = access.first?.before,
            case .access(false, let state) = access.first?.after
        else {
            Issue.record("\(access)")
            return
        }
        #expect(state == .refunded)
        // The same question again is the same answer: it is computed from two cuts.
        let position = try #require(receipt.firstPosition)
        #expect(
            try ledger.restatements(of: "ada", from: position, through: position)
                == found.restatements)
    }

    @Test("Moments at which an answer stays what it was do not part a stretch")
    func joined() async throws {
        let clock = Clock()
        let ledger = try await Self.ledger(clock)
        try await ledger.consume("stories", by: "ada", ref: "s1")
        clock.set(Self.start + 3 * Self.day)
        try await ledger.record([
            .reported(.appLaunched, at: Self.start + 3 * Self.day, key: "launch", subject: "ada")
        ])
        clock.set(Self.start + 5 * Self.day)
        let late = EventDraft.used("stories", at: Self.start + Self.day, ref: "s2")
        let receipt = try await ledger.record([late], options: ReportOptions(isRestating: true))
        let stories = receipt.restatements.flatMap(\.restatements).filter { $0.name == "stories" }
        #expect(
            stories.map { [$0.from, $0.until] } == [
                [Self.start + Self.day, Self.start + 5 * Self.day]
            ])
    }

    @Test(
        "Usage that comes late restates the counter from its own time on; voiding it takes that back"
    )
    func lateUsage() async throws {
        let clock = Clock()
        let ledger = try await Self.ledger(clock)
        try await ledger.consume("stories", by: "ada", ref: "s1")
        clock.set(Self.start + 5 * Self.day)
        let late = EventDraft(
            type: .usageRecorded, subject: "ada", occurredAt: Self.start + Self.day,
            source: EventSource(kind: "native", key: "late"), trust: .imported,
            data: ["meter": "stories", "amount": 1, "ref": "s2"])
        let receipt = try await ledger.record([late], options: ReportOptions(isRestating: true))
        let stories = receipt.restatements.flatMap(\.restatements).filter { $0.name == "stories" }
        #expect(
            stories == [
                Restatement(
                    name: "stories", profile: nil, from: Self.start + Self.day,
                    until: Self.start + 5 * Self.day, before: .usage(used: 1, limit: 2),
                    after: .usage(used: 2, limit: 2))
            ])
        clock.set(Self.start + 6 * Self.day)
        let voided = try await ledger.perform(
            CommandRequest(
                .voidEvent(source: "native", key: "late"), subject: "ada",
                actor: "support", reason: "a test", ticket: "T-1"),
            isRestating: true)
        let back = voided.restatements.flatMap(\.restatements).filter { $0.name == "stories" }
        #expect(back.first?.from == Self.start + Self.day)
        #expect(back.first?.until == Self.start + 6 * Self.day)
        #expect(back.first?.after == .usage(used: 1, limit: 2))
        // A use at the ledger's own clock changes nothing that was said before.
        let now = try await ledger.perform(
            CommandRequest(
                .consume(meter: "stories", amount: 1, ref: "s3"), subject: "ada"),
            isRestating: true)
        #expect(now.restatements == [])
    }
}
