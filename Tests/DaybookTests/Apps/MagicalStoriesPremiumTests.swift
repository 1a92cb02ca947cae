import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Magical Stories: Premium by the month or by the year")
struct MagicalStoriesPremiumTests {
    static let monthly = LineageFixture("2000", product: "com.magicalstories.premium.monthly")
    static let yearly = LineageFixture("2000", product: "com.magicalstories.premium.yearly")
    static let features = [
        "unlimitedStoryGeneration", "growthPathCollections", "multipleChildProfiles",
        "advancedIllustrations", "priorityGeneration", "offlineReading", "parentalAnalytics",
        "customThemes",
    ]
    let fixture: LedgerFixture
    let start = Fixtures.now
    let end = Fixtures.now + 31 * LedgerFixture.day

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func lifetimeAccess(at time: Int64? = nil) throws -> String? {
        try fixture.status(at: time).attributes.first { $0.slot == "hasLifetimeAccess" }?.key
    }

    @Test("MS-13 A monthly purchase is premiumMonthly and opens all eight features")
    func monthly() async throws {
        try await fixture.record(Self.monthly.started("2000", from: start, until: end))
        let status = try fixture.status()
        #expect(status.status == "premiumMonthly")
        #expect(status.entitlements.first?.expiresAt == end)
        #expect(try lifetimeAccess() == "false")
        for feature in Self.features {
            let decision = try fixture.check(feature)
            #expect(decision.allowed && decision.reason == .subscription, "\(feature)")
        }
        #expect(try fixture.meter("stories")?.remaining == nil)
    }

    @Test("MS-14 A yearly purchase is premiumYearly until its year is over")
    func yearly() async throws {
        let end = instant("2027-01-15T12:00:00Z")
        try await fixture.record(Self.yearly.started("2000", from: start, until: end))
        let status = try fixture.status()
        #expect(status.status == "premiumYearly")
        #expect(status.entitlements.first?.expiresAt == end)
        #expect(try fixture.status(at: end - 1).status == "premiumYearly")
        #expect(try fixture.status(at: end).status == "expired")
    }

    @Test("MS-15 Without any further event it is over exactly at its end")
    func silentEnd() async throws {
        try await fixture.record(Self.monthly.started("2000", from: start, until: end))
        #expect(try fixture.status(at: start - 1).status == "free")
        #expect(try fixture.status(at: end - 1).status == "premiumMonthly")
        #expect(try fixture.status(at: end).status == "expired")
        #expect(try fixture.check("customThemes", at: end).reason == .expired)
    }

    @Test("MS-16 A customer who comes back is premium again, and the gap stays a gap")
    func resubscribed() async throws {
        let again = end + 10 * LedgerFixture.day
        try await fixture.record(
            Self.monthly.started("2000", from: start, until: end),
            Self.monthly.expired("voluntary", at: end),
            Self.monthly.started(
                "2001", from: again, until: again + 30 * LedgerFixture.day,
                ["reason": "resubscribe"]))
        #expect(try fixture.status(at: end).status == "expired")
        #expect(try fixture.status(at: again - 1).status == "expired")
        #expect(try fixture.status(at: again).status == "premiumMonthly")
        #expect(try fixture.status(at: end - 1).status == "premiumMonthly")
        #expect(try ledger.history(of: "ada").count == 3)
    }

    private var ledger: Ledger { fixture.ledger }

    @Test("MS-17 A change to the yearly product takes effect when the store says: next or now")
    func upgrade() async throws {
        let change: JSONObject = [
            "from": .string(Self.monthly.product), "to": .string(Self.yearly.product),
        ]
        let middle = start + 10 * LedgerFixture.day
        func changed(_ effective: String, _ lineage: String) -> EventDraft {
            var data = change
            data["effective"] = .string(effective)
            var teller = Self.monthly
            teller.lineage = lineage
            teller.subject = lineage
            return teller.event(.subscriptionProductChanged, at: middle, data)
        }
        for name in ["later", "now"] {
            var teller = Self.monthly
            (teller.lineage, teller.subject) = (name, name)
            try await fixture.record(teller.started(name, from: start, until: end))
        }
        try await fixture.record(changed("next_renewal", "later"), changed("now", "now"))
        var now = Self.yearly
        (now.lineage, now.subject) = ("now", "now")
        try await fixture.record(
            now.renewed("now2", from: middle, until: middle + 365 * LedgerFixture.day))
        func status(_ name: String, _ time: Int64) throws -> Status {
            try ledger.status(of: name, moment: Moment(at: time)).status
        }
        #expect(try status("later", middle).status == "premiumMonthly")
        let source = try status("later", middle).entitlements.first?.winner
        #expect(source?.autoRenewProduct == Self.yearly.product)
        #expect(try status("now", middle - 1).status == "premiumMonthly")
        #expect(try status("now", middle).status == "premiumYearly")
        var later = Self.yearly
        (later.lineage, later.subject) = ("later", "later")
        try await fixture.record(
            later.renewed("later2", from: end, until: end + 365 * LedgerFixture.day))
        #expect(try status("later", end - 1).status == "premiumMonthly")
        #expect(try status("later", end).status == "premiumYearly")
    }

