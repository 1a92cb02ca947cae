import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

@Suite("Magical Stories: onboarding, paywalls and what came of them")
struct MagicalStoriesOnboardingTests {
    static let steps = [
        "welcome", "aiPowered", "personalized", "developmental", "illustrations", "childInfo",
        "theme", "character", "generating", "completed", "results", "premiumPreview", "trialOffer",
    ]
    let fixture: LedgerFixture
    let minute: Int64 = 60_000

    init() async throws {
        fixture = try await LedgerFixture("magical-stories")
        fixture.clock.now += LedgerFixture.day
    }

    /// Everything from the start to a step; the n-th step is seen n times `pace` minutes after the start.
    private func onboarding(
        of subject: String, steps count: Int, completes: Bool = false, variant: String? = nil,
        pace: Int64 = 1
    ) -> [EventDraft] {
        func event(_ type: String, _ minutes: Int, _ data: JSONObject) -> EventDraft {
            .reported(
                EventTypeName(rawValue: type), at: Fixtures.now + Int64(minutes) * pace * minute,
                key: "\(type)/\(subject)/\(minutes)", subject: subject, data)
        }
        var start = JSONObject()
        if let variant { start["variant"] = .string(variant) }
        var events = [event("onboarding.started", 0, start)]
        for (index, step) in Self.steps.prefix(count).enumerated() {
            let data: JSONObject = ["step": .string(step), "index": .integer(Int64(index))]
            events.append(event("onboarding.step_viewed", index + 1, data))
            var done = data
            done["duration_ms"] = .integer(minute)
            events.append(event("onboarding.step_completed", index + 2, done))
        }
        if completes { events.append(event("onboarding.completed", count + 1, [:])) }
        return events
    }

    @Test("MS-43 Every onboarding step is taken in with its index, and the funnel knows them all")
    func steps() async throws {
        try await fixture.ledger.record(onboarding(of: "ada", steps: 13, completes: true))
        let report = try fixture.ledger.funnel("onboarding")
        #expect(report.steps.count == 15)
        #expect(report.steps.map(\.count) == Array(repeating: 1, count: 15))
        let drafts = try fixture.ledger.history(of: "ada").map(\.event.draft)
        for type in ["onboarding.step_viewed", "onboarding.step_completed"] {
            let told = drafts.filter { $0.type.rawValue == type }
            #expect(told.map { $0.data["step"]?.text } == Self.steps)
            #expect(told.map { $0.data["index"]?.integer } == (0..<13).map { Int64($0) })
        }
    }

    @Test("MS-44 The funnel tells where people leave and how long a step takes")
    func dropOff() async throws {
        try await fixture.ledger.record(onboarding(of: "ada", steps: 13, completes: true))
        try await fixture.ledger.record(onboarding(of: "ben", steps: 3))
        try await fixture.ledger.record(onboarding(of: "cat", steps: 3))
        try await fixture.ledger.record(onboarding(of: "dan", steps: 1, pace: 9))
        let report = try fixture.ledger.funnel("onboarding")
        #expect(Array(report.steps.map(\.count).prefix(5)) == [4, 4, 3, 3, 1])
        #expect(report.steps.last?.count == 1)
        #expect(report.steps[0].medianMilliseconds == nil)
        // Three take a minute and one takes nine; of four, 90 % are not reached before the fourth.
        #expect(report.steps[1].medianMilliseconds == minute)
        #expect(report.steps[1].p90Milliseconds == 9 * minute)
        #expect(report.steps[2].p90Milliseconds == minute)
    }

    @Test("MS-45 Customers who skip have not dropped out: the completion funnel leaves them aside")
    func skipped() async throws {
        try await fixture.ledger.record(onboarding(of: "ada", steps: 1, completes: true))
        try await fixture.ledger.record(onboarding(of: "ben", steps: 1))
        try await fixture.ledger.record(onboarding(of: "cat", steps: 1))
        try await fixture.record(
            .reported(
                .onboardingSkipped, at: Fixtures.now + 5 * minute, key: "skip", subject: "cat"))
        let report = try fixture.ledger.funnel("onboarding_completion")
        #expect(report.steps.map(\.count) == [2, 1])
        // It is an option: the other funnel counts them.
        #expect(try fixture.ledger.funnel("onboarding").entered == 3)
    }

