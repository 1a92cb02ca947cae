import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Magical Stories: what is locked, what is free, and what the screens say")
struct MagicalStoriesFeatureTests {
    let fixture: LedgerFixture

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func premium(until end: Int64) -> EventDraft {
        MagicalStoriesPremiumTests.monthly.started("2000", from: Fixtures.now, until: end)
    }

    @Test("MS-21 A collection of a free customer is refused, and the restriction is on record")
    func collection() async throws {
        let refusal = try await fixture.refusal(
            of: .consume(meter: "collections", amount: 1, ref: "c1"))
        #expect(refusal == .notEntitled(name: "growthPathCollections", reason: .notEntitled))
        let restricted = try fixture.ledger.history(of: "ada").filter {
            $0.event.draft.type == .featureRestricted
        }
        #expect(restricted.map { $0.event.draft.data["feature"] } == ["growthPathCollections"])
        #expect(try fixture.count(of: .usageRecorded) == 0)
        let decision = try fixture.check("collections")
        #expect(decision.paywall?.context == "featureRestricted")
        #expect(decision.paywall?.feature == "growthPathCollections")
        try await fixture.record(premium(until: Fixtures.now + LedgerFixture.day))
        try await fixture.use("collections", "c1")
        #expect(try fixture.meter("collections")?.used == 1)
    }

