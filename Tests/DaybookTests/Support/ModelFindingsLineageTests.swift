import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What the comparison with the naive model found about lineages (decision 0007): each history that showed it, by hand.
@Suite("Found by the naive model: lineages")
struct ModelFindingsLineageTests {
    let fixture: LedgerFixture
    let lineage = LineageFixture("1", product: "club.monthly")
    let day = LedgerFixture.day
    let start = instant("2026-01-10T10:00:00Z")
    let end = instant("2026-02-10T10:00:00Z")
    let third = instant("2026-03-10T10:00:00Z")
    let fourth = instant("2026-04-10T10:00:00Z")

    init() async throws {
        fixture = try await LedgerFixture(
            "sampler", document: SamplerCatalog.first, now: instant("2026-01-01T00:00:00Z"))
    }

    private func club(_ time: Int64) throws -> EntitlementAnswer {
        try #require(try fixture.entitlement("club", at: time))
    }

    private func extended(_ days: Int64, signedAt: Int64, _ transaction: String?) -> EventDraft {
        var data: JSONObject = ["new_expires_at": .integer(end + days * day)]
        data["transaction_id"] = transaction.map(JSONValue.string)
        return lineage.event(.subscriptionExtended, at: signedAt, data)
    }

    @Test(
        "Rule 3 An extension is a statement like any other: a newer one about the end replaces it")
    func extensionIsStatement() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            extended(9, signedAt: start + day, "1"))
        #expect(try club(end + 9 * day - 1).expiresAt == end + 9 * day)
        try await fixture.record(extended(4, signedAt: start + 2 * day, "1"))
        #expect(try club(end).expiresAt == end + 4 * day)
        try await fixture.record(
            lineage.stated("1", from: start, until: end, signedAt: start + 3 * day))
        #expect(try !club(end).isActive)
    }

    @Test("An extension without a transaction is about the one that was current then")
    func extensionOfCurrent() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end), extended(5, signedAt: start + day, nil))
        #expect(try club(end + 5 * day - 1).isActive)
        #expect(try !club(end + 5 * day).isActive)
        try await fixture.record(lineage.renewed("2", from: end + 5 * day, until: fourth))
        #expect(try club(end).expiresAt == end + 5 * day)
        #expect(try club(end + 5 * day).expiresAt == fourth)
    }

    @Test("Rows 2 and 7 A refund during grace ends it: refunded stands above grace")
    func refundInGrace() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + 16 * day),
            lineage.refunded("1", at: end + 3 * day))
        #expect(try club(end + 3 * day - 1).state == .grace)
        #expect(try club(end + 3 * day).state == .refunded)
        #expect(try !club(end + 3 * day).isActive)
    }

    @Test("Grace that the store calls over is over, and billing retry lasts sixty days")
    func graceExpired() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + 16 * day),
            lineage.event(.subscriptionGraceExpired, at: end + 5 * day))
        #expect(try club(end + 5 * day - 1).state == .grace)
        #expect(try club(end + 5 * day).state == .billingRetry)
        // The catalog gives access during billing retry; then its end is that of the retry.
        #expect(try club(end + 5 * day).expiresAt == end + 60 * day)
        #expect(try !club(end + 60 * day).isActive)
    }

    @Test("Row 7 Grace hangs off the end that was paid for, not off an earlier end")
    func graceAfterEarlyEnd() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.event(
                .subscriptionExpired, at: start + 4 * day,
                [
                    "transaction_id": "1", "reason": "customer_support",
                    "ended_at": .integer(start + 5 * day),
                ]),
            lineage.billingFailed(at: start + 6 * day, graceUntil: end + 16 * day))
        #expect(try club(start + 7 * day).state == .billingRetry)
        #expect(try club(end).state == .grace)
    }

    private func renewal(continuousSince since: Int64, said: Int64) -> EventDraft {
        lineage.event(
            .storeRenewalStated, at: said,
            ["auto_renew": true, "continuous_since": .integer(since)])
    }

    @Test("E07 Continuity covers what was before it was said, until the next period begins")
    func continuity() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.renewed("3", from: third, until: fourth),
            renewal(continuousSince: start, said: end - day))
        #expect(try !club(end).isActive)
        try await fixture.record(renewal(continuousSince: start, said: third))
        #expect(try club(end).expiresAt == third)
        #expect(try club(third - 1).winner?.flags == ["unknown_gap"])
    }

    @Test("E07 A lapse that is told makes the whole gap real, also what was before it was told")
    func lapse() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.renewed("3", from: third, until: fourth),
            renewal(continuousSince: start, said: third),
            lineage.expired("billing_error", at: end + 9 * day))
        #expect(try !club(end).isActive)
        #expect(try !club(end + 9 * day).isActive)
    }

    @Test("Row 1 A refund of a shared subscription is a revocation")
    func sharedRefund() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end, ["ownership": "family_shared"]),
            lineage.refunded("1", at: start + 5 * day))
        #expect(try club(start + 5 * day).state == .revoked)
        #expect(try !club(start + 5 * day).willRenew)
    }

    @Test("Rule 32 A report that it ended early yields to a newer statement of the transaction")
    func endedThenStated() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.event(
                .subscriptionExpired, at: start + 5 * day,
                [
                    "transaction_id": "1", "reason": "other",
                    "ended_at": .integer(start + 5 * day),
                ]))
        #expect(try !club(start + 6 * day).isActive)
        try await fixture.record(
            lineage.stated("1", from: start, until: end, signedAt: start + 9 * day))
        #expect(try club(start + 6 * day).isActive)
    }

    // MARK: A client's word (rule 11)

    private var client: LineageFixture {
        var client = lineage
        client.trust = .clientAsserted
        return client
    }

    @Test("Rule 11 A client's word that counts no longer hides no grace")
    func unbelievedHidesNothing() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + 16 * day),
            client.renewed("2", from: end, until: third))
        #expect(try club(end + day).expiresAt == end + 2 * day)
        #expect(try club(end + 2 * day).state == .grace)
    }

    @Test("MS-65 By default a client's word never counts, not even before it was given")
    func neverBelieved() async throws {
        let nuzzle = try await LedgerFixture("nuzzle", now: instant("2026-12-01T00:00:00Z"))
        var monthly = client
        monthly.product = "com.nestling.pro.monthly"
        try await nuzzle.record(
            monthly.stated("1", from: start, until: end, signedAt: start + 5 * day))
        for time in [start, start + 5 * day - 1, start + 5 * day] {
            let pro = try #require(try nuzzle.entitlement("pro", at: time))
            #expect(!pro.isActive)
            #expect(pro.state == .unverified)
        }
    }

    @Test("Rule 11 A client cannot refund or end what the store itself speaks of")
    func clientRefund() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            client.refunded("1", at: start + day),
            client.event(
                .subscriptionExpired, at: start + day,
                ["transaction_id": "1", "reason": "x", "ended_at": .integer(start + day)]))
        #expect(try club(end - 1).isActive)
    }

    // MARK: Passes (docs/rules.md#one-time-purchases)

    private func pass(_ transaction: String, at time: Int64) -> EventDraft {
        LineageFixture(transaction, product: "pass.month").event(
            .purchaseCompleted, at: time,
            [
                "product": "pass.month", "kind": "non_renewing", "currency": "EUR",
                "transaction_id": .string(transaction), "price_milli": 990,
                "starts_at": .integer(time),
            ])
    }

    @Test(
        "A pass extends the end of the one before by the calendar, and its refund cuts what it added"
    )
    func stackedPass() async throws {
        try await fixture.record(pass("p1", at: start), pass("p2", at: start + 3 * day))
        #expect(try club(start).expiresAt == end)
        #expect(try club(end).expiresAt == third)
        let refund = LineageFixture("p2", product: "pass.month").refunded("p2", at: end + 9 * day)
        try await fixture.record(refund)
        #expect(try club(end + 9 * day - 1).isActive)
        #expect(try club(end + 9 * day).state == .refunded)
    }

    @Test("A pass that was refunded is extended from where the refund ended it")
    func refundedPass() async throws {
        try await fixture.record(
            pass("p1", at: start), pass("p2", at: start + 3 * day),
            LineageFixture("p1", product: "pass.month").refunded("p1", at: start + 5 * day))
        #expect(try club(start + 5 * day).expiresAt == end + 5 * day)
    }

    @Test("Rule 7 What was given away and came back was theirs before, too: its limit covered uses")
    func givenAwayAndBack() async throws {
        let bought = LineageFixture("1", product: "club.yearly")
        var mover = bought
        mover.subject = nil
        func moved(_ from: String, _ to: String, at time: Int64) -> EventDraft {
            mover.event(
                .purchaseTransferred, at: time, ["from": .string(from), "to": .string(to)])
        }
        try await fixture.record(
            bought.started("1", from: start, until: start + 365 * day),
            .reported(
                .grantIssued, at: start, key: "grant",
                [
                    "grant_id": "g", "meter": "prints", "amount": 5, "reason": "support",
                    "starts_at": .integer(start),
                ]),
            .used("prints", at: start + day, ref: "a", amount: 12),
            moved("ada", "ben", at: start + 10 * day), moved("ben", "ada", at: start + 40 * day))
        for days: Int64 in [5, 35, 45, 100] {
            let prints = try #require(try fixture.meter("prints", at: start + days * day))
            // Twenty a month covered the twelve; four would have burnt all of the grant.
            #expect(prints.granted == 5, "after \(days) days")
            #expect(prints.limit == (days == 35 ? 4 : 20), "after \(days) days")
        }
    }
}
