import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// What docs/revenuecat.md says of Daybook, in the order of its table: from webhooks, and from what Apple states.
@Suite("RevenueCat, Apple and Daybook beside each other")
struct RevenueCatTableTests {
    private static let day = LedgerFixture.day
    private static let start = Fixtures.now
    private static let end = start + 30 * day
    private let fixture: LedgerFixture
    private let lineage = LineageFixture("9100", product: "com.nestling.pro.monthly")

    init() async throws { fixture = try await LedgerFixture("nuzzle") }

    private func take(_ payloads: [UInt8]...) async throws {
        for payload in payloads {
            let receipt = try await fixture.ledger.ingestRevenueCat(
                payload, environment: .production)
            #expect(receipt.refused.isEmpty)
        }
    }

    private func webhook(
        _ type: String, _ id: String, after: Int64 = 1_000, transaction: String = "9101",
        days: ClosedRange<Int64> = 0...30, _ more: String = ""
    ) -> [UInt8] {
        RevenueCatIngestTests.webhook(
            type, id, after: after, transaction: transaction, days: days, more)
    }

    /// State, access, end and renewal of Pro.
    private func pro(_ at: Int64) throws -> String {
        let answer = try #require(try fixture.entitlement("pro", at: at))
        let end = answer.isActive ? answer.expiresAt.map { "\(($0 - Self.start) / Self.day)" } : nil
        return "\(answer.state.rawValue) \(answer.isActive ? "on" : "off") \(end ?? "-") "
            + (answer.willRenew ? "renews" : "ends")
    }

    private var bought: [UInt8] { webhook("INITIAL_PURCHASE", "w1") }

