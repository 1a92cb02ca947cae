import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Nuzzle: what is free and what is Pro")
struct NuzzleFeatureTests {
    let fixture: LedgerFixture
    let start = NuzzleFixture.start
    let day = NuzzleFixture.day

    init() async throws { fixture = try await LedgerFixture("nuzzle") }

    @Test("NZ-01 Three cry insights are free, the fourth is refused; the rest of Pro is closed")
    func free() async throws {
        for left in [2, 1, 0] as [Int64] {
            let receipt = try await fixture.ledger.consume(
                "cryInsights", by: "ada", ref: "cry-\(left)")
            #expect(receipt.decision?.usage?.remaining == left)
        }
        let refusal = try await fixture.refusal(
            of: .consume(meter: "cryInsights", amount: 1, ref: "cry-4"))
        #expect(
            refusal
                == .limitReached(
                    meter: "cry_insights", limit: 3, used: 3, reserved: 0, requested: 1,
                    resetsAt: nil))
        #expect(try fixture.check("cryInsights").reason == .limitReached)
        for name in NuzzleFixture.pro where name != "cryInsights" {
            let decision = try fixture.check(name)
            #expect(!decision.allowed)
            #expect(decision.reason == .notEntitled)
        }
        for name in NuzzleFixture.free {
            #expect(try fixture.check(name).reason == .freeFeature)
        }
    }

    @Test("NZ-02 Pro opens all five, and its cry insights leave the three alone")
    func pro() async throws {
        try await fixture.record(NuzzleFixture.month())
        for name in NuzzleFixture.pro {
            let decision = try fixture.check(name)
            #expect(decision.allowed)
            #expect(decision.reason == .subscription)
        }
        try await fixture.use("cry_insights", "c1", "c2", "c3", "c4", "c5")
        let usage = try #require(try fixture.meter("cry_insights"))
        #expect(usage.limit == nil)
        #expect(usage.used == 0)
        #expect(try fixture.count(of: .usageRecorded) == 5)
    }

    @Test("NZ-03 When Pro lapses what was free before is still there", arguments: [0, 1, 2, 3])
    func lapsed(_ before: Int64) async throws {
        for index in 0..<before { try await fixture.use("cry_insights", "free\(index)") }
        try await fixture.record(NuzzleFixture.month())
        try await fixture.use("cry_insights", "pro1", "pro2", "pro3", "pro4")
        fixture.clock.now = start + 31 * day
        #expect(try fixture.status().status == "expired")
        #expect(try fixture.meter("cry_insights")?.remaining == 3 - before)
        #expect(try fixture.check("cryInsights").allowed == (before < 3))
    }

    @Test("NZ-10 The status and the check agree on every feature, at every turn")
    func agreement() async throws {
        let monthEnd = start + 31 * day
        try await fixture.record(
            NuzzleFixture.month(),
            NuzzleFixture.monthly.billingFailed(at: monthEnd, graceUntil: monthEnd + 16 * day))
        for time in [start - 1, start, monthEnd - 1, monthEnd, monthEnd + 16 * day] {
            let isPro = try fixture.entitlement("pro", at: time)?.isActive == true
            for name in NuzzleFixture.pro where name != "cryInsights" {
                #expect(try fixture.check(name, at: time).allowed == isPro)
            }
            #expect(try fixture.check("cryInsights", at: time).allowed)
            for name in NuzzleFixture.free {
                #expect(try fixture.check(name, at: time).allowed)
            }
            #expect((try fixture.meter("cry_insights", at: time)?.limit == nil) == isPro)
        }
    }

    @Test("NZ-13 The document's names come in; those of store facts are kept and mean nothing")
    func names() async throws {
        let derived = [
            "subscription_trial_started", "subscription_activated", "subscription_renewed",
            "subscription_cancelled",
        ]
        for name in derived + ["paywall_viewed", "subscription_purchased"] {
            let line = """
                {"type":"\(name)","subject":"ada","occurred_at":\(start),\
                "source":{"kind":"native","key":"\(name)"},"data":{}}
                """
            var chunks = [Array(line.utf8)]
            #expect(try await fixture.ledger.importLines { chunks.popLast() }.appended == 1)
        }
        let types = Set(try fixture.ledger.history(of: "ada").map(\.event.draft.type.rawValue))
        #expect(types == Set(derived + ["paywall.shown", "checkout.completed"]))
        #expect(try fixture.status().status == "notSubscribed")
    }

    @Test("NZ-26 A closed feature comes with the screen to show: feature, title and both products")
    func upgradePrompt() async throws {
        let decision = try fixture.check("smartPredictions")
        #expect(decision.paywall?.context == "featureRestricted")
        #expect(decision.paywall?.feature == "smartPredictions")
        #expect(
            decision.paywall?.products == ["com.nestling.pro.yearly", "com.nestling.pro.monthly"])
        #expect(decision.display?.text == "Smart Predictions")
        #expect(!decision.isPrompting)
        // Open, it brings no screen.
        try await fixture.record(NuzzleFixture.month())
        let open = try fixture.check("smartPredictions")
        #expect(open.allowed)
        #expect(open.paywall == nil)
    }

    @Test("NZ-29 Pro belongs to the caregiver who bought it, not to the household")
    func household() async throws {
        try await fixture.record(NuzzleFixture.month())
        let other = try fixture.ledger.status(of: "ben").status
        #expect(other.status == "notSubscribed")
        // Restoring on the other's phone names a second customer; the first keeps the lineage.
        var restored = NuzzleFixture.monthly.stated(
            "9101", from: start, until: start + 31 * day, signedAt: start + 1_000)
        restored.subject = "ben"
        restored.source.kind = "apple_jws"
        try await fixture.record(restored)
        let after = try fixture.ledger.status(of: "ben").status
        #expect(after.status == "notSubscribed")
        #expect(after.warnings == ["owned_by_other"])
        #expect(try fixture.status().status == "subscribed")
    }

    @Test(
        "NZ-22 The catalog has the products, prices and the trial that the store configuration has")
    func products() throws {
        let catalog = try Fixtures.catalog("nuzzle")
        let yearly = try #require(catalog.product("com.nestling.pro.yearly"))
        let monthly = try #require(catalog.product("com.nestling.pro.monthly"))
        #expect(yearly.prices == [Price(name: "regular", amountMilli: 39_990, currency: "USD")])
        #expect(monthly.prices == [Price(name: "regular", amountMilli: 5_990, currency: "USD")])
        #expect(yearly.introOffer?.kind == .freeTrial)
        #expect(yearly.introOffer?.duration == CivilDuration(days: 7))
        #expect(monthly.introOffer == nil)
    }
}
