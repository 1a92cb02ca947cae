import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// E02 to E08 and E17 to E43 of the edge cases, through the library.
@Suite("Edge cases: subscriptions")
struct EdgeCasesSubscriptionTests {
    let fixture: LedgerFixture
    let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
    let yearly = LineageFixture("1", product: "com.magicalstories.premium.yearly")
    let day = LedgerFixture.day
    let start = instant("2026-01-10T10:00:00Z")
    let end = instant("2026-02-10T10:00:00Z")
    let third = instant("2026-03-10T10:00:00Z")
    let fourth = instant("2026-04-10T10:00:00Z")

    init() async throws {
        fixture = try await LedgerFixture("magical-stories", now: instant("2026-12-01T00:00:00Z"))
    }

    private func premium(_ time: Int64) throws -> EntitlementAnswer {
        try #require(try fixture.entitlement("premium", at: time))
    }

    @Test("E02 A newer statement with a refund cuts the period at the refund's date")
    func newerStatement() async throws {
        try await fixture.record(
            lineage.stated("1", from: start, until: end, signedAt: start),
            lineage.stated(
                "1", from: start, until: end, signedAt: start + 9 * day,
                ["revoked_at": .integer(start + 8 * day)]))
        #expect(try premium(start + 8 * day - 1).isActive)
        #expect(try premium(start + 8 * day).state == .refunded)
    }

    @Test("E03 An older statement that arrives later is kept and changes nothing")
    func olderStatement() async throws {
        try await fixture.record(
            lineage.stated("1", from: start, until: third, signedAt: start + day))
        let before = try premium(end)
        try await fixture.record(
            lineage.stated(
                "1", from: start, until: end, signedAt: start,
                ["revoked_at": .integer(start + 1)]))
        #expect(try premium(end) == before)
        #expect(try fixture.ledger.history(of: "ada").count == 2)
    }

    @Test("E04 An end that arrives before the renewal of the same moment does not end anything")
    func expiredFirst() async throws {
        try await fixture.record(lineage.started("1", from: start, until: end))
        try await fixture.record(lineage.expired("billing_error", at: end))
        #expect(try !premium(end + 1).isActive)
        try await fixture.record(lineage.renewed("2", from: end, until: third, signedAt: end + 1))
        #expect(try premium(end + 1).state == .active)
        #expect(try premium(end + 1).willRenew)
        #expect(try fixture.ledger.history(of: "ada").count == 3)
    }