    @Test("MS-18 A pending downgrade switches at the renewal, and a revert clears it")
    func downgrade() async throws {
        let change: JSONObject = [
            "from": .string(Self.yearly.product), "to": .string(Self.monthly.product),
            "effective": "next_renewal",
        ]
        let middle = start + 10 * LedgerFixture.day
        try await fixture.record(
            Self.yearly.started("2000", from: start, until: end),
            Self.yearly.event(.subscriptionProductChanged, at: middle, change))
        func pending(_ time: Int64) throws -> String? {
            try fixture.entitlement("premium", at: time)?.winner?.autoRenewProduct
        }
        #expect(try pending(middle) == Self.monthly.product)
        #expect(try fixture.status(at: end - 1).status == "premiumYearly")
        var reverted = change
        reverted["effective"] = "reverted"
        try await fixture.record(
            Self.yearly.event(
                .subscriptionProductChanged, at: middle + LedgerFixture.day, reverted))
        #expect(try pending(middle + LedgerFixture.day) == nil)
        #expect(try pending(middle + LedgerFixture.day - 1) == Self.monthly.product)
        try await fixture.record(
            Self.yearly.renewed("2001", from: end, until: end + 365 * LedgerFixture.day))
        #expect(try fixture.status(at: end).status == "premiumYearly")
        // Not reverted, it is made at the renewal.
        let made = try await LedgerFixture("magical-stories")
        try await made.record(
            Self.yearly.started("2000", from: start, until: end),
            Self.yearly.event(.subscriptionProductChanged, at: middle, change),
            Self.monthly.renewed("2001", from: end, until: end + 30 * LedgerFixture.day))
        #expect(try made.status(at: end - 1).status == "premiumYearly")
        #expect(try made.status(at: end).status == "premiumMonthly")
    }

    @Test("MS-19 Lifetime access by support survives the end and the refund of a subscription")
    func lifetime() async throws {
        try await fixture.record(
            Self.monthly.started("2000", from: start, until: end),
            Self.monthly.refunded("2000", at: start + LedgerFixture.day))
        #expect(try fixture.check("customThemes", at: start + LedgerFixture.day).allowed == false)
        try await fixture.perform(
            .issueGrant(.init(id: "vip", target: .entitlement("premium"), reason: "support")))
        for time in [start + 2 * LedgerFixture.day, end, end + 3_650 * LedgerFixture.day] {
            #expect(try fixture.check("customThemes", at: time).reason == .grant)
            #expect(try lifetimeAccess(at: time) == "true")
            #expect(try fixture.entitlement("premium", at: time)?.expiresAt == nil)
        }
    }

    @Test("MS-19 Lifetime access is what no end takes away, also beside a running subscription")
    func lifetimeBesides() async throws {
        try await fixture.record(Self.monthly.started("2000", from: start, until: end))
        try await fixture.perform(
            .issueGrant(
                .init(
                    id: "week", target: .entitlement("premium"), startsAt: start,
                    expiresAt: start + 7 * LedgerFixture.day, reason: "promo")))
        #expect(try lifetimeAccess(at: start + LedgerFixture.day) == "false")
        // After the subscription the temporary grant alone gives access, and not for life.
        #expect(try fixture.status(at: end).status == "expired")
        try await fixture.perform(
            .issueGrant(.init(id: "vip", target: .entitlement("premium"), reason: "support")))
        let time = fixture.clock.now + LedgerFixture.day
        #expect(try fixture.status(at: time).status == "premiumMonthly")
        #expect(try lifetimeAccess(at: time) == "true")
        #expect(try fixture.status(at: end).status == "free")
        #expect(try lifetimeAccess(at: end) == "true")
        try await fixture.perform(.voidGrant(grant: "vip"))
        #expect(try lifetimeAccess(at: end) == "false")
    }

