import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// E27 to E46 and E83, E85: offers, refunds, several sources, families.
@Suite("Edge cases: offers, refunds and several sources")
struct EdgeCasesPurchaseTests {
    let fixture: LedgerFixture
    let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
    let yearly = LineageFixture("1", product: "com.magicalstories.premium.yearly")
    let day = LedgerFixture.day
    let start = instant("2026-01-10T10:00:00Z")
    let end = instant("2026-02-10T10:00:00Z")
    let third = instant("2026-03-10T10:00:00Z")
    let freeTrial: JSONObject = ["offer": ["type": "introductory", "discount": "free_trial"]]

    /// The catalog with a lifetime product, a second group and family sharing.
    init() async throws {
        fixture = try await LedgerFixture(
            "magical-stories", now: instant("2026-12-01T00:00:00Z"),
            replacing: [
                "groups: [Premium]": "groups: [Premium, Voices]",
                "    group: Premium\n": "    group: Premium\n    familyShareable: true\n",
                "products:\n": """
                products:
                  com.magicalstories.lifetime:
                    kind: nonConsumable
                    entitlements: [premium]
                  com.magicalstories.voices:
                    kind: autoRenewable
                    group: Voices
                    period: P1M

                """,
            ])
    }

    private func premium(_ time: Int64) throws -> EntitlementAnswer {
        try #require(try fixture.entitlement("premium", at: time))
    }

    private func eligible(_ time: Int64) throws -> [String: Bool] {
        Dictionary(
            uniqueKeysWithValues: try fixture.status(at: time).introEligible.map {
                ($0.group, $0.isEligible)
            })
    }

    private let lifetime = LineageFixture("9", product: "com.magicalstories.lifetime")

    private func boughtForLife(at time: Int64) -> EventDraft {
        lifetime.event(
            .purchaseCompleted, at: time,
            [
                "product": .string(lifetime.product), "kind": "non_consumable",
                "transaction_id": "9", "price_milli": 99_000, "currency": "USD",
            ])
    }

    @Test("E27 An upgrade during the trial leaves access to both, without a gap")
    func upgradeInTrial() async throws {
        var other = yearly
        other.lineage = "2"
        try await fixture.record(
            lineage.started("1", from: start, until: start + 7 * day, freeTrial),
            other.started("2", from: start + 2 * day, until: third))
        #expect(try premium(start + 2 * day).winner?.product == yearly.product)
        #expect(try premium(start + 2 * day).candidates.count { $0.isActive } == 2)
        #expect(try premium(start + 7 * day).isActive)
    }

    @Test("E28 A first charge that is refunded at once still has used up the trial")
    func refundedConversion() async throws {
        let trialEnd = start + 7 * day
        try await fixture.record(
            lineage.started("1", from: start, until: trialEnd, freeTrial),
            lineage.renewed("2", from: trialEnd, until: third, ["trial_conversion": true]),
            lineage.refunded("2", at: trialEnd))
        #expect(try premium(trialEnd - 1).state == .trial)
        #expect(try premium(trialEnd).state == .refunded)
        #expect(try eligible(third) == ["Premium": false, "Voices": true])
    }

