import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

@Suite("Dozzi: analytics")
struct DozziAnalyticsTests {
    let fixture: LedgerFixture
    let now = Fixtures.now

    init() async throws {
        // Asked a month later, so that whatever was going to happen has happened.
        fixture = try await LedgerFixture("dozzi", now: Fixtures.now + 30 * LedgerFixture.day)
    }

    private var ledger: Ledger { fixture.ledger }

    private func seen(
        _ type: String, _ subject: String, after seconds: Int64, _ data: JSONObject = [:]
    ) -> EventDraft {
        .reported(
            EventTypeName(rawValue: type), at: now + seconds * 1_000,
            key: "\(subject)/\(type)/\(seconds)",
            subject: subject, data)
    }

    private func counts(_ steps: [FunnelReport.Step]) -> [Int] { steps.map(\.count) }

    @Test(
        "DZ-27 All eight names of the document come in as the ledger's own",
        arguments: [
            ("paywallShown", "paywall.shown"), ("paywallDismissed", "paywall.dismissed"),
            ("purchaseStarted", "checkout.started"), ("purchaseCompleted", "checkout.completed"),
            ("purchaseFailed", "checkout.failed"), ("storyCreatedFree", "usage.recorded"),
            ("storyCreatedPremium", "usage.recorded"), ("appLaunched", "app.launched"),
        ])
    func names(_ theirs: String, _ ours: String) async throws {
        let line = """
            {"type":"\(theirs)","subject":"ada","occurred_at":\(now),\
            "source":{"kind":"native","key":"k1"},"data":{"storyId":"s1","productId":"p"}}
            """
        var chunks = [Array(line.utf8)]
        let report = try await ledger.importLines { chunks.popLast() }
        #expect(report.appended == 1)
        let kept = try ledger.history(of: "ada").map(\.event.draft)
        #expect(kept.map(\.type.rawValue) == [ours])
        // With the ledger's own members, too.
        if ours == "usage.recorded" { #expect(kept.first?.data["ref"] == "s1") }
        if ours.hasPrefix("checkout.") { #expect(kept.first?.data["product"] == "p") }
        #expect(try fixture.meter("stories")?.used == (theirs == "storyCreatedFree" ? 1 : 0))
        #expect(try fixture.status().status == "free")
    }

    @Test("DZ-28 The funnel counts who got how far, and leaves the rest behind")
    func funnel() async throws {
        var drafts: [EventDraft] = []
        for (index, subject) in ["a", "b", "c", "d"].enumerated() {
            drafts.append(seen("paywall.shown", subject, after: 0))
            if index > 0 { drafts.append(seen("checkout.started", subject, after: 10)) }
            if index > 1 { drafts.append(seen("checkout.completed", subject, after: 40)) }
        }
        // Too late for the window of seven days.
        drafts.append(seen("checkout.started", "a", after: 8 * 86_400))
        try await ledger.record(drafts)
        let report = try ledger.funnel("paywall_to_purchase")
        #expect(
            report.steps.map(\.name) == ["paywallShown", "purchaseStarted", "purchaseCompleted"])
        #expect(counts(report.steps) == [4, 3, 2])
        #expect(report.steps.map(\.medianMilliseconds) == [nil, 10_000, 30_000])
    }

    @Test("DZ-37 Numbers that others measured are kept as they were told")
    func measured() async throws {
        let catalog = try #require(try ledger.catalogs().newest?.catalog)
        let told = [
            ("app_rating", "4.6"), ("crash_rate", "0.0008"), ("support_ticket_rate", "0.015"),
        ]
        for (name, value) in told {
            let data: JSONObject = ["name": .string(name), "value": .number(value)]
            try await fixture.record(.reported(.kpiRecorded, at: now, key: name, data))
            let kept = try ledger.history(of: "ada").map(\.event.draft)
            #expect(kept.first { $0.source.key == name }?.data == data)
            // The target that it is held against has its name.
            #expect(catalog.kpis.count { $0.metric == "kpi.\(name)" } == 1)
        }
        #expect(try fixture.count(of: .kpiRecorded) == 3)
    }

    @Test("DZ-39 Variants are told apart by the first exposure")
    func variants() async throws {
        func exposed(_ subject: String, _ variant: String, after seconds: Int64) -> EventDraft {
            seen(
                "experiment.exposed", subject, after: seconds,
                ["experiment": "price", "variant": .string(variant)])
        }
        try await ledger.record([
            exposed("a", "2.99", after: 0), seen("paywall.shown", "a", after: 5),
            seen("checkout.started", "a", after: 6), seen("checkout.completed", "a", after: 7),
            exposed("b", "3.99", after: 0), exposed("b", "2.99", after: 1),
            seen("paywall.shown", "b", after: 5),
        ])
        let report = try ledger.funnel(FunnelRequest("paywall_to_purchase", by: .variant))
        #expect(report.groups.map(\.name) == ["2.99", "3.99"])
        #expect(report.groups.map { counts($0.steps) } == [[1, 1, 1], [1, 0, 0]])
    }

    @Test(
        "DZ-43 Once consent is withdrawn the funnel forgets what comes after, and nothing is used"
    )
    func consent() async throws {
        try await ledger.record([
            seen("paywall.shown", "ada", after: 0), seen("checkout.started", "ada", after: 10),
            DozziPurchaseTests.purchase(at: now),
        ])
        let before = try fixture.status(at: now + 60_000)
        try await ledger.record([
            seen("consent.rescinded", "ada", after: 20),
            seen("checkout.completed", "ada", after: 30),
        ])
        #expect(counts(try ledger.funnel("paywall_to_purchase").steps) == [1, 1, 0])
        // What they have is theirs; nothing of it may be used.
        #expect(try fixture.status(at: now + 60_000) == before)
        for name in ["premiumVoices", "stories"] {
            #expect(try fixture.check(name, at: now + 19_000).allowed)
            let decision = try fixture.check(name, at: now + 20_000)
            #expect(!decision.allowed && decision.reason == .consentRescinded, "\(name)")
        }
        let use = Command.consume(meter: "stories", amount: 1, ref: "s1")
        #expect(try await fixture.refusal(of: use)?.code == "consent_rescinded")
    }

    @Test("DZ-43 Consent that is given again opens what was closed, from then on")
    func consentGiven() async throws {
        try await ledger.record([
            DozziPurchaseTests.purchase(at: now), seen("consent.rescinded", "ada", after: 20),
            seen("consent.given", "ada", after: 60), seen("paywall.shown", "ada", after: 30),
            seen("checkout.started", "ada", after: 50), seen("paywall.shown", "ada", after: 70),
        ])
        let allowed = try [10, 20, 59, 60].map {
            try fixture.check("premiumVoices", at: now + $0 * 1_000).allowed
        }
        #expect(allowed == [true, false, false, true])
        #expect(counts(try ledger.funnel("paywall_to_purchase").steps) == [1, 0, 0])
        // What was known before the consent came back is what was answered then.
        let known = try fixture.check(
            "premiumVoices", at: now + 60_000, knownAt: .position(3))
        #expect(known.reason == .consentRescinded)
    }

    @Test("DZ-43 Apple's RESCIND_CONSENT closes what its account may use, once its owner is known")
    func rescindConsent() async throws {
        let bench = try await AppStoreBench("dozzi")
        let (now, ledger) = (AppStoreBench.now, bench.fixture.ledger)
        func check(_ time: Int64) throws -> Decision {
            try ledger.check(
                CheckQuestion("premiumVoices"), for: "ada", environment: .test,
                moment: Moment(at: time)
            ).decision
        }
        try await bench.post(AppStoreBench.forever("7"), by: "ada")
        let download: JSONObject = [
            "receiptType": "LocalTesting", "bundleId": .string(AppStoreBench.bundleID),
            "receiptCreationDate": .integer(now), "appTransactionId": "704",
        ]
        let signed = try bench.authority.sign(download)
        var rescinded = AppStoreBench.notification(.rescindConsent, signedAt: now)
        rescinded.others = [
            "data": .null,
            "appData": [
                "bundleId": .string(AppStoreBench.bundleID), "environment": "LocalTesting",
                "signedAppTransactionInfo": .string(signed),
            ],
        ]
        #expect(try await bench.take(rescinded).refused == [])
        // The notification names the account and no customer.
        #expect(try check(now).allowed)
        try await ledger.perform(
            CommandRequest(.alias(to: "ada"), subject: "apple:704", environment: .test))
        #expect(try check(now - 1).allowed)
        #expect(try !check(now).allowed)
        #expect(try check(now).reason == .consentRescinded)
    }

    @Test("DZ-43 Whether a withdrawal closes anything is the catalog's to say")
    func consentWithoutPolicy() async throws {
        let fixture = try await LedgerFixture(
            "dozzi", replacing: ["  suspendsWithoutConsent: true\n": ""])
        try await fixture.record(seen("consent.rescinded", "ada", after: 0))
        #expect(try fixture.check("stories", at: now + 1_000).allowed)
    }
}