    @Test("MS-20 Stories under Premium burn no quota: after the lapse what was left is left")
    func lapse() async throws {
        try await fixture.use("stories", "s1", "s2")
        let week = start + 7 * LedgerFixture.day
        try await fixture.record(Self.monthly.started("2000", from: start, until: week))
        fixture.clock.now += LedgerFixture.day
        try await fixture.use("stories", "p1", "p2", "p3", "p4")
        #expect(try fixture.meter("stories", at: week - 1)?.remaining == nil)
        let meter = try #require(try fixture.meter("stories", at: week))
        #expect((meter.used, meter.remaining) == (2, 1))
    }

    @Test("MS-40 A trial counts down from seven days and becomes a subscription")
    func trial() async throws {
        let trialEnd = start + 7 * LedgerFixture.day
        let offer: JSONObject = ["offer": ["type": "introductory", "discount": "free_trial"]]
        try await fixture.record(
            Self.monthly.started("2000", from: start, until: trialEnd, offer),
            Self.monthly.renewed(
                "2001", from: trialEnd, until: trialEnd + 31 * LedgerFixture.day,
                ["trial_conversion": true]))
        for day in 0..<7 as Range<Int64> {
            let time = start + day * LedgerFixture.day
            let source = try #require(try fixture.entitlement("premium", at: time)?.winner)
            #expect(source.state == .trial)
            #expect(source.trialDaysRemaining == 7 - day)
            #expect(try fixture.status(at: time).status == "premiumMonthly")
        }
        #expect(
            try fixture.entitlement("premium", at: trialEnd - 1)?.winner?.trialDaysRemaining == 1)
        let converted = try #require(try fixture.entitlement("premium", at: trialEnd)?.winner)
        #expect(converted.state == .active)
        #expect(converted.trialDaysRemaining == nil)
    }

    @Test("MS-41 A trial cancelled on its second day lasts its seven days and then ends")
    func cancelledTrial() async throws {
        let trialEnd = start + 7 * LedgerFixture.day
        try await fixture.record(
            Self.monthly.started(
                "2000", from: start, until: trialEnd,
                ["offer": ["type": "introductory", "discount": "free_trial"]]),
            Self.monthly.autoRenew(false, at: start + 2 * LedgerFixture.day))
        let last = try #require(try fixture.entitlement("premium", at: trialEnd - 1))
        #expect(last.isActive && last.state == .trial && !last.willRenew)
        #expect(try fixture.status(at: trialEnd - 1).status == "premiumMonthly")
        #expect(try fixture.status(at: trialEnd).status == "expired")
        #expect(try fixture.status(at: trialEnd).introEligible.map(\.isEligible) == [false])
    }

    @Test("MS-42 A conversion that cannot be charged stays premium until grace is over")
    func grace() async throws {
        let trialEnd = start + 7 * LedgerFixture.day
        let graceEnd = trialEnd + 16 * LedgerFixture.day
        try await fixture.record(
            Self.monthly.started(
                "2000", from: start, until: trialEnd,
                ["offer": ["type": "introductory", "discount": "free_trial"]]),
            Self.monthly.billingFailed(at: trialEnd, graceUntil: graceEnd))
        for time in [trialEnd, graceEnd - 1] {
            let answer = try #require(try fixture.entitlement("premium", at: time))
            #expect(answer.isActive && answer.state == .grace && answer.expiresAt == graceEnd)
            #expect(try fixture.status(at: time).status == "premiumMonthly")
        }
        #expect(try fixture.status(at: graceEnd).status == "expired")
        #expect(try fixture.check("customThemes", at: graceEnd).reason == .billingRetry)
    }

    @Test("MS-65 What only a client says never opens a feature, unless the catalog allows it")
    func clientAsserted() async throws {
        var client = Self.monthly
        client.trust = .clientAsserted
        let claim = client.started("2000", from: start, until: end)
        try await fixture.record(claim)
        #expect(try fixture.check("customThemes").reason == .unverified)
        #expect(try fixture.status().status == "free")
        let trusting = try await LedgerFixture(
            "magical-stories", replacing: ["clientAssertedHours: 0": "clientAssertedHours: 1"])
        try await trusting.record(claim)
        #expect(try trusting.check("customThemes", at: start + LedgerFixture.hour - 1).allowed)
        #expect(try !trusting.check("customThemes", at: start + LedgerFixture.hour).allowed)
    }
}