    @Test("MS-46 Whether onboarding is done, a story made, Premium seen: the timeline tells")
    func flags() async throws {
        func has(_ type: String) throws -> Bool {
            try fixture.count(of: EventTypeName(rawValue: type)) > 0
        }
        let types = ["onboarding.completed", "milestone.reached", "feature.viewed"]
        #expect(try types.map(has) == [false, false, false])
        try await fixture.ledger.record(onboarding(of: "ada", steps: 2))
        #expect(try types.map(has) == [false, false, false])
        try await fixture.ledger.record(onboarding(of: "ada", steps: 2, completes: true))
        #expect(try types.map(has) == [true, false, false])
        try await fixture.record(
            .reported(
                .milestoneReached, at: Fixtures.now, key: "m1", ["name": "first_story"]),
            .reported(
                .featureViewed, at: Fixtures.now, key: "f1", ["feature": "offlineReading"]))
        #expect(try types.map(has) == [true, true, true])
    }

    @Test("MS-47 A first story that is told twice is one milestone of one customer")
    func milestone() async throws {
        let fixture = try await LedgerFixture(
            "magical-stories",
            replacing: [
                "funnels:\n": """
                funnels:
                  first_story:
                    window: P7D
                    steps:
                      - { name: started, event: onboarding.started }
                      - { name: firstStory, event: milestone.reached, context: first_story }

                """
            ])
        fixture.clock.now += LedgerFixture.day
        try await fixture.ledger.record(onboarding(of: "ada", steps: 1))
        for key in ["m1", "m2"] {
            try await fixture.record(
                .reported(
                    .milestoneReached, at: Fixtures.now + 3 * minute, key: key,
                    ["name": "first_story"]))
        }
        #expect(try fixture.count(of: .milestoneReached) == 2)
        #expect(try fixture.ledger.funnel("first_story").steps.map(\.count) == [1, 1])
    }

    @Test("MS-48 A customer belongs to the variant that was shown first, whatever comes later")
    func variants() async throws {
        func exposed(_ subject: String, _ variant: String, _ minutes: Int64) -> EventDraft {
            .reported(
                .experimentExposed, at: Fixtures.now + minutes * minute,
                key: "\(subject)/\(variant)", subject: subject,
                ["experiment": "onboarding_flow", "variant": .string(variant)])
        }
        try await fixture.ledger.record([
            exposed("ada", "short", -2), exposed("ada", "long", -1), exposed("ben", "long", -2),
        ])
        for name in ["ada", "ben"] {
            try await fixture.ledger.record(onboarding(of: name, steps: 1))
        }
        var lineage = MagicalStoriesPremiumTests.monthly
        lineage.subject = "ada"
        try await fixture.record(
            lineage.started(
                "2000", from: Fixtures.now + LedgerFixture.day,
                until: Fixtures.now + 30 * LedgerFixture.day))
        fixture.clock.now += LedgerFixture.day
        let report = try fixture.ledger.funnel(
            FunnelRequest("onboarding_to_subscription", by: .variant))
        let counts = Dictionary(
            uniqueKeysWithValues: report.groups.map { ($0.name, $0.steps.map(\.count)) })
        #expect(counts == ["short": [1, 1], "long": [1, 0]])
        #expect(report.steps.map(\.count) == [2, 1])
    }

