import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Nuzzle: the state of Pro")
struct NuzzleStatusTests {
    let fixture: LedgerFixture
    let day = NuzzleFixture.day
    let start = NuzzleFixture.start
    let trialEnd = NuzzleFixture.trialEnd
    let yearly = NuzzleFixture.yearly
    let monthly = NuzzleFixture.monthly
    var monthEnd: Int64 { start + 31 * day }

    init() async throws { fixture = try await LedgerFixture("nuzzle") }

    private func word(_ time: Int64) throws -> String? { try fixture.status(at: time).status }
    private func isPro(_ time: Int64) throws -> Bool {
        try fixture.entitlement("pro", at: time)?.isActive == true
    }
    private func trialDays(_ time: Int64) throws -> Int64? {
        try fixture.entitlement("pro", at: time)?.winner?.trialDaysRemaining
    }

    @Test("NZ-04 Never subscribed, in a trial, paying and about to end are told apart")
    func words() async throws {
        #expect(try word(start) == "notSubscribed")
        try await fixture.record(NuzzleFixture.trial(), NuzzleFixture.converted())
        let later = trialEnd + 10 * day
        try await fixture.record(yearly.autoRenew(false, at: later))
        #expect(try word(start - 1) == "notSubscribed")
        for time in [start, trialEnd - 1, trialEnd, later, NuzzleFixture.yearEnd - 1] {
            #expect(try word(time) == "subscribed")
            #expect(try isPro(time))
        }
        #expect(try fixture.entitlement("pro", at: later - 1)?.willRenew == true)
        #expect(try fixture.entitlement("pro", at: later)?.willRenew == false)
        #expect(try word(NuzzleFixture.yearEnd) == "expired")
        #expect(try !isPro(NuzzleFixture.yearEnd))
    }

    @Test(
        "NZ-04 A failed charge with grace keeps Pro, without grace it does not",
        arguments: [true, false])
    func failed(_ hasGrace: Bool) async throws {
        let grace = monthEnd + 16 * day
        try await fixture.record(
            NuzzleFixture.month(),
            monthly.billingFailed(at: monthEnd, graceUntil: hasGrace ? grace : nil))
        #expect(try word(monthEnd - 1) == "subscribed")
        #expect(try word(monthEnd) == (hasGrace ? "inGracePeriod" : "inBillingRetryPeriod"))
        #expect(try isPro(monthEnd) == hasGrace)
        #expect(try word(grace) == "inBillingRetryPeriod")
        #expect(try !isPro(grace))
        #expect(try fixture.check("aiAssistant", at: grace).reason == .billingRetry)
        #expect(try word(monthEnd + 60 * day - 1) == "inBillingRetryPeriod")
        #expect(try word(monthEnd + 60 * day) == "expired")
    }

    @Test("NZ-04 A refund ends Pro at its date and the word is expired")
    func refunded() async throws {
        let time = start + 5 * day
        try await fixture.record(NuzzleFixture.month(), monthly.refunded("9101", at: time))
        #expect(try word(time - 1) == "subscribed")
        #expect(try word(time) == "expired")
        #expect(try isPro(time - 1))
        #expect(try !isPro(time))
        #expect(try fixture.check("aiAssistant", at: time).reason == .refunded)
    }

    @Test(
        "NZ-05 Trial days count down from 7 to 1 and are nil after the conversion",
        arguments: [
            (0, 7), (1, 7), (86_400_000, 6), (86_400_001, 6), (6 * 86_400_000 - 1, 2),
            (6 * 86_400_000, 1), (7 * 86_400_000 - 1, 1), (7 * 86_400_000, nil),
            (30 * 86_400_000, nil), (-1, nil),
        ] as [(Int64, Int64?)])
    func countdown(_ offset: Int64, _ days: Int64?) async throws {
        try await fixture.record(NuzzleFixture.trial(), NuzzleFixture.converted())
        #expect(try trialDays(start + offset) == days)
    }

    @Test("NZ-05 The store's end rules the count, and a cancelled trial is nil once it is over")
    func storeDates() async throws {
        // The store gave 30 days, whatever the catalog says of seven.
        try await fixture.record(
            yearly.started("9001", from: start, until: start + 30 * day, NuzzleFixture.trialOffer),
            yearly.autoRenew(false, at: start + day))
        #expect(try trialDays(start) == 30)
        #expect(try trialDays(start + 20 * day) == 10)
        #expect(try fixture.entitlement("pro", at: start + 20 * day)?.state == .trial)
        #expect(try trialDays(start + 30 * day) == nil)
        #expect(try word(start + 30 * day) == "expired")
    }