    @Test("MS-22 A second child needs Premium, and so says the paywall")
    func secondChild() async throws {
        try await fixture.perform(.createProfile(profile: "c1", kind: "child", freeStartedAt: nil))
        let refusal = try await fixture.refusal(
            of: .createProfile(profile: "c2", kind: "child", freeStartedAt: nil))
        #expect(
            refusal
                == .limitReached(
                    meter: "child_profiles", limit: 1, used: 1, reserved: 0, requested: 1,
                    resetsAt: nil))
        #expect(try fixture.meter("child_profiles")?.used == 1)
        for name in ["child_profiles", "multipleChildProfiles"] {
            let decision = try fixture.check(name)
            #expect(!decision.allowed)
            #expect(decision.paywall?.context == "featureRestricted", "\(name)")
            #expect(decision.paywall?.feature == "multipleChildProfiles", "\(name)")
            #expect(decision.display?.text == "Add profiles for all your children")
        }
    }

    /// Checks and uses a story for each child: the decision refuses, and the command does.
    private func writes(_ open: [String?], not closed: [String?]) async throws {
        for child in open + closed {
            let decision = try fixture.ledger.check(
                CheckQuestion("basicStoryGeneration", profile: child), for: fixture.subject
            ).decision
            let isOpen = open.contains(child)
            #expect(decision.allowed == isOpen, "\(child ?? "no child")")
            let refusal = try await refusal(for: child)
            #expect((refusal == nil) == isOpen, "\(child ?? "no child")")
            if isOpen { continue }
            #expect(decision.reason == .limitReached && decision.meter == "child_profiles")
            #expect(decision.display?.text == "Add profiles for all your children")
            #expect(decision.paywall?.context == "featureRestricted")
            #expect(
                refusal?.code == (child == nil ? "profile_required" : "profile_over_limit"))
        }
    }

    private func refusal(for child: String?) async throws -> Rejection? {
        do {
            let id = "r\(Int.random(in: 1...Int.max))"
            try await fixture.ledger.perform(
                CommandRequest(
                    .reserve(
                        meter: "stories", amount: 1, reservation: id, timeoutMilliseconds: 1_000),
                    subject: fixture.subject, profile: child))
            return nil
        } catch LedgerError.rejected(let rejection, _) {
            return rejection
        }
    }

    @Test("MS-23 Whether a lapse holds the other children back is the catalog's to say")
    func notHeldBack() async throws {
        let fixture = try await LedgerFixture(
            "magical-stories", replacing: ["    withinGauge: child_profiles\n": ""])
        let end = Fixtures.now + LedgerFixture.day
        try await fixture.record(premium(until: end))
        for child in ["c1", "c2"] {
            try await fixture.perform(
                .createProfile(profile: child, kind: "child", freeStartedAt: nil))
        }
        fixture.clock.now = end
        #expect(try fixture.meter("child_profiles")?.excess == 1)
        #expect(try fixture.check("stories").allowed)
    }

    @Test("MS-23 Three children after a lapse: all stay, none is added, the pinned one writes")
    func threeChildren() async throws {
        let end = Fixtures.now + LedgerFixture.day
        try await fixture.record(premium(until: end))
        for child in ["c1", "c2", "c3"] {
            try await fixture.perform(
                .createProfile(profile: child, kind: "child", freeStartedAt: nil))
        }
        fixture.clock.now = end
        let meter = try #require(try fixture.meter("child_profiles"))
        #expect((meter.used, meter.remaining, meter.excess) == (3, 0, 2))
        #expect(meter.flags == ["over_limit"])
        #expect(meter.writable == ["c1"])
        #expect(try fixture.status().profiles.count == 3)
        #expect(try fixture.check("basicReading").allowed)
        #expect(
            try await fixture.refusal(
                of: .createProfile(profile: "c4", kind: "child", freeStartedAt: nil))?.code
                == "limit_reached")
        try await writes(["c1"], not: ["c2", "c3", nil])
        try await fixture.perform(.pin(meter: "child_profiles", ref: "c3"))
        #expect(try fixture.meter("child_profiles")?.writable == ["c3"])
        try await writes(["c3"], not: ["c1", "c2", nil])
        // Premium again, all of them.
        try await fixture.record(
            LineageFixture("2001", product: "com.magicalstories.premium.monthly").started(
                "2001", from: end, until: end + 30 * LedgerFixture.day))
        try await writes(["c1", "c2", "c3", nil], not: [])
        fixture.clock.now = end + 30 * LedgerFixture.day
        for child in ["c1", "c2", "c3"] {
            try await fixture.perform(.deleteProfile(profile: child))
        }
        try await fixture.perform(.createProfile(profile: "c4", kind: "child", freeStartedAt: nil))
        #expect(try fixture.meter("child_profiles")?.excess == 0)
    }

    @Test(
        "MS-24 MS-25 MS-26 MS-27 MS-28 MS-29 MS-30 MS-31 A locked feature says what it would do",
        arguments: [
            ("unlimitedStoryGeneration", "Create unlimited magical stories"),
            ("growthPathCollections", "Access developmental story collections"),
            ("multipleChildProfiles", "Add profiles for all your children"),
            ("advancedIllustrations", "Get premium visual consistency"),
            ("priorityGeneration", "Skip the wait with priority generation"),
            ("offlineReading", "Read stories without internet"),
            ("parentalAnalytics", "Track your child's reading progress"),
            ("customThemes", "Create custom story themes"),
        ])
    func locked(_ feature: String, _ message: String) throws {
        let decision = try fixture.check(feature)
        #expect(!decision.allowed)
        #expect(decision.reason == .notEntitled)
        #expect(decision.display?.text == message)
    }

    @Test(
        "MS-32 MS-33 MS-34 MS-35 MS-36 A free feature is open and says what it does",
        arguments: [
            ("storyLibrary", "Access your story library"),
            ("basicReading", "Read stories with standard features"),
            ("singleChildProfile", "One child profile"),
            ("basicSettings", "Basic parental controls"),
        ])
    func free(_ feature: String, _ message: String) throws {
        let decision = try fixture.check(feature)
        #expect(decision.allowed)
        #expect(decision.reason == .freeFeature)
        #expect(decision.display?.text == message)
    }

    @Test("MS-32 Basic generation is open three times a month, by its own meter")
    func basicGeneration() async throws {
        #expect(try fixture.check("basicStoryGeneration").reason == .freeQuota)
        try await fixture.use("basicStoryGeneration", "s1", "s2", "s3")
        #expect(try fixture.check("basicStoryGeneration").reason == .limitReached)
        #expect(try fixture.meter("stories")?.used == 3)
    }

    @Test(
        "MS-37 An older name is answered as the feature that it means",
        arguments: [
            ("growthCollections", "growthPathCollections"),
            ("unlimitedGeneration", "unlimitedStoryGeneration"),
            ("unlimitedStories", "unlimitedStoryGeneration"),
            ("multipleProfiles", "multipleChildProfiles"),
            ("advancedAnalytics", "parentalAnalytics"),
        ])
    func aliases(_ old: String, _ name: String) async throws {
        #expect(try fixture.check(old).feature == name)
        #expect(try fixture.check(old).reason == .notEntitled)
        try await fixture.record(premium(until: Fixtures.now + 1))
        #expect(try fixture.check(old).allowed)
    }

    @Test("MS-60 One call returns count, period, expiry and whether a subscription runs")
    func profileFields() async throws {
        let end = Fixtures.now + 31 * LedgerFixture.day
        try await fixture.use("stories", "s1")
        try await fixture.record(premium(until: end))
        let status = try fixture.status()
        let stories = try #require(status.meters.first { $0.name == "stories" })
        let premium = try #require(status.entitlements.first)
        #expect(stories.used == 1)
        #expect(stories.period?.start == instant("2026-01-01T00:00:00Z"))
        #expect(premium.expiresAt == end)
        #expect(premium.isActive && premium.winner?.kind == .subscription)
        #expect(try fixture.entitlement("premium", at: end)?.isActive == false)
        #expect(status.managementURL == "https://apps.apple.com/account/subscriptions")
    }

    @Test("MS-64 A soft launch reaches the same share of customers on every machine")
    func cohort() async throws {
        try await fixture.publish(replacing: ["limit: 3\n": "limit: 5\n"], scope: .cohort(25))
        let names = (0..<400).map { "user-\($0)" }
        func limits() throws -> [Int64?] {
            try names.map { try fixture.ledger.check("stories", for: $0).usage?.limit }
        }
        let chosen = try limits()
        #expect(Set(chosen) == [3, 5])
        let share = chosen.count { $0 == 5 }
        #expect((60...140).contains(share), "\(share) of 400 for 25 %")
        let document = try #require(try fixture.ledger.catalogs().newest?.documentDigest)
        let expected = names.map {
            CatalogHistory.bucket($0, document: document) < 25 ? 5 : 3 as Int64?
        }
        #expect(chosen == expected)
    }
}
