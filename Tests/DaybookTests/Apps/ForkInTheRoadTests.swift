import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Fork in the Road: limits, history and ads")
struct ForkInTheRoadTests {
    static let monthly = LineageFixture("3000", product: "com.forkintheroad.app.premium.monthly")
    static let yearly = LineageFixture("3000", product: "com.forkintheroad.app.premium.yearly")
    static let premiumFeatures = [
        "unlimitedCollections", "unlimitedGroups", "tieredVoting", "fullHistory",
        "smsNotifications", "advancedFilters", "spotlightSiriWidgets", "adFree", "exportCSV",
        "groupAdminControls", "notesRatings", "customTags",
    ]
    let fixture: LedgerFixture
    let start = Fixtures.now
    let end = Fixtures.now + 31 * LedgerFixture.day

    init() async throws { fixture = try await LedgerFixture("fork-in-the-road") }

    private func own(_ meter: String, _ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
            try await fixture.ledger.consume(meter, by: "ada", ref: "\(meter)-\(number)")
        }
    }

    @Test("FR-01 The eleventh collection is refused, and a deletion allows another one")
    func collections() async throws {
        try await own("collections", 1...10)
        let create = Command.consume(meter: "collections", amount: 1, ref: "collections-11")
        #expect(
            try await fixture.refusal(of: create)
                == .limitReached(
                    meter: "collections", limit: 10, used: 10, reserved: 0, requested: 1,
                    resetsAt: nil))
        let decision = try fixture.check("collections")
        #expect(decision.enforcement == .hard)
        #expect(decision.display?.text == "Free: 10 collections")
        #expect(decision.title?.text == "Upgrade to Premium")
        #expect(decision.paywall?.products.count == 2)
        try await fixture.perform(.consume(meter: "collections", amount: -1, ref: "collections-4"))
        #expect(try fixture.meter("collections")?.remaining == 1)
        #expect(try await fixture.refusal(of: create) == nil)
        #expect(try fixture.meter("collections")?.used == 10)
    }

    @Test("FR-02 The fourth group is refused until the customer leaves one")
    func groups() async throws {
        try await own("groups", 1...3)
        let join = Command.consume(meter: "groups", amount: 1, ref: "groups-4")
        #expect(try await fixture.refusal(of: join)?.code == "limit_reached")
        #expect(try fixture.check("groups").paywall?.context == "usageLimitReached")
        try await fixture.perform(.consume(meter: "groups", amount: -1, ref: "groups-1"))
        #expect(try await fixture.refusal(of: join) == nil)
        #expect(try fixture.meter("groups")?.used == 3)
    }

    @Test("FR-03 With two of three groups, of two joins at once exactly one succeeds")
    func joins() async throws {
        try await own("groups", 1...2)
        let ledger = fixture.ledger
        let succeeded = await withTaskGroup(of: Bool.self) { group in
            for number in 3...4 {
                group.addTask {
                    (try? await ledger.consume("groups", by: "ada", ref: "groups-\(number)")) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(succeeded == 1)
        #expect(try fixture.meter("groups")?.used == 3)
        #expect(try fixture.count(of: .usageRecorded) == 3)
    }

    @Test(
        "FR-04 History shows thirty days to the millisecond",
        arguments: [(1, true), (0, true), (-1, false)] as [(Int64, Bool)])
    func window(_ offset: Int64, _ isVisible: Bool) throws {
        let from = start - 30 * LedgerFixture.day
        let decision = try fixture.ledger.check(
            CheckQuestion("history", itemAt: from + offset), for: "ada"
        ).decision
        #expect(decision.allowed == isVisible)
        #expect(decision.reason == (isVisible ? .freeQuota : .windowExceeded))
        #expect(decision.usage?.visibleFrom == from)
        #expect(decision.paywall?.context == (isVisible ? nil : "usageLimitReached"))
    }

    @Test("FR-04 With calendar days, history begins at local midnight thirty days ago")
    func calendarWindow() async throws {
        let fixture = try await LedgerFixture(
            "fork-in-the-road",
            replacing: ["windowMode: rollingMilliseconds": "windowMode: calendarDays"])
        try await fixture.record(
            .reported(
                .subjectCreated, at: start, key: "created",
                ["first_seen_at": .integer(start), "tz": "America/New_York"]))
        let asked = instant("2026-03-20T15:00:00-04:00")
        let from = instant("2026-02-18T00:00:00-05:00")
        #expect(try fixture.meter("history", at: asked)?.visibleFrom == from)
        for (item, isVisible) in [(from, true), (from - 1, false)] {
            let decision = try fixture.ledger.check(
                CheckQuestion("history", itemAt: item), for: "ada", moment: Moment(at: asked)
            ).decision
            #expect(decision.allowed == isVisible)
            #expect(decision.reason == (isVisible ? .freeQuota : .windowExceeded))
        }
    }

    @Test("FR-05 FR-32 Premium lifts every limit with the very event that buys it")
    func immediately() async throws {
        try await own("collections", 1...10)
        let old = CheckQuestion("history", itemAt: start - 400 * LedgerFixture.day)
        #expect(try !fixture.ledger.check(old, for: "ada").decision.allowed)
        #expect(try fixture.meter("collections")?.remaining == 0)
        try await fixture.record(Self.monthly.started("3000", from: start, until: end))
        #expect(try fixture.meter("collections")?.remaining == nil)
        #expect(try fixture.meter("collections")?.limit == nil)
        #expect(try fixture.meter("groups")?.limit == nil)
        #expect(try fixture.meter("history")?.visibleFrom == nil)
        #expect(try fixture.ledger.check(old, for: "ada").decision.allowed)
        try await own("collections", 11...12)
        #expect(try fixture.meter("collections")?.used == 12)
        #expect(try fixture.status(at: start - 1).meters.map(\.limit) == [10, 3, 30])
    }

    @Test("FR-06 After a lapse nothing is deleted, and nothing is added until below the limit")
    func lapse() async throws {
        try await fixture.record(Self.monthly.started("3000", from: start, until: end))
        try await own("collections", 1...25)
        try await own("groups", 1...6)
        #expect(try !fixture.status(at: end - 1).overLimit)
        fixture.clock.now = end
        let status = try fixture.status()
        #expect(status.overLimit)
        #expect(status.meters.map(\.excess) == [15, 3, 0])
        #expect(status.meters.map(\.used) == [25, 6, 0])
        let create = Command.consume(meter: "collections", amount: 1, ref: "collections-26")
        #expect(try await fixture.refusal(of: create)?.code == "limit_reached")
        for number in 1...15 {
            let delete = Command.consume(
                meter: "collections", amount: -1, ref: "collections-\(number)")
            #expect(try await fixture.refusal(of: delete) == nil)
        }
        #expect(try await fixture.refusal(of: create)?.code == "limit_reached")
        try await fixture.perform(.consume(meter: "collections", amount: -1, ref: "collections-16"))
        #expect(try await fixture.refusal(of: create) == nil)
        let join = Command.consume(meter: "groups", amount: 1, ref: "groups-7")
        for number in 1...4 {
            #expect(try await fixture.refusal(of: join)?.code == "limit_reached")
            try await fixture.perform(
                .consume(meter: "groups", amount: -1, ref: "groups-\(number)"))
        }
        #expect(try await fixture.refusal(of: join) == nil)
        #expect(try !fixture.status().overLimit)
        // Looking at what is there is closed to no customer.
        for name in ["search", "history30d", "history"] {
            #expect(try fixture.check(name, at: end).allowed)
        }
    }

    @Test("FR-07 Tiered voting is locked, and a random decision is open to all")
    func voting() throws {
        let voting = try fixture.check("tieredVoting")
        #expect(!voting.allowed)
        #expect(voting.reason == .notEntitled)
        let group = try fixture.check("groupDecision")
        #expect(group.reason == .freeFeature)
        #expect(group.display?.text == "Participate in group decisions (random only)")
        #expect(try fixture.check("personalDecision").allowed)
    }

    @Test(
        "FR-08 FR-31 Each Premium feature is locked for free and open with Premium",
        arguments: premiumFeatures)
    func features(_ feature: String) async throws {
        let locked = try fixture.check(feature)
        #expect(!locked.allowed)
        #expect(locked.reason == .notEntitled)
        #expect(locked.enforcement == .hard)
        #expect(locked.paywall?.context == "featureRestricted")
        #expect(locked.paywall?.feature == feature)
        #expect(locked.display != nil)
        var sandbox = Self.monthly
        sandbox.environment = .sandbox
        try await fixture.record(sandbox.started("3000", from: start, until: end))
        let tested = try fixture.ledger.check(
            CheckQuestion(feature), for: "ada", environment: .sandbox
        ).decision
        #expect(tested.reason == .subscription)
        #expect(try fixture.check(feature).reason == .notEntitled)
        try await fixture.record(Self.monthly.started("3000", from: start, until: end))
        #expect(try fixture.check(feature).reason == .subscription)
        #expect(try fixture.check(feature, at: end - 1).allowed)
        #expect(try fixture.check(feature, at: end).reason == .expired)
    }

    @Test(
        "FR-08 A locked feature says the paywall's row",
        arguments: [
            ("unlimitedGroups", "Free: 3 groups"), ("tieredVoting", "Tiered ranking system"),
            ("fullHistory", "Free: 30 days only"), ("customTags", "Organize your way"),
            ("exportCSV", "Download your data"), ("adFree", "No ads, ever"),
        ])
    func rows(_ feature: String, _ text: String) throws {
        #expect(try fixture.check(feature).display?.text == text)
    }

    @Test("FR-10 FR-12 Ads stand in two places for free, nowhere with Premium, and come back")
    func ads() async throws {
        func shown(at time: Int64) throws -> [Bool] {
            try fixture.status(at: time).ads.map(\.isShown)
        }
        let status = try fixture.status()
        #expect(
            status.ads.map(\.placement.name)
                == ["searchResults", "collectionsList", "decision", "voting"])
        #expect(try shown(at: start) == [true, true, false, false])
        #expect(status.ads[0].placement.heightPoints == 50)
        #expect(status.ads[1].placement.everyNthItem == 5)
        try await fixture.record(Self.monthly.started("3000", from: start, until: end))
        #expect(try shown(at: end - 1) == [false, false, false, false])
        #expect(try fixture.status().ads.allSatisfy { $0.unit == nil })
        #expect(try shown(at: end) == [true, true, false, false])
        let found = try fixture.ledger.explain(
            CheckQuestion("adFree"), for: "ada", moment: Moment(at: end))
        let turn = try #require(found.deciding)
        #expect(turn.at == end)
        #expect(turn.reason == .expired)
        #expect(turn.cause?.event.draft.type == .subscriptionStarted)
    }

    @Test("FR-11 Production shows the release ad units and every other environment the test ones")
    func adUnits() throws {
        let production = try fixture.status().ads
        for environment in [Environment.sandbox, .xcode, .test] {
            let tested = try fixture.ledger.status(of: "ada", environment: environment).status.ads
            for index in 0...1 {
                #expect(production[index].unit == production[index].placement.unitProduction)
                #expect(tested[index].unit == tested[index].placement.unitTest)
                #expect(production[index].unit != tested[index].unit)
            }
        }
    }

    @Test("FR-15 What the web app and the phone use is one count")
    func devices() async throws {
        try await own("collections", 1...4)
        try await fixture.record(
            .used("collections", at: start, ref: "web-1"),
            .used("collections", at: start, ref: "collections-4"))
        let meter = try #require(try fixture.meter("collections"))
        #expect((meter.used, meter.remaining) == (5, 5))
        try await own("collections", 5...9)
        let create = Command.consume(meter: "collections", amount: 1, ref: "web-2")
        #expect(try await fixture.refusal(of: create)?.code == "limit_reached")
    }

    @Test("FR-25 A soft limit allows and prompts, a hard one refuses")
    func soft() async throws {
        let fixture = try await LedgerFixture(
            "fork-in-the-road",
            replacing: [
                "  groups:\n    kind: gauge\n":
                    "  groups:\n    kind: gauge\n    enforcement: soft\n",
                "  customTags:\n    displayName":
                    "  customTags:\n    enforcement: soft\n    displayName",
            ])
        try await fixture.use("groups", "g1", "g2", "g3")
        let decision = try fixture.check("groups")
        #expect(decision.allowed && decision.isPrompting && decision.enforcement == .soft)
        #expect(decision.paywall != nil)
        try await fixture.use("groups", "g4")
        #expect(try fixture.meter("groups")?.used == 4)
        let tags = try fixture.check("customTags")
        #expect(tags.allowed && tags.isPrompting)
        let voting = try fixture.check("tieredVoting")
        #expect(!voting.allowed && !voting.isPrompting && voting.enforcement == .hard)
    }

    @Test("FR-26 A preview opens a feature as often as the catalog says, by default never")
    func preview() async throws {
        #expect(try !fixture.check("tieredVoting").allowed)
        let fixture = try await LedgerFixture(
            "fork-in-the-road",
            replacing: [
                "  tieredVoting:\n    displayName":
                    "  tieredVoting:\n    previewUses: 1\n    displayName"
            ])
        #expect(try fixture.check("tieredVoting").reason == .freeQuota)
        try await fixture.use("preview.tieredVoting", "vote-1")
        #expect(try fixture.check("tieredVoting").reason == .limitReached)
        #expect(
            try await fixture.refusal(
                of: .consume(meter: "preview.tieredVoting", amount: 1, ref: "vote-2"))?.code
                == "limit_reached")
    }

    @Test("FR-27 One question lists every meter with its limit and what is left")
    func overview() async throws {
        try await own("collections", 1...7)
        try await own("groups", 1...3)
        let meters = try fixture.status().meters
        #expect(meters.map(\.name) == ["collections", "groups", "history"])
        #expect(meters.map(\.used) == [7, 3, 0])
        #expect(meters.map(\.limit) == [10, 3, 30])
        #expect(meters.map(\.remaining) == [3, 0, nil])
    }

    @Test("FR-33 Push, email and in-app messages are free, text messages are Premium")
    func channels() async throws {
        for channel in ["push", "email", "inApp"] { #expect(try fixture.check(channel).allowed) }
        #expect(try !fixture.check("smsNotifications").allowed)
        try await fixture.record(Self.monthly.started("3000", from: start, until: end))
        #expect(try fixture.check("smsNotifications").allowed)
    }
}