    private func issue(grace: Int64?) -> [UInt8] {
        let member =
            grace.map { #","grace_period_expiration_at_ms":\#(Self.end + $0 * Self.day)"# } ?? ""
        return webhook("BILLING_ISSUE", "w2", after: 30 * Self.day, member)
    }

    private func expired(after days: Int64, _ reason: String) -> [UInt8] {
        webhook(
            "EXPIRATION", "w3", after: days * Self.day, #","expiration_reason":"\#(reason)""#)
    }

    @Test("In grace it renews, until the end of grace; without it billing retry, off")
    func billing() async throws {
        let (inside, after) = (Self.end + Self.day, Self.end + 7 * Self.day)
        try await take(bought, issue(grace: 6))
        #expect(try pro(inside) == "grace on 36 renews")
        #expect(try pro(after) == "billing_retry off - renews")
        try await take(expired(after: 36, "BILLING_ERROR"))
        #expect(try pro(inside) == "grace on 36 renews")
        #expect(try pro(after) == "expired off - ends")
        let apple = try await LedgerFixture("nuzzle")
        try await apple.record(
            lineage.started("9101", from: Self.start, until: Self.end),
            lineage.billingFailed(at: Self.end, graceUntil: nil))
        let answer = try #require(try apple.entitlement("pro", at: after))
        #expect((answer.state, answer.isActive, answer.willRenew) == (.billingRetry, false, true))
        #expect(try apple.entitlement("pro", at: Self.end + 60 * Self.day)?.state == .expired)
        let none = try await LedgerFixture("nuzzle")
        for payload in [bought, issue(grace: nil), expired(after: 30, "BILLING_ERROR")] {
            _ = try await none.ledger.ingestRevenueCat(payload, environment: .production)
        }
        #expect(try none.entitlement("pro", at: inside)?.state == .expired)
    }

    @Test("Bought once or given it does not renew")
    func once() async throws {
        try await take(webhook("TEMPORARY_ENTITLEMENT_GRANT", "w1"))
        #expect(try fixture.entitlement("pro", at: Self.start + 2_000)?.willRenew == false)
        let dozzi = try await LedgerFixture("dozzi")
        try await dozzi.record(DozziPurchaseTests.purchase())
        #expect(try dozzi.entitlement("unlimited")?.isActive == true)
        #expect(try dozzi.entitlement("unlimited")?.willRenew == false)
    }

    @Test("Refunded it renews as the store says; webhooks know until the expiration")
    func refunded() async throws {
        let refund = webhook(
            "CANCELLATION", "w2", after: 3 * Self.day, #","cancel_reason":"CUSTOMER_SUPPORT""#)
        try await take(bought, refund)
        #expect(try pro(Self.start + 3 * Self.day - 1) == "active on 3 renews")
        #expect(try pro(Self.start + 3 * Self.day) == "refunded off - renews")
        try await take(expired(after: 3, "CUSTOMER_SUPPORT"))
        #expect(try pro(Self.start + 3 * Self.day) == "refunded off - ends")
        let apple = try await LedgerFixture("nuzzle")
        try await apple.record(
            lineage.started("9101", from: Self.start, until: Self.end),
            lineage.refunded("9101", at: Self.start + Self.day))
        let answer = try #require(try apple.entitlement("pro", at: Self.start + Self.day))
        #expect((answer.state, answer.willRenew) == (.refunded, true))
    }

    @Test("The end of a period is off")
    func lastMoment() async throws {
        try await take(bought, expired(after: 30, "UNSUBSCRIBE"))
        #expect(try pro(Self.end - 1) == "active on 30 renews")
        #expect(try pro(Self.end) == "expired off - ends")
    }

    @Test("A trial is one by Apple's offer alone, and stays one when it is switched off")
    func trial() async throws {
        let off = webhook(
            "CANCELLATION", "w2", after: Self.day, #","cancel_reason":"UNSUBSCRIBE""#)
        let trial = webhook(
            "INITIAL_PURCHASE", "w1", days: 0...7, #","period_type":"TRIAL""#)
        try await take(trial, off)
        #expect(try pro(Self.start + Self.day - 1) == "trial on 7 renews")
        #expect(try pro(Self.start + Self.day) == "trial on 7 ends")
        for (more, state) in [
            (#","period_type":"TRIAL","offer_code":"FREE7""#, "active"),
            (#","period_type":"INTRO""#, "active"), ("", "active"),
        ] {
            let other = try await LedgerFixture("nuzzle")
            _ = try await other.ledger.ingestRevenueCat(
                webhook("INITIAL_PURCHASE", "w1", more), environment: .production)
            #expect(
                try other.entitlement("pro", at: Self.start + Self.day)?.state.rawValue == state)
        }
    }

    @Test("A family share that is taken back is expired by webhooks, revoked by Apple")
    func family() async throws {
        let shared = ["    period: P1M\n": "    period: P1M\n    familyShareable: true\n"]
        let other = try await LedgerFixture("nuzzle", replacing: shared)
        let share = #","is_family_share":true"#
        for payload in [
            webhook("INITIAL_PURCHASE", "w1", share),
            webhook("EXPIRATION", "w2", after: 2 * Self.day, share),
        ] {
            _ = try await other.ledger.ingestRevenueCat(payload, environment: .production)
        }
        #expect(try other.entitlement("pro", at: Self.start + Self.day)?.isActive == true)
        let answer = try #require(try other.entitlement("pro", at: Self.start + 31 * Self.day))
        #expect((answer.state, answer.isActive) == (.expired, false))
    }

    @Test("A planned downgrade changes the next product alone; a gap follows from the dates")
    func changes() async throws {
        try await take(
            bought,
            webhook(
                "PRODUCT_CHANGE", "w2", after: 3 * Self.day,
                #","new_product_id":"com.nestling.pro.yearly""#))
        let source = try #require(
            try fixture.entitlement("pro", at: Self.start + 4 * Self.day)?.winner)
        #expect(source.product == "com.nestling.pro.monthly")
        #expect(source.autoRenewProduct == "com.nestling.pro.yearly")
        #expect(source.expiresAt == Self.end)
        let gap = try await LedgerFixture("nuzzle")
        for payload in [
            bought, expired(after: 30, "UNSUBSCRIBE"),
            webhook("RENEWAL", "w4", after: 40 * Self.day, transaction: "9102", days: 40...70),
        ] {
            _ = try await gap.ledger.ingestRevenueCat(payload, environment: .production)
        }
        let states = try [29, 35, 40, 69, 70].map {
            try gap.entitlement("pro", at: Self.start + $0 * Self.day)?.isActive
        }
        #expect(states == [true, false, true, true, false])
    }
}
