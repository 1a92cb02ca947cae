import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// A subscriber document fills in what no other source has said, and takes nothing from any customer.
@Suite("RevenueCat's subscriber documents beside other sources")
struct SubscriberWitnessTests {
    private static let monthStart = instant("2026-01-01T00:00:00Z")
    private static let monthEnd = instant("2026-02-01T00:00:00Z")
    private static let off = ["unsubscribe_detected_at": #""2026-01-10T00:00:00Z""#]
    private static let refund = ["refunded_at": #""2026-01-12T00:00:00Z""#]
    private let fixture: LedgerFixture

    init() async throws {
        fixture = try await LedgerFixture("nuzzle")
        // After every document.
        fixture.clock.now = Fixtures.now + 12 * LedgerFixture.hour
    }

    /// The lineage as Apple tells of it.
    private static func lineage(_ name: String = "9100", of subject: String? = "ada")
        -> LineageFixture
    {
        LineageFixture(name, product: SubscriberMonth.product, subject: subject)
    }

    @discardableResult
    private func take(
        _ changes: [String: String] = [:], hours: Int64 = 0
    ) async throws -> IngestReceipt {
        try await fixture.take(SubscriberMonth.monthly(changes, hours: hours))
    }

    // MARK: What other sources said

    @Test("A period that Apple told is no news, and the renewal that Apple said is off stays off")
    func signed() async throws {
        try await fixture.record(
            Self.lineage().started("9100", from: Self.monthStart, until: Self.monthEnd),
            Self.lineage().autoRenew(false, at: instant("2026-01-10T00:00:00Z")))
        let head = try fixture.ledger.head().position
        let receipt = try await take()
        #expect(try RevenueCatIngestTests.types(fixture.ledger, after: head) == ["subject.created"])
        #expect(receipt.gaps.map(\.gap.code) == [.knownElsewhere, .contradicted])
        #expect(receipt.gaps.last?.gap.sentence.contains("apple_asn_v2") == true)
        #expect(try fixture.pro() == "active_canceling on ends")
        #expect(try fixture.ledger.replay().agrees)
    }

    @Test("A refund that Apple told is not taken back by a document without it")
    func signedRefund() async throws {
        try await fixture.record(
            Self.lineage().started("9100", from: Self.monthStart, until: Self.monthEnd),
            Self.lineage().refunded("9100", at: instant("2026-01-10T00:00:00Z")))
        let receipt = try await take()
        #expect(receipt.appended == 1)
        #expect(receipt.gapCounts == [.knownElsewhere: 1, .contradicted: 1])
        #expect(try fixture.pro() == "refunded off renews")
    }

    @Test("What Apple said after it happened by the document stays")
    func later() async throws {
        try await fixture.record(
            Self.lineage().stated(
                "9100", from: Self.monthStart, until: Self.monthEnd,
                signedAt: instant("2026-01-14T00:00:00Z")))
        let receipt = try await take(Self.refund)
        #expect(receipt.appended == 1)
        #expect(receipt.gapCounts == [.knownElsewhere: 1, .contradicted: 1])
        #expect(try fixture.pro() == "active on renews")
    }

    @Test("A cancellation that a webhook told is taken back by RevenueCat's newer document")
    func webhook() async throws {
        try await take()
        _ = try await fixture.ledger.ingestRevenueCat(
            RevenueCatIngestTests.webhook(
                "CANCELLATION", "w1", transaction: "9100", #","cancel_reason":"UNSUBSCRIBE""#))
        #expect(try fixture.pro() == "active_canceling on ends")
        let receipt = try await take(hours: 1)
        #expect((receipt.appended, receipt.gaps.count) == (1, 0))
        #expect(try fixture.pro() == "active on renews")
    }

    @Test("A changed price does not put back renewal that Apple said is off since")
    func changedPrice() async throws {
        try await take()
        try await fixture.record(
            Self.lineage().autoRenew(false, at: instant("2026-01-15T13:00:00Z")))
        let price = ["price": #"{"amount":5.99,"currency":"USD"}"#]
        let receipt = try await take(price, hours: 2)
        #expect(receipt.appended == 0)
        #expect(receipt.gaps.map(\.gap.code) == [.knownElsewhere, .contradicted])
        #expect(try fixture.pro() == "active_canceling on ends")
    }

    // MARK: Lineages of another name, and of other customers

    @Test("A cancellation goes to the lineage that has the transaction, and is read there again")
    func moved() async throws {
        try await fixture.record(
            Self.lineage("9000").renewed("9100", from: Self.monthStart, until: Self.monthEnd))
        let changes = Self.off.merging(
            ["original_purchase_date": #""2025-06-01T00:00:00Z""#]) { $1 }
        let receipt = try await take(changes)
        #expect(receipt.appended == 2)
        #expect(receipt.gapCounts[.knownElsewhere] == 1)
        let last = try fixture.ledger.head().position
        let event = try #require(try fixture.ledger.event(at: last))
        #expect(event.draft.type == .subscriptionAutoRenewChanged)
        #expect(event.stream.name == "apple:9000")
        #expect(try fixture.pro() == "active_canceling on ends")
        #expect(try await take(changes).appended == 0)
        #expect(try await take(changes, hours: 1).appended == 0)
        #expect(try await fixture.ledger.reinterpret(ReinterpretOptions()).differences == [])
    }

    @Test(
        "A transaction in another customer's lineage, or in one without owner, is told with it",
        arguments: [("9000", "bea"), ("9100", "bea"), ("9000", nil), ("9100", nil)]
            as [(String, String?)])
    func others(name: String, owner: String?) async throws {
        try await fixture.record(
            Self.lineage(name, of: owner).renewed(
                "9100", from: Self.monthStart, until: Self.monthEnd))
        let head = try fixture.ledger.head().position
        let receipt = try await take(Self.off)
        #expect(try RevenueCatIngestTests.types(fixture.ledger, after: head) == ["subject.created"])
        #expect(receipt.gaps.map(\.gap.code) == [.knownElsewhere, .knownElsewhere])
        let owned = owner.map { "is owned by \($0)" } ?? "has no owner"
        #expect(receipt.gaps[0].gap.sentence.contains("; the lineage \(owned)"))
        #expect(
            receipt.gaps[1].gap.sentence
                == "\(SubscriberMonth.product): that renewal was switched off on "
                + "2026-01-10T00:00:00Z was left out; the lineage apple:\(name) \(owned)")
        #expect(try fixture.entitlement("pro")?.isActive != true)
    }

    // MARK: Documents among themselves

    @Test("A changed period does not undo what the same document still says of it")
    func stillOff() async throws {
        try await take(Self.off)
        let longer = ["expires_date": #""2026-02-03T00:00:00Z""#]
        let second = try await take(Self.off.merging(longer) { $1 }, hours: 1)
        #expect(second.appended == 2)
        #expect(try fixture.pro() == "active_canceling on ends")
        #expect(try fixture.entitlement("pro")?.expiresAt == instant("2026-02-03T00:00:00Z"))
    }

    @Test("A changed price does not end the grace that the same document still says")
    func stillInGrace() async throws {
        let failed = [
            "expires_date": #""2026-01-14T00:00:00Z""#,
            "billing_issues_detected_at": #""2026-01-14T00:00:00Z""#,
            "grace_period_expires_date": #""2026-01-20T00:00:00Z""#,
        ]
        try await take(failed)
        #expect(try fixture.pro() == "grace on renews")
        let price = ["price": #"{"amount":5.99,"currency":"USD"}"#]
        #expect(try await take(failed.merging(price) { $1 }, hours: 1).appended == 2)
        #expect(try fixture.pro() == "grace on renews")
    }

    @Test("A refund that is told, taken back and told again holds")
    func again() async throws {
        try await take(Self.refund)
        try await take(hours: 1)
        #expect(try fixture.pro() == "active on renews")
        #expect(try await take(Self.refund, hours: 2).appended == 1)
        #expect(try fixture.pro() == "refunded off renews")
    }

    @Test("An older document that comes late does not say how things stand")
    func older() async throws {
        try await take()
        try await take(Self.refund, hours: 5)
        let late = try await take(Self.off, hours: 2)
        #expect(late.appended == 0)
        #expect(late.gaps.map(\.gap.code) == [.olderDocument])
        #expect(try fixture.pro() == "refunded off renews")
    }

    @Test("A promotion with another end than before is told, and stays as it is")
    func promotion() async throws {
        let ledger = fixture.ledger
        _ = try await ledger.ingestRevenueCatSubscriber(
            SubscriberMonth.promotion(until: "2026-02-01T00:00:00Z", hours: 0))
        let longer = try await ledger.ingestRevenueCatSubscriber(
            SubscriberMonth.promotion(until: "2026-03-01T00:00:00Z", hours: 1))
        #expect(longer.appended == 0)
        #expect(longer.gaps.map(\.gap.code) == [.contradicted, .promotion])
        #expect(longer.gaps[0].gap.sentence.contains("it ends 2026-03-01T00:00:00Z"))
        #expect(try fixture.entitlement("pro")?.expiresAt == Self.monthEnd)
    }

    @Test("Read again, a document of consumables alone is of the customer that it was asked for")
    func consumables() async throws {
        let coins = #"""
            "com.nestling.coins":[{"id":"c1","is_sandbox":false,"store":"app_store",
            "purchase_date":"2026-01-02T00:00:00Z","store_transaction_id":"77",
            "original_purchase_date":"2026-01-02T00:00:00Z"}]
            """#
        let payload = SubscriberMonth.document("", once: coins, of: "$RCAnonymousID:8")
        let taken = try await fixture.ledger.ingestRevenueCatSubscriber(payload, subject: "ada")
        #expect((taken.appended, taken.refused) == (3, []))
        #expect(try await fixture.ledger.reinterpret(ReinterpretOptions()).differences == [])
    }

    @Test("Read again, one payload that was taken in for two customers is each one's")
    func twoCustomers() async throws {
        let month = "\"\(SubscriberMonth.product)\":\(SubscriberMonth.month())"
        let payload = SubscriberMonth.document(month, of: "$RCAnonymousID:8")
        #expect(try await fixture.ledger.ingestRevenueCatSubscriber(payload).appended == 2)
        let second = try await fixture.ledger.ingestRevenueCatSubscriber(payload, subject: "ada")
        #expect((second.appended, second.gaps.count) == (3, 0))
        #expect(try await fixture.ledger.reinterpret(ReinterpretOptions()).differences == [])
    }
}
