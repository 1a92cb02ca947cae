import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// For which customers a catalog is in force, and from when on (rule 8, MS-64).
@Suite("Catalog scopes")
struct CatalogScopeTests {
    static let five = ["limit: 3\n": "limit: 5\n"]
    static let seven = ["limit: 3\n": "limit: 7\n"]

    let fixture: LedgerFixture
    let now = Fixtures.now
    let day = LedgerFixture.day

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func limit(of subject: String = "ada", at time: Int64? = nil) throws -> Int64? {
        try fixture.ledger.check(
            CheckQuestion("stories"), for: subject, moment: Moment(at: time)
        ).decision.usage?.limit
    }

    private func created(_ subject: String, at time: Int64, zone: String = "UTC") -> EventDraft {
        .reported(
            .subjectCreated, at: time, key: "created-\(subject)", subject: subject,
            ["first_seen_at": .integer(time), "tz": .string(zone)])
    }

    // MARK: all

    @Test("A catalog for all rules from its millisecond on, and the one before rules until then")
    func all() async throws {
        let change = now + day
        try await fixture.publish(replacing: Self.five, effectiveAt: change)
        #expect(
            try [change - 1, change, change + 400 * day].map { try limit(at: $0) } == [3, 5, 5])
        #expect(try limit(at: 0) == 3)
    }

    @Test("Catalogs that are planned take effect in the order of their times, not of publishing")
    func planned() async throws {
        try await fixture.publish(replacing: Self.seven, effectiveAt: now + 9 * day)
        fixture.clock.now += 1
        try await fixture.publish(replacing: Self.five, effectiveAt: now + 5 * day)
        let times = [now + day, now + 5 * day, now + 9 * day - 1, now + 9 * day]
        #expect(try times.map { try limit(at: $0) } == [3, 5, 5, 7])
    }

    @Test("Of two that take effect at the same moment the one published later rules")
    func sameMoment() async throws {
        for changes in [Self.seven, Self.five] {
            try await fixture.publish(replacing: changes, effectiveAt: now + day)
            fixture.clock.now += 1
        }
        #expect(try limit(at: now + day) == 5)
    }

    @Test(
        "The first catalog of a ledger rules from the beginning, for all customers, whatever it says"
    )
    func first() async throws {
        let document = try Fixtures.catalogDocument("magical-stories")
        for scope in [CatalogScope.cohort(0), .newSubjects, .nextPeriod] {
            let ledger = try Ledger(inMemory: "magical-stories", clock: { Fixtures.now })
            try await ledger.publish(
                CatalogPublication(document: document, scope: scope, effectiveAt: now + day))
            #expect(try ledger.check("stories", for: "ada").usage?.limit == 3, "\(scope)")
        }
    }

    // MARK: new

    @Test("For new customers: those first seen at or after its time, and the others never")
    func new() async throws {
        let change = now + day
        try await fixture.record(
            created("before", at: change - 1), created("at", at: change),
            created("after", at: change + 1))
        try await fixture.publish(replacing: Self.five, scope: .newSubjects, effectiveAt: change)
        let later = change + 300 * day
        for (subject, expected) in [("before", 3), ("at", 5), ("after", 5)] {
            #expect(try limit(of: subject, at: later) == Int64(expected), "\(subject)")
            #expect(try limit(of: subject, at: change - 1) == 3)
        }
        // An unknown customer would be seen for the first time by the use that is asked about.
        #expect(try limit(of: "nobody", at: later) == 5)
        #expect(try limit(of: "nobody", at: change - 1) == 3)
    }

    @Test("A customer who was known only from a store before is not new")
    func knownByStore() async throws {
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        try await fixture.record(lineage.started("1", from: now - 90 * day, until: now - 60 * day))
        try await fixture.publish(replacing: Self.five, scope: .newSubjects)
        #expect(try limit(at: now) == 3)
        #expect(try limit(at: now + 90 * day) == 3)
        // A customer of whom nothing is known is new.
        #expect(try limit(of: "bob", at: now) == 5)
    }

    @Test("A customer who signs in is the person who was seen before")
    func aliased() async throws {
        try await fixture.record(.used("stories", at: now - day, ref: "s1", subject: "anon"))
        try await fixture.publish(replacing: Self.five, scope: .newSubjects)
        fixture.clock.now += day
        try await fixture.record(.used("stories", at: now + day, ref: "s2"))
        #expect(try limit() == 5)
        try await fixture.ledger.perform(CommandRequest(.alias(to: "ada"), subject: "anon"))
        #expect(try limit() == 3)
        #expect(try limit(of: "anon") == 3)
    }

    // MARK: next period

    @Test(
        "For the next period: the running month keeps its limit, in the customer's own zone",
        arguments: ["Pacific/Auckland", "Europe/Amsterdam", "America/Los_Angeles"])
    func nextPeriod(_ zone: String) async throws {
        let table = try #require(ZoneTables().table(named: zone))
        try await fixture.record(created("ada", at: now - 40 * day, zone: zone))
        try await fixture.publish(replacing: Self.five, scope: .nextPeriod)
        let date = try #require(CivilDate(year: 2026, month: 2, day: 1))
        let february = table.instant(of: CivilDateTime(date: date, millisecondOfDay: 0))
        #expect(try limit(at: now) == 3)
        #expect(try limit(at: february - 1) == 3)
        #expect(try limit(at: february) == 5)
        #expect(try limit(at: now - 10 * day) == 3)
    }

    @Test("For the next period, taking effect as one begins, rules that one")
    func nextPeriodAtOnce() async throws {
        try await fixture.record(created("ada", at: now - 40 * day))
        let february = instant("2026-02-01T00:00:00Z")
        try await fixture.publish(
            replacing: Self.five, scope: .nextPeriod, effectiveAt: february)
        #expect(try limit(at: february - 1) == 3)
        #expect(try limit(at: february) == 5)
        #expect(try limit(of: "nobody", at: february) == 5)
    }

    @Test("Where counters begin anew on anniversaries the next period is the customer's own")
    func anniversary() async throws {
        let yearly = try await LedgerFixture(
            "magical-stories", replacing: ["period: calendarMonth": "period: anniversary"])
        let changes = [
            "period: calendarMonth": "period: anniversary", "limit: 3\n": "limit: 5\n",
        ]
        // First seen on the 20th: the period that contains the 15th ends on the 20th.
        try await yearly.record(created("ada", at: instant("2025-11-20T08:00:00Z")))
        try await yearly.publish(replacing: changes, scope: .nextPeriod)
        let own = instant("2026-01-20T08:00:00Z")
        let limits = try [now, own - 1, own].map {
            try yearly.meter("stories", at: $0)?.limit
        }
        #expect(limits == [3, 3, 5])
    }

    // MARK: cohort

    @Test(
        "A cohort is the same share of customers every time, and no others",
        arguments: [(0, 0...0), (1, 0...15), (20, 50...110), (50, 150...250), (100, 400...400)])
    func cohort(_ percent: Int64, _ range: ClosedRange<Int>) async throws {
        try await fixture.publish(replacing: Self.five, scope: .cohort(percent))
        let names = (0..<400).map { "user-\($0)" }
        let chosen = try names.filter { try limit(of: $0) == 5 }
        #expect(range.contains(chosen.count), "\(chosen.count) of 400 for \(percent) %")
        let again = try await LedgerFixture("magical-stories", now: now + 77 * day)
        try await again.publish(replacing: Self.five, scope: .cohort(percent))
        let same = try names.filter {
            try again.ledger.check("stories", for: $0).usage?.limit == 5
        }
        #expect(same == chosen)
    }

    @Test("Widening a cohort keeps its customers, and reaches just the larger share")
    func widened() async throws {
        let names = (0..<400).map { "user-\($0)" }
        try await fixture.publish(replacing: Self.five, scope: .cohort(20))
        let few = Set(try names.filter { try limit(of: $0) == 5 })
        fixture.clock.now += day
        try await fixture.publish(replacing: Self.five, scope: .cohort(50))
        let many = Set(try names.filter { try limit(of: $0) == 5 })
        #expect(few.isStrictSubset(of: many))
        #expect((150...250).contains(many.count), "\(many.count) of 400 for 50 %")
        // Another document draws other lots, or the same people would try out everything.
        fixture.clock.now += day
        try await fixture.publish(replacing: Self.seven, scope: .cohort(50))
        let others = Set(try names.filter { try limit(of: $0) == 7 })
        #expect(!others.isSubset(of: many) && !others.isDisjoint(with: many))
        #expect((150...250).contains(others.count))
    }

    @Test("A person has one lot, that of the name that is shown")
    func cohortOfAliases() async throws {
        try await fixture.publish(replacing: Self.five, scope: .cohort(50))
        let names = (0..<40).map { "user-\($0)" }
        let inside = try #require(try names.first { try limit(of: $0) == 5 })
        let outside = try #require(try names.first { try limit(of: $0) == 3 })
        try await fixture.record(.used("stories", at: now, ref: "s1", subject: outside))
        try await fixture.ledger.perform(
            CommandRequest(.alias(to: inside), subject: outside))
        #expect(try limit(of: outside) == 5)
        #expect(try limit(of: inside) == 5)
    }

    @Test("A cohort outside of 0 to 100 percent is refused", arguments: [-1, 101, Int64.max])
    func cohortBounds(_ percent: Int64) async throws {
        let head = try fixture.ledger.head()
        await #expect {
            try await fixture.publish(replacing: Self.five, scope: .cohort(percent))
        } throws: { error in
            (error as? LedgerError)?.code == "out_of_bounds"
        }
        #expect(try fixture.ledger.head() == head)
    }

    // MARK: together

    @Test("Of several that fit the newest rules; a customer whom none fits has the one for all")
    func layers() async throws {
        try await fixture.record(created("old", at: now - day))
        try await fixture.publish(replacing: Self.five, scope: .newSubjects)
        fixture.clock.now += day
        try await fixture.record(created("new", at: now + day))
        try await fixture.publish(replacing: Self.seven, scope: .nextPeriod)
        let (january, february) = (now + 2 * day, instant("2026-02-01T00:00:00Z"))
        #expect(try limit(of: "old", at: january) == 3)
        #expect(try limit(of: "new", at: january) == 5)
        #expect(try limit(of: "old", at: february) == 7)
        #expect(try limit(of: "new", at: february) == 7)
    }

    @Test("What decides is the customer's own clock policy, not that of a catalog to come")
    func clockPolicy() async throws {
        let ollie = try await LedgerFixture(
            "ollie", replacing: ["clock: accept": "clock: server"])
        try await ollie.publish(replacing: [:], effectiveAt: now + 30 * day)
        func skewed(_ profile: String) async throws -> Int64? {
            try await ollie.ledger.perform(
                CommandRequest(
                    .createProfile(profile: profile, kind: "puppy", freeStartedAt: nil),
                    subject: "ada", clientAt: ollie.clock.now - 5 * day))
            return try ollie.status().profiles.first { $0.profile.profile == profile }?.profile
                .createdAt
        }
        #expect(try await skewed("rex") == now)
        ollie.clock.now = now + 30 * day
        #expect(try await skewed("bella") == now + 25 * day)
    }

    @Test("Rule 4: with catalogs of every scope the ledger says what the naive model says")
    func model() async throws {
        print("seed \(LawTests.seed)")
        var random = SplitMix64(seed: LawTests.seed)
        for _ in 0..<(LawTests.permutations / 4) {
            var generator = EventGenerator(
                seed: random.next(), catalog: try Fixtures.catalog("magical-stories"))
            // Purchases and aliases have comparisons of their own; here it is about catalogs.
            let drafts = generator.stream(subjects: 6, events: 90).filter {
                [.subjectCreated, .subjectTimeZoneChanged, .usageRecorded].contains($0.type)
                    && $0.environment == .production
            }
            let other = try await LedgerFixture("magical-stories", now: 0)
            for limit in 4...8 {
                let start: Int64 = 1_767_225_600_000
                other.clock.now = start + Int64(limit) * 9 * day
                let scopes: [CatalogScope] = [
                    .all, .newSubjects, .nextPeriod,
                    .cohort(Int64.random(in: 0...100, using: &random)),
                ]
                try await other.publish(
                    replacing: ["limit: 3\n": "limit: \(limit)\n"],
                    scope: scopes.randomElement(using: &random) ?? .all,
                    effectiveAt: other.clock.now
                        + Int64.random(in: 0...60, using: &random) * day)
            }
            other.clock.now += 500 * day
            try await other.ledger.record(drafts.shuffled(using: &random))
            let comparison = try ModelComparison(other.ledger)
            let differences = try comparison.differences(
                at: comparison.moments, cut: Int64(comparison.events.count))
            for difference in differences {
                Issue.record("\(difference), seed \(LawTests.seed)")
            }
        }
    }
}