    @Test("E05 A renewal that is charged hours early continues the period without a seam")
    func earlyRenewal() async throws {
        let early = end - 6 * LedgerFixture.hour
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.renewed("2", from: early, until: third, signedAt: early))
        for time in [early - 1, early, end - 1, end, third - 1] {
            #expect(try premium(time).isActive, "\(time)")
        }
        #expect(try premium(end - 1).winner?.transaction == "1")
        #expect(try premium(end).winner?.transaction == "2")
        #expect(try premium(end).winner?.startsAt == end)
        #expect(try premium(third).state == .expired)
    }

    @Test("E05 A change that was pending takes effect at the old end, however early it is charged")
    func earlyChange() async throws {
        let early = end - 6 * LedgerFixture.hour
        try await fixture.record(
            yearly.started("1", from: start, until: end),
            yearly.event(
                .subscriptionProductChanged, at: start + day,
                [
                    "from": .string(yearly.product), "to": .string(lineage.product),
                    "effective": "next_renewal",
                ]), lineage.renewed("2", from: early, until: third, signedAt: early))
        #expect(try premium(early).winner?.product == yearly.product)
        #expect(try premium(end - 1).winner?.product == yearly.product)
        #expect(try premium(end).winner?.product == lineage.product)
        #expect(try premium(end).winner?.startsAt == end)
    }

    @Test("E06 A refund that arrives first waits for its purchase")
    func refundFirst() async throws {
        try await fixture.record(lineage.refunded("1", at: start + 5 * day))
        #expect(try premium(start + day).state == .none)
        try await fixture.record(lineage.started("1", from: start, until: end))
        #expect(try premium(start + 5 * day - 1).isActive)
        #expect(try premium(start + 5 * day).state == .refunded)
    }

    @Test(
        "E07 A missing renewal is a gap that the store may call continuous",
        arguments: [true, false])
    func gap(_ isContinuous: Bool) async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.renewed("3", from: third, until: fourth))
        if isContinuous {
            try await fixture.record(
                lineage.event(
                    .storeRenewalStated, at: third + 1,
                    ["auto_renew": true, "continuous_since": .integer(start)]))
        }
        for time in [end, third - 1] {
            let answer = try premium(time)
            #expect(answer.isActive == isContinuous)
            #expect(answer.candidates.first?.flags == (isContinuous ? ["unknown_gap"] : []))
        }
        #expect(try premium(third).isActive)
        #expect(try premium(fourth).state == .expired)
    }

    @Test("E07 A gap in which billing failed is a real gap, whatever the store calls continuous")
    func realGap() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: nil),
            lineage.renewed("3", from: third, until: fourth),
            lineage.event(
                .storeRenewalStated, at: third + 1,
                ["auto_renew": true, "continuous_since": .integer(start)]))
        #expect(try premium(end).state == .billingRetry)
        #expect(try !premium(third - 1).isActive)
    }

    @Test("E17 Cancelled and renewed all the same: the renewal is what counts")
    func lateCancellation() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.autoRenew(false, at: end - LedgerFixture.hour),
            lineage.renewed("2", from: end, until: third))
        #expect(try premium(end - 1).state == .activeCanceling)
        #expect(try premium(end).state == .active)
    }

    @Test("E18 Renewal that a refund request switched off stays off when the refund is declined")
    func declinedRefund() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.event(
                .refundRequested, at: start + day,
                ["transaction_id": "1", "reason": "UNINTENDED_PURCHASE"]),
            lineage.event(
                .subscriptionAutoRenewChanged, at: start + day,
                ["enabled": false, "cause": "refund_request"]),
            lineage.event(.refundDeclined, at: start + 2 * day, ["transaction_id": "1"]))
        let answer = try premium(start + 3 * day)
        #expect(answer.isActive && answer.state == .activeCanceling && !answer.willRenew)
        try await fixture.record(lineage.autoRenew(true, at: start + 4 * day))
        #expect(try premium(start + 4 * day).willRenew)
    }

    @Test("E19 Paid within grace: no gap, and the billing date stays")
    func recoveredInGrace() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + 16 * day),
            lineage.renewed(
                "2", from: end, until: third, signedAt: end + 5 * day, ["recovery": true]))
        for time in [end - 1, end, end + 5 * day, end + 16 * day, third - 1] {
            #expect(try premium(time).isActive, "\(time)")
        }
        #expect(try premium(end + 5 * day).state == .active)
        #expect(try premium(end + 5 * day).expiresAt == third)
    }

    @Test("E20 E21 Paid after grace: the gap shows, and the new cycle begins with the payment")
    func recoveredAfterGrace() async throws {
        let paid = end + 20 * day
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + 16 * day),
            lineage.event(.subscriptionGraceExpired, at: end + 16 * day),
            lineage.renewed("2", from: paid, until: paid + 28 * day, ["recovery": true]))
        #expect(try premium(end + 16 * day - 1).state == .grace)
        #expect(try premium(end + 16 * day).state == .billingRetry)
        #expect(try premium(paid - 1).state == .billingRetry)
        #expect(try premium(paid).state == .active)
        #expect(try premium(paid).expiresAt == paid + 28 * day)
    }

    @Test("E21 After sixty days of retry it is over, and a later purchase is a new start")
    func retryOver() async throws {
        let again = end + 100 * day
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: nil),
            lineage.expired("billing_retry_ended", at: end + 60 * day),
            lineage.started("2", from: again, until: again + 30 * day, ["reason": "resubscribe"]))
        let over = try premium(end + 60 * day)
        #expect(over.candidates.map(\.why) == [.ended(ExactText("billing_retry_ended"))])
        #expect(try premium(again - 1).state == .expired)
        #expect(try premium(again).state == .active)
    }

    @Test(
        "E22 Grace ends when the store says, however long that is",
        arguments: [3, 16, 28] as [Int64])
    func graceLength(_ days: Int64) async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + days * day))
        #expect(try premium(end + days * day - 1).state == .grace)
        #expect(try premium(end + days * day).state == .billingRetry)
    }

    @Test("E23 An upgrade truncates the old period and never drops it")
    func upgrade() async throws {
        let now = start + 10 * day
        let yearEnd = now + 365 * day
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.event(
                .subscriptionProductChanged, at: now,
                [
                    "from": .string(lineage.product), "to": .string(yearly.product),
                    "effective": "now",
                ]),
            yearly.renewed("2", from: now, until: yearEnd),
            lineage.stated(
                "1", from: start, until: end, signedAt: now + 1, ["is_upgraded": true]))
        #expect(try premium(now - 1).winner?.product == lineage.product)
        #expect(try premium(now).winner?.product == yearly.product)
        #expect(try premium(now).expiresAt == yearEnd)
        #expect(try fixture.status(at: now).warnings == [])
    }

    @Test("E24 E26 A pending change that is reverted changes nothing at the renewal")
    func reverted() async throws {
        func change(_ effective: String, at time: Int64) -> EventDraft {
            yearly.event(
                .subscriptionProductChanged, at: time,
                [
                    "from": .string(yearly.product), "to": .string(lineage.product),
                    "effective": .string(effective),
                ])
        }
        try await fixture.record(
            yearly.started("1", from: start, until: end), change("next_renewal", at: start + day),
            change("reverted", at: start + 2 * day), yearly.renewed("2", from: end, until: third))
        #expect(try premium(start + day).winner?.autoRenewProduct == lineage.product)
        #expect(try premium(start + 2 * day).winner?.autoRenewProduct == nil)
        #expect(try premium(end).winner?.product == yearly.product)
    }

    @Test("E25 A pending change and then a cancellation: it expires on the old product")
    func cancelledChange() async throws {
        try await fixture.record(
            yearly.started("1", from: start, until: end),
            yearly.event(
                .subscriptionProductChanged, at: start + day,
                [
                    "from": .string(yearly.product), "to": .string(lineage.product),
                    "effective": "next_renewal",
                ]), yearly.autoRenew(false, at: start + 2 * day))
        #expect(try premium(end - 1).winner?.product == yearly.product)
        #expect(try premium(end).candidates.first?.product == yearly.product)
        #expect(try premium(end).state == .expired)
    }
}