    @Test("MS-48 Two experiments at once never mix, and a funnel without one looks at none")
    func experiments() async throws {
        func exposed(_ subject: String, _ experiment: String, _ variant: String) -> EventDraft {
            .reported(
                .experimentExposed, at: Fixtures.now - 2 * minute,
                key: "\(subject)/\(experiment)", subject: subject,
                ["experiment": .string(experiment), "variant": .string(variant)])
        }
        // The other experiment was shown first, in the order of keys, and to a third customer.
        try await fixture.ledger.record([
            exposed("ada", "a_cta", "red"), exposed("ada", "onboarding_flow", "short"),
            exposed("ben", "a_cta", "blue"),
        ])
        for name in ["ada", "ben"] {
            try await fixture.ledger.record(onboarding(of: name, steps: 1))
        }
        fixture.clock.now += LedgerFixture.day
        func groups(_ funnel: String, _ experiment: String? = nil) throws -> [String: Int] {
            let report = try fixture.ledger.funnel(
                FunnelRequest(funnel, by: .variant, experiment: experiment))
            return Dictionary(uniqueKeysWithValues: report.groups.map { ($0.name, $0.entered) })
        }
        #expect(try groups("onboarding_to_subscription") == ["short": 1, "none": 1])
        #expect(try groups("onboarding_to_subscription", "a_cta") == ["red": 1, "blue": 1])
        #expect(try groups("onboarding_to_subscription", "unheard_of") == ["none": 2])
        #expect(try groups("onboarding_completion") == ["none": 2])
        // What the document wants to try.
        let catalog = try #require(try fixture.ledger.catalogs().newest?.catalog)
        #expect(
            catalog.experiments.map(\.name)
                == ["onboarding_flow", "cta_copy", "premium_presentation"])
    }

    @Test("MS-47 The funnel of the document goes by the first story")
    func firstStoryFunnel() async throws {
        for name in ["ada", "ben"] {
            try await fixture.ledger.record(onboarding(of: name, steps: 1))
            var lineage = MagicalStoriesPremiumTests.monthly
            (lineage.subject, lineage.lineage) = (name, "lineage-\(name)")
            try await fixture.record(
                lineage.started(
                    "t-\(name)", from: Fixtures.now + LedgerFixture.day,
                    until: Fixtures.now + 30 * LedgerFixture.day))
        }
        try await fixture.record(
            .reported(
                .milestoneReached, at: Fixtures.now + 3 * minute, key: "m", subject: "ada",
                ["name": "first_story"]))
        fixture.clock.now += 2 * LedgerFixture.day
        let report = try fixture.ledger.funnel("onboarding_to_first_story")
        #expect(report.steps.map(\.count) == [2, 1, 1])
    }

    @Test("MS-38 Paywalls keep their context, and conversion is told for each")
    func contexts() async throws {
        let contexts = [
            ("ada", "usageLimitReached", true), ("ben", "featureRestricted", false),
            ("cat", "onboarding", false), ("dan", "settings", true),
        ]
        for (name, context, buys) in contexts {
            var data: JSONObject = ["paywall": "premium", "context": .string(context)]
            if context == "featureRestricted" { data["feature"] = "offlineReading" }
            try await fixture.record(
                .reported(.paywallShown, at: Fixtures.now, key: name, subject: name, data))
            #expect(try fixture.ledger.history(of: name).first?.event.draft.data == data)
            guard buys else { continue }
            for (minutes, type) in [(1, "checkout.started"), (2, "checkout.completed")] {
                try await fixture.record(
                    .reported(
                        EventTypeName(rawValue: type), at: Fixtures.now + Int64(minutes) * minute,
                        key: "\(type)/\(name)",
                        subject: name, ["product": "com.magicalstories.premium.monthly"]))
            }
        }
        let report = try fixture.ledger.funnel(FunnelRequest("paywall", by: .context))
        #expect(report.steps.map(\.count) == [4, 2, 2])
        let counts = Dictionary(
            uniqueKeysWithValues: report.groups.map { ($0.name, $0.steps.map(\.count)) })
        for (_, context, buys) in contexts {
            #expect(counts[context] == (buys ? [1, 1, 1] : [1, 0, 0]))
        }
        #expect(try fixture.status().status == "free")
    }

    @Test(
        "MS-57 The app's own event names come in with their parameters",
        arguments: [
            ("premiumFeatureViewed", #"{"feature":"offlineReading"}"#, "feature.viewed"),
            ("paywallShown", #"{"context":"settings","paywall":"premium"}"#, "paywall.shown"),
            ("subscriptionPurchased", #"{"product":"p"}"#, "checkout.completed"),
            ("usageLimitReached", #"{"limit":3,"meter":"stories","used":3}"#, "limit.reached"),
            ("featureRestricted", #"{"feature":"customThemes"}"#, "feature.restricted"),
            ("onboardingStarted", "{}", "onboarding.started"),
            ("onboardingCompleted", "{}", "onboarding.completed"),
            ("firstStoryGenerated", #"{"name":"first_story"}"#, "milestone.reached"),
        ])
    func appNames(_ name: String, _ data: String, _ type: String) async throws {
        let line =
            #"{"data":\#(data),"occurred_at":1,"source":{"key":"k","kind":"native"},"subject":"ada","type":"\#(name)"}"#
        var reader = NDJSONReader(app: "magical-stories")
        let (events, problems) = reader.read(Array(line.utf8))
        #expect(problems.isEmpty)
        try await fixture.ledger.record(events.map(\.draft))
        let draft = try #require(try fixture.ledger.history(of: "ada").first?.event.draft)
        #expect(draft.type.rawValue == type)
        #expect(String(decoding: draft.data.canonicalBytes, as: UTF8.self) == data)
        var exported = ""
        try fixture.ledger.export(after: 1, names: .app) {
            exported += String(decoding: $0, as: UTF8.self)
        }
        #expect(exported.contains("\"type\":\"\(name)\""))
        #expect(try fixture.status().status == "free")
    }
}
