import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("The reference model, access computed by hand")
struct ReferenceModelAccessTests {
    private typealias Day = ModelHistory

    private func states(
        _ history: ModelHistory, _ times: [Int64], _ name: String = "pro"
    ) -> [String] {
        times.map { history.answer(at: $0).entitlements[name].map { "\($0)" } ?? "?" }
    }

    @Test("Rows 5, 6 and 9 Cancelled, on until the end, which is exclusive (E08, E17)")
    func cancelled() throws {
        var history = try ModelHistory.app("nuzzle")
        let end = Day.day(31)
        try history.charge("1", from: Day.day(0), to: end)
        try history.add(
            "subscription.auto_renew_changed", at: Day.day(5),
            ["original_transaction_id": "1", "enabled": false])
        #expect(
            states(history, [Day.start - 1, Day.day(4), Day.day(5), end - 1, end]) == [
                "off none until -", "on active until \(end) renews",
                "on active_canceling until \(end)", "on active_canceling until \(end)",
                "off expired until -",
            ])
    }

    @Test("Rows 4, 7 and 8 Trial, grace, then sixty days of billing retry")
    func grace() throws {
        var history = try ModelHistory.app("nuzzle")
        try history.charge(
            "1", from: Day.day(0), to: Day.day(7),
            ["offer": ["type": "introductory", "discount": "free_trial"]])
        try history.add(
            "subscription.billing_failed", at: Day.day(7),
            ["original_transaction_id": "1", "grace_expires_at": .integer(Day.day(23))])
        let days: [Int64] = [6, 7, 23, 66, 67]
        let answers = days.map { history.answer(at: Day.day($0)).entitlements["pro"]?.state }
        #expect(answers == ["trial", "grace", "billing_retry", "billing_retry", "expired"])
        #expect(history.answer(at: Day.day(8)).entitlements["pro"]?.expiresAt == Day.day(23))
        #expect(history.answer(at: Day.day(8)).features["aiAssistant"]?.reason == .grace)
        #expect(history.answer(at: Day.day(24)).features["aiAssistant"]?.reason == .billingRetry)
    }

    @Test("E02, E03 and E35 The newest signature says whether a period was refunded")
    func refund() throws {
        var history = try ModelHistory.app("nuzzle")
        let reference: JSONObject = ["original_transaction_id": "1", "transaction_id": "1"]
        try history.charge("1", from: Day.day(0), to: Day.day(31))
        var refund = reference
        refund["revoked_at"] = .integer(Day.day(10))
        try history.add("purchase.refunded", at: Day.day(10), refund)
        try history.add("purchase.refund_reversed", at: Day.day(20), reference)
        let at = Day.day(15)
        #expect(history.answer(at: at, cut: 2).entitlements["pro"]?.state == "active")
        #expect(history.answer(at: at, cut: 3).entitlements["pro"]?.state == "refunded")
        #expect(history.answer(at: Day.day(10) - 1, cut: 3).entitlements["pro"]?.isActive == true)
        #expect(history.answer(at: at, cut: 4).entitlements["pro"]?.state == "active")
    }

    @Test("E05 A renewal charged early begins where the period before it ends")
    func earlyRenewal() throws {
        var history = try ModelHistory.app("nuzzle")
        try history.charge("1", from: Day.day(0), to: Day.day(31))
        try history.charge("2", from: Day.day(30), to: Day.day(59))
        let middle = history.answer(at: Day.day(30)).entitlements["pro"]
        #expect(middle?.expiresAt == Day.day(31) && middle?.isActive == true)
        #expect(history.answer(at: Day.day(31)).entitlements["pro"]?.expiresAt == Day.day(59))
    }

    @Test("E23 An upgrade truncates the old period and drops nothing")
    func upgrade() throws {
        var history = try ModelHistory.app("nuzzle")
        try history.charge("1", from: Day.day(0), to: Day.day(31))
        try history.charge(
            "2", from: Day.day(10), to: Day.day(375), product: "com.nestling.pro.yearly")
        try history.add(
            "subscription.product_changed", at: Day.day(10),
            [
                "original_transaction_id": "1", "from": "com.nestling.pro.monthly",
                "to": "com.nestling.pro.yearly", "effective": "now",
            ])
        #expect(history.answer(at: Day.day(9)).entitlements["pro"]?.expiresAt == Day.day(10))
        #expect(history.answer(at: Day.day(10)).entitlements["pro"]?.expiresAt == Day.day(375))
    }

    @Test("E07 A missing renewal that the store calls continuous is access")
    func gap() throws {
        var history = try ModelHistory.app("nuzzle")
        try history.charge("1", from: Day.day(0), to: Day.day(31))
        try history.charge("3", from: Day.day(59), to: Day.day(90))
        #expect(history.answer(at: Day.day(40)).entitlements["pro"]?.state == "expired")
        try history.add(
            "store.renewal_stated", at: Day.day(60),
            [
                "original_transaction_id": "1", "auto_renew": true,
                "continuous_since": .integer(Day.day(0)),
            ])
        #expect(history.answer(at: Day.day(40)).entitlements["pro"]?.isActive == true)
    }

    @Test("Rule 7 A lineage moves with a transfer, with and without its name, from then on")
    func transfers() throws {
        var history = try ModelHistory.app("nuzzle")
        try history.charge("1", from: Day.day(0), to: Day.day(31))
        try history.add(
            "purchase.transferred", at: Day.day(3), ["from": "ada", "to": "bob"])
        try history.add(
            "purchase.transferred", at: Day.day(6),
            ["from": "bob", "to": "eve", "original_transaction_id": "1"])
        let owners = [Int64(2), 3, 6].map { day in
            ["ada", "bob", "eve"].filter {
                history.answer(at: Day.day(day), subject: $0).lineages == ["apple:1"]
            }
        }
        #expect(owners == [["ada"], ["bob"], ["eve"]])
    }

    @Test("Rule 11 A client's word counts for 72 hours at Fork and never at Nuzzle")
    func clientAsserted() throws {
        var fork = try ModelHistory.app("fork-in-the-road")
        try fork.charge(
            "1", from: Day.day(0), to: Day.day(31),
            product: "com.forkintheroad.app.premium.monthly", trust: .clientAsserted)
        let states = [Day.day(3) - 1, Day.day(3)].map {
            fork.answer(at: $0).entitlements["premium"]?.isActive
        }
        #expect(states == [true, false])
        var nuzzle = try ModelHistory.app("nuzzle")
        try nuzzle.charge("1", from: Day.day(0), to: Day.day(31), trust: .clientAsserted)
        #expect(nuzzle.answer(at: Day.day(1)).entitlements["pro"]?.isActive == false)
        try nuzzle.charge("1", from: Day.day(0), to: Day.day(31))
        #expect(nuzzle.answer(at: Day.day(1)).entitlements["pro"]?.isActive == true)
    }

    @Test("T4, OL-06 and OL-11 Twenty-one calendar days across the change of clocks")
    func freePeriod() throws {
        var history = try ModelHistory.app("ollie")
        let start = instant("2026-03-15T09:00:00Z")
        let end = instant("2026-04-05T08:00:00Z")
        try history.add("profile.created", at: start, ["profile": "p1", "kind": "puppy"])
        let before = history.answer(at: end - 1)
        #expect(before.profiles.map(\.freePeriodEnds) == [[end]])
        #expect(before.profileFeatures["p1"]?["logEvent"]?.reason == .freePeriod)
        #expect(before.profileFeatures["p1"]?["export"]?.reason == .notEntitled)
        let after = history.answer(at: end).profileFeatures["p1"]
        #expect(after?["logEvent"].map { "\($0)" } == "denied.intro_expired")
        #expect(after?["timeline"]?.isAllowed == true)
    }

    @Test("OL-09 and OL-28 One purchase serves one dog until that dog is gone")
    func assignments() throws {
        var history = try ModelHistory.app("ollie")
        for profile in ["p1", "p2"] {
            try history.add(
                "profile.created", at: Day.day(0), ["profile": .string(profile), "kind": "puppy"])
        }
        try history.add(
            "purchase.completed", at: Day.day(30),
            [
                "product": "com.ollie.premium.perdog", "kind": "non_consumable",
                "transaction_id": "7", "price_milli": 19_000, "currency": "EUR",
            ])
        for (day, profile) in [(Int64(31), "p1"), (32, "p2"), (41, "p2")] {
            if day == 41 {
                try history.add("profile.deleted", at: Day.day(40), ["profile": "p1"])
            }
            try history.add(
                "purchase.assigned", at: Day.day(day),
                ["transaction_id": "7", "profile": .string(profile)])
        }
        let served = [Int64(30), 33, 40, 41].map { day in
            ["p1", "p2"].filter {
                history.answer(at: Day.day(day)).profileFeatures[$0]?["export"]?.isAllowed == true
            }
        }
        #expect(served == [["p1"], ["p1"], [], ["p2"]])
    }

    @Test("Rule 13 Gauges count refs and profiles; duplicates change nothing")
    func gauges() throws {
        var history = try ModelHistory.app("fork-in-the-road")
        let changes: [(hour: Int64, ref: String, amount: Int64)] = [
            (1, "a", 1), (2, "a", 1), (3, "b", 1), (4, "c", -1),
        ]
        for (hour, ref, amount) in changes {
            try history.use("collections", amount, at: Day.hour(hour), ref: ref)
        }
        #expect(history.answer(at: Day.hour(9)).meters["collections"]?.used == 2)
        var stories = try ModelHistory.app("magical-stories")
        for name in ["x", "y"] {
            try stories.add(
                "profile.created", at: Day.day(1), ["profile": .string(name), "kind": "child"])
        }
        #expect(stories.answer(at: Day.day(2)).meters["child_profiles"]?.overage == 1)
    }

    @Test("Rule 10 A debug override is a layer outside production")
    func debug() throws {
        var history = try ModelHistory.app("nuzzle")
        history.environment = .sandbox
        try history.add(
            "debug.override_set", at: Day.day(1),
            [
                "kind": "force_entitlement", "value": "pro", "actor": "dev",
                "expires_at": .integer(Day.day(2)),
            ], trust: .debug)
        let forced = [Day.day(1), Day.day(2)].map {
            history.answer(at: $0).features["aiAssistant"].map { "\($0)" }
        }
        #expect(forced == ["granted.debug", "denied.not_entitled"])
    }

    @Test("DZ-21 A lifetime purchase is on until its refund", arguments: [true, false])
    func lifetime(_ isRefundFirst: Bool) throws {
        var history = try ModelHistory.app("dozzi")
        let purchase: JSONObject = [
            "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
            "transaction_id": "7", "price_milli": 2990, "currency": "USD",
        ]
        let refund: JSONObject = ["transaction_id": "7", "revoked_at": .integer(Day.day(5))]
        if isRefundFirst { try history.add("purchase.refunded", at: Day.day(5), refund) }
        try history.add("purchase.completed", at: Day.day(1), purchase)
        if !isRefundFirst { try history.add("purchase.refunded", at: Day.day(5), refund) }
        let before = history.answer(at: Day.day(5) - 1)
        #expect(before.entitlements["unlimited"]?.state == "lifetime")
        #expect(before.meters["stories"]?.limit == nil)
        let after = history.answer(at: Day.day(5))
        #expect(after.features["premiumVoices"].map { "\($0)" } == "denied.refunded")
        #expect(after.meters["stories"]?.remaining == 2)
    }

    @Test(
        "Every invented event is canonical, and the order of arrival changes no answer",
        arguments: CatalogSamples.apps)
    func generator(_ app: String) throws {
        let catalog = try CatalogSamples.catalog(ofApp: app)
        let index = try #require(CatalogSamples.apps.firstIndex(of: app))
        for seed in [UInt64(index), 77] {
            var generator = EventGenerator(seed: seed, catalog: catalog)
            var drafts = generator.stream(subjects: 9, events: 300)
            #expect(drafts.count == 300)
            var again = EventGenerator(seed: seed, catalog: catalog)
            #expect(again.stream(subjects: 9, events: 300) == drafts)
            let times = drafts.compactMap(\.occurredAt)
            #expect(times.count == 300 && times == times.sorted())
            let expected = try answers(drafts, catalog)
            var random = SplitMix64(seed: seed)
            drafts.shuffle(using: &random)
            #expect(try answers(drafts, catalog) == expected, "seed \(seed) of \(app)")
        }
    }

    private func answers(_ drafts: [EventDraft], _ catalog: Catalog) throws -> [ReferenceAnswer] {
        var history = ModelHistory(catalog)
        for (index, draft) in drafts.enumerated() {
            let canonical = try EventValidator.canonical(draft)
            history.events.append(
                RecordedEvent(
                    position: Int64(index) + 2, streamVersion: 1, recordedAt: 0,
                    stream: EventRouter.stream(of: canonical), draft: canonical))
        }
        // Read once for all: the events are read anew for every question otherwise.
        let knowledge = history.model.knowledge(environment: .production, cut: Int64.max)
        return Set(drafts.compactMap(\.subject)).sorted().flatMap { name in
            [20, 90, 170].map { knowledge.answer(subject: name, at: Day.day($0)) }
        }
    }
}