    @Test("NZ-06 A monthly purchase has no trial days")
    func monthlyPurchase() async throws {
        try await fixture.record(NuzzleFixture.month())
        #expect(try trialDays(start + day) == nil)
        #expect(try fixture.check("aiAssistant", at: start + day).reason == .subscription)
    }

    @Test(
        "NZ-07 Only an introductory offer that is free is a trial",
        arguments: [
            ("introductory", "free_trial", true), ("introductory", "pay_as_you_go", false),
            ("introductory", "pay_up_front", false), ("promotional", "free_trial", false),
            ("1", "FREE_TRIAL", true),
        ])
    func offers(_ type: String, _ discount: String, _ isTrial: Bool) async throws {
        try await fixture.record(
            yearly.started(
                "9001", from: start, until: trialEnd,
                ["offer": ["type": .string(type), "discount": .string(discount)]]))
        #expect(try fixture.entitlement("pro", at: start)?.state == (isTrial ? .trial : .active))
        #expect(try trialDays(start) == (isTrial ? 7 : nil))
    }

    @Test("NZ-08 While only the renewal is known the customer is free, and the next fact heals it")
    func unclear() async throws {
        try await fixture.record(
            yearly.event(
                .storeRenewalStated, at: start,
                [
                    "auto_renew": true, "product": "com.nestling.pro.yearly",
                    "auto_renew_product": "com.nestling.pro.yearly",
                ]))
        let before = try fixture.check("aiAssistant", at: start)
        #expect(!before.allowed)
        #expect(before.reason == .unknownState)
        #expect(try fixture.check("cryInsights", at: start).reason == .freeQuota)
        try await fixture.record(
            yearly.stated(
                "9001", from: start, until: trialEnd, signedAt: start + 5, NuzzleFixture.trialOffer)
        )
        #expect(try fixture.check("aiAssistant", at: start).reason == .trial)
        #expect(try trialDays(start) == 7)
    }

    @Test("NZ-09 Pro ends with its latest source, in grace with the grace, and never without one")
    func expiration() async throws {
        func end(_ time: Int64) throws -> Int64? {
            try fixture.entitlement("pro", at: time)?.expiresAt
        }
        #expect(try end(start) == nil)
        let grace = monthEnd + 16 * day
        try await fixture.record(NuzzleFixture.month())
        #expect(try end(start) == monthEnd)
        try await fixture.record(monthly.billingFailed(at: monthEnd, graceUntil: grace))
        #expect(try end(monthEnd) == grace)
        try await fixture.perform(
            .issueGrant(
                .init(
                    id: "g1", target: .entitlement("pro"), startsAt: start,
                    expiresAt: start + 90 * day)))
        #expect(try end(start) == start + 90 * day)
        #expect(try end(monthEnd) == start + 90 * day)
        #expect(try end(start + 90 * day) == nil)
    }

    @Test("NZ-11 One introductory offer in the group uses up the trial of both products")
    func eligibility() async throws {
        func isEligible() throws -> Bool? { try fixture.status().introEligible.first?.isEligible }
        #expect(try isEligible() == true)
        try await fixture.record(NuzzleFixture.month())
        #expect(try isEligible() == true, "a paid month without an offer leaves the trial")
        try await fixture.record(NuzzleFixture.trial())
        #expect(try isEligible() == false)
        let catalog = try Fixtures.catalog("nuzzle")
        #expect(Set(catalog.products.map(\.group)) == ["Nuzzle Pro"])
        #expect(try fixture.status().introEligible.map(\.group) == ["Nuzzle Pro"])
    }

    @Test("NZ-14 Renewal switched off and on again leaves a subscriber")
    func backOn() async throws {
        try await fixture.record(
            NuzzleFixture.month(), monthly.autoRenew(false, at: start + day),
            monthly.autoRenew(true, at: start + 2 * day))
        #expect(try fixture.entitlement("pro", at: start + day)?.state == .activeCanceling)
        #expect(try fixture.entitlement("pro", at: start + 2 * day)?.state == .active)
        for days in [1, 2, 3] as [Int64] {
            #expect(try word(start + days * day) == "subscribed")
        }
    }