    @Test("E29 Another product of the group after a lapse belongs to the same lineage")
    func otherProduct() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end), lineage.expired("voluntary", at: end),
            yearly.started("2", from: third, until: third + 365 * day, ["reason": "resubscribe"]))
        #expect(try !premium(third - 1).isActive)
        let answer = try premium(third)
        #expect(answer.winner?.product == yearly.product)
        #expect(answer.candidates.map(\.id) == ["apple:1"])
    }

    @Test("E30 Two stores for one entitlement: access until the later end, and a warning")
    func twoStores() async throws {
        var web = lineage
        web.lineage = "web-1"
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            web.started("web-1", from: start, until: third, ["store": "stripe"]))
        #expect(try fixture.status(at: start).warnings == ["double_paying"])
        #expect(try premium(start).expiresAt == third)
        #expect(try premium(end).isActive)
        #expect(try fixture.status(at: end).warnings == [])
    }

    @Test("E31 E32 A lifetime purchase is shown before a subscription, which carries on after it")
    func lifetimeAndSubscription() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: third), boughtForLife(at: end))
        #expect(try premium(end - 1).winner?.kind == .subscription)
        #expect(try premium(end).winner?.kind == .lifetime)
        #expect(try premium(end).expiresAt == nil)
        #expect(try fixture.status(at: end).warnings == ["redundant_subscription"])
        try await fixture.record(lifetime.refunded("9", at: end + day))
        #expect(try premium(end + day).winner?.kind == .subscription)
        #expect(try premium(end + day).expiresAt == third)
        #expect(try !premium(third).isActive)
    }

    @Test("E33 The refund of an earlier period changes that period alone")
    func earlierPeriod() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.renewed("2", from: end, until: third),
            lineage.refunded("1", at: start + 5 * day, signedAt: end + 5 * day))
        #expect(try premium(end + 5 * day).state == .active)
        #expect(try premium(start + 5 * day).state == .refunded)
        #expect(try premium(start + 5 * day - 1).isActive)
    }

    @Test("E35 A refund that is reversed was never there, except as known before the reversal")
    func reversedRefund() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end), lineage.refunded("1", at: start + day))
        let position = try fixture.ledger.head().position
        try await fixture.record(
            lineage.event(
                .purchaseRefundReversed, at: start + 3 * day, ["transaction_id": "1"]))
        let between = start + 2 * day
        #expect(try premium(between).isActive)
        #expect(try premium(between).expiresAt == end)
        let known = try fixture.entitlement("premium", at: between, knownAt: .position(position))
        #expect(known?.state == .refunded)
    }

    @Test(
        "E37 E41 The store's reason for an end is told",
        arguments: ["price_increase_declined", "product_unavailable"])
    func reasons(_ reason: String) async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end), lineage.expired(reason, at: end))
        #expect(try premium(end - 1).isActive)
        #expect(try premium(end).candidates.map(\.why) == [.ended(ExactText(reason))])
        #expect(try !premium(end).willRenew)
    }

    @Test("E38 An extension moves the end of the period that it names")
    func extended() async throws {
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            lineage.event(
                .subscriptionExtended, at: start + day,
                ["transaction_id": "1", "new_expires_at": .integer(third), "days": 28]))
        #expect(try premium(end).isActive)
        #expect(try premium(start).expiresAt == third)
        #expect(try premium(third).state == .expired)
    }

    @Test("E42 Sandbox periods of seconds follow each other without a flicker")
    func sandbox() async throws {
        var fast = lineage
        fast.environment = .sandbox
        var drafts: [EventDraft] = []
        for index in 0..<12 as Range<Int64> {
            let from = start + index * 30_000
            drafts.append(fast.renewed("t\(index)", from: from, until: from + 30_000))
        }
        try await fixture.ledger.record(drafts)
        func isActive(_ time: Int64) throws -> Bool {
            try fixture.ledger.status(
                of: "ada", environment: .sandbox, moment: .init(at: time)
            ).status.entitlements.contains(where: \.isActive)
        }
        for index in 0..<12 as Range<Int64> {
            #expect(try isActive(start + index * 30_000))
            #expect(try isActive(start + (index + 1) * 30_000 - 1))
        }
        #expect(try !isActive(start - 1))
        #expect(try !isActive(start + 12 * 30_000))
    }

    @Test("E43 One trial uses up the offers of its group, and of no other group")
    func eligibility() async throws {
        #expect(try eligible(start) == ["Premium": true, "Voices": true])
        try await fixture.record(lineage.started("1", from: start, until: end))
        #expect(try eligible(start) == ["Premium": true, "Voices": true])
        var other = yearly
        other.lineage = "2"
        try await fixture.record(other.started("2", from: end, until: third, freeTrial))
        #expect(try eligible(third) == ["Premium": false, "Voices": true])
    }

    @Test("E44 E45 What a family shares gives access as family, and where it is shareable alone")
    func family() async throws {
        let shared: JSONObject = ["ownership": "family_shared"]
        try await fixture.record(lineage.started("1", from: start, until: end, shared))
        #expect(try premium(start).winner?.kind == .family)
        #expect(try fixture.check("customThemes", at: start).reason == .family)
        let strict = try await LedgerFixture("magical-stories", now: start)
        try await strict.record(lineage.started("1", from: start, until: end, shared))
        #expect(try strict.check("customThemes").allowed == false)
        let candidates = try strict.entitlement("premium")?.candidates
        #expect(candidates?.map(\.why) == [.family(.notShareable)])
    }

    @Test("E83 One purchase told by client and store is one source and one grant")
    func toldTwice() async throws {
        try await fixture.record(
            lifetime.stated("9", from: start, until: nil, signedAt: start + 1))
        #expect(try premium(start).winner?.kind == .lifetime)
        try await fixture.record(boughtForLife(at: start))
        #expect(try premium(start).candidates.count == 1)
        #expect(try premium(start).winner?.kind == .lifetime)
    }

    @Test("E22 E85 A trial whose first payment fails without grace is off at the trial's end")
    func failedConversion() async throws {
        let trialEnd = start + 7 * day
        try await fixture.record(
            lineage.started("1", from: start, until: trialEnd, freeTrial),
            lineage.billingFailed(at: trialEnd, graceUntil: nil))
        #expect(try premium(trialEnd - 1).state == .trial)
        #expect(try premium(trialEnd).state == .billingRetry)
        #expect(try !premium(trialEnd).isActive)
        try await fixture.record(
            lineage.renewed(
                "2", from: trialEnd + 9 * day, until: third, ["trial_conversion": true]))
        #expect(try premium(trialEnd + 9 * day).state == .active)
    }
}