    @Test("NZ-15 A completed checkout is no Pro until the store's fact is there")
    func checkout() async throws {
        try await fixture.record(
            .reported(
                .checkoutCompleted, at: start, key: "c1",
                ["product": "com.nestling.pro.yearly"]))
        #expect(try !isPro(start))
        // Nor is the same purchase on the app's word alone.
        var claimed = yearly
        claimed.trust = .clientAsserted
        claimed.source = "app"
        try await fixture.record(NuzzleFixture.trial(claimed))
        #expect(try !isPro(start))
        try await fixture.record(NuzzleFixture.trial())
        #expect(try isPro(start))
    }

    @Test("NZ-28 A recovery in grace leaves no gap and keeps the date; one after it shows the gap")
    func recovery() async throws {
        let failure = monthly.billingFailed(at: monthEnd, graceUntil: monthEnd + 16 * day)
        let recovered = monthEnd + 5 * day
        try await fixture.record(
            NuzzleFixture.month(), failure,
            monthly.renewed(
                "9102", from: recovered, until: monthEnd + 28 * day, ["recovery": true]))
        #expect(try word(recovered - 1) == "inGracePeriod")
        #expect(try word(recovered) == "subscribed")
        #expect(try fixture.entitlement("pro", at: recovered)?.expiresAt == monthEnd + 28 * day)
        for days in 0..<28 as Range<Int64> { #expect(try isPro(monthEnd + days * day)) }

        let late = try await LedgerFixture("nuzzle")
        let after = monthEnd + 20 * day
        try await late.record(
            NuzzleFixture.month(), failure,
            monthly.renewed("9102", from: after, until: after + 31 * day, ["recovery": true]))
        #expect(try late.entitlement("pro", at: monthEnd + 16 * day - 1)?.state == .grace)
        #expect(try late.entitlement("pro", at: monthEnd + 16 * day)?.state == .billingRetry)
        for time in [monthEnd + 16 * day, after - 1] {
            #expect(try late.entitlement("pro", at: time)?.isActive == false)
        }
        #expect(try late.entitlement("pro", at: after)?.isActive == true)
        #expect(try late.entitlement("pro", at: after)?.expiresAt == after + 31 * day)
    }

    @Test("NZ-31 At the sandbox's pace a trial lasts three minutes and a year an hour")
    func accelerated() async throws {
        let lineage = LineageFixture(
            "9000", product: "com.nestling.pro.yearly", environment: .sandbox)
        let minute: Int64 = 60_000
        var drafts = [
            lineage.started("t", from: start, until: start + 3 * minute, NuzzleFixture.trialOffer)
        ]
        for hour in 0..<12 as Range<Int64> {
            let from = start + 3 * minute + hour * 60 * minute
            drafts.append(lineage.renewed("y\(hour)", from: from, until: from + 60 * minute))
        }
        try await fixture.ledger.record(drafts)
        func state(_ time: Int64, _ environment: Environment) throws -> SourceState? {
            try fixture.ledger.status(
                of: "ada", environment: environment, moment: Moment(at: time)
            ).status.entitlements.first?.state
        }
        #expect(try state(start + 3 * minute - 1, .sandbox) == .trial)
        for hour in 0..<12 as Range<Int64> {
            let from = start + 3 * minute + hour * 60 * minute
            #expect(try state(from, .sandbox) == .active)
            #expect(try state(from + 60 * minute - 1, .sandbox) == .active)
        }
        #expect(try state(start + 723 * minute, .sandbox) == .expired)
        #expect(try state(start, .production) == SourceState.none)
        // A new phone restores the last year alone: it is Pro for the rest of that hour.
        let restored = try await LedgerFixture("nuzzle")
        var device = lineage
        device.source = "apple_jws"
        let last = start + 663 * minute
        let end = last + 60 * minute
        try await restored.ledger.record([
            device.stated("y11", from: last, until: end, signedAt: last + minute)
        ])
        for (time, isPro) in [(last - 1, false), (last, true), (end - 1, true), (end, false)] {
            let status = try restored.ledger.status(
                of: "ada", environment: .sandbox, moment: Moment(at: time)
            ).status
            #expect(status.entitlements.first?.isActive == isPro)
        }
    }
}
