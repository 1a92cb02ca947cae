import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// `resetsOnPlanChange`: a counter begins anew when a subscription begins or goes on with another product (E61).
@Suite("Plan changes")
struct PlanChangeTests {
    /// Premium as a plan with a number: its stories are counted, though it opens the feature that they are of.
    static let twenty = [
        "limit: 3\n    limitsWith:\n      premium: unlimited\n":
            "limit: 3\n    limitsWith:\n      premium: 20\n"
    ]
    static let resetting = twenty.mapValues {
        $0.replacing("premium: 20\n", with: "premium: 20\n    resetsOnPlanChange: true\n")
    }
    static let monthly = LineageFixture("1000", product: "com.magicalstories.premium.monthly")
    static let yearly = LineageFixture("1000", product: "com.magicalstories.premium.yearly")

    let fixture: LedgerFixture
    /// The middle of January: everything within two weeks is one period.
    let now = Fixtures.now
    let day = LedgerFixture.day

    init() async throws {
        fixture = try await LedgerFixture(
            "magical-stories", replacing: Self.resetting)
    }

    private func used(
        at time: Int64? = nil, knownAt: Moment.Knowledge? = nil, in other: LedgerFixture? = nil
    ) throws -> [Int64?] {
        let meter = try #require(
            try (other ?? fixture).meter("stories", at: time, knownAt: knownAt))
        return [meter.used, meter.remaining]
    }

    /// Uses told as having happened.
    private func uses(_ times: Int64...) -> [EventDraft] {
        times.map { .used("stories", at: $0, ref: "at-\($0)") }
    }

    @Test(
        "E61 A subscription that begins starts the count anew, and the free month before it stays")
    func start() async throws {
        try await fixture.use("stories", "s1", "s2")
        fixture.clock.now += day
        let start = fixture.clock.now
        try await fixture.record(Self.monthly.started("1000", from: start, until: start + 31 * day))
        #expect(try used() == [0, 20])
        #expect(try used(at: start - 1) == [2, 1])
        #expect(try fixture.meter("stories")?.lastResetAt == start)
        try await fixture.use("stories", "s3")
        #expect(try used(at: start) == [1, 19])
    }

    @Test("E61 Without the catalog's word nothing begins anew")
    func silent() async throws {
        let other = try await LedgerFixture(
            "magical-stories", replacing: Self.twenty)
        try await other.use("stories", "s1", "s2")
        try await other.record(Self.monthly.started("1000", from: now, until: now + 31 * day))
        #expect(try used(in: other) == [2, 18])
    }

    @Test("E61 Another product starts the count anew when it begins, a renewal does not")
    func products() async throws {
        let change = now + 4 * day
        let renewal = now + 8 * day
        try await fixture.record(Self.monthly.started("1000", from: now, until: change))
        try await fixture.record(Self.yearly.renewed("1001", from: change, until: renewal))
        try await fixture.record(
            Self.yearly.renewed("1002", from: renewal, until: renewal + 365 * day))
        let times = [now + day, change, change + day, renewal, renewal + day]
        for draft in times.flatMap({ uses($0) }) { try await fixture.record(draft) }
        #expect(try used(at: change - 1) == [1, 19])
        #expect(try used(at: change) == [1, 19])
        #expect(try used(at: renewal - 1) == [2, 18])
        #expect(try used(at: renewal) == [3, 17])
        #expect(try used(at: renewal + day) == [4, 16])
    }

    @Test("E61 A renewal that is charged early changes the plan when its period begins")
    func early() async throws {
        let change = now + 4 * day
        try await fixture.record(Self.monthly.started("1000", from: now, until: change))
        try await fixture.record(
            Self.yearly.renewed("1001", from: change - day / 4, until: change + 365 * day))
        for draft in uses(now, change - 1) { try await fixture.record(draft) }
        #expect(try used(at: change - 1) == [2, 18])
        #expect(try used(at: change) == [0, 20])
    }

    @Test("E61 Neither a lapse nor a refund begins anew: neither is a way to a fresh quota")
    func ends() async throws {
        let refund = now + 2 * day
        try await fixture.record(Self.monthly.started("1000", from: now, until: now + 31 * day))
        for draft in uses(now, now + 1, now + 2) { try await fixture.record(draft) }
        try await fixture.record(Self.monthly.refunded("1000", at: refund))
        #expect(try used(at: refund - 1) == [3, 17])
        #expect(try used(at: refund) == [3, 0])
        let other = try await LedgerFixture(
            "magical-stories", replacing: Self.resetting)
        try await other.record(Self.monthly.started("1000", from: now, until: refund))
        for draft in uses(now, now + 1) { try await other.record(draft) }
        #expect(try used(at: refund, in: other) == [2, 1])
    }

    @Test("The same product within 60 days is the same plan, from the 60th day on a new one")
    func lapse() async throws {
        var changes = Self.resetting
        changes["period: calendarMonth\n    limit: 3"] = "period: lifetime\n    limit: 3"
        let lifetime = try await LedgerFixture("magical-stories", replacing: changes)
        let end = now + 10 * day
        try await lifetime.record(Self.monthly.started("1000", from: now, until: end))
        for draft in uses(now, now + 1) { try await lifetime.record(draft) }
        let back = end + 60 * day - 1
        try await lifetime.record(Self.monthly.started("1001", from: back, until: back + day))
        #expect(try used(at: back, in: lifetime) == [2, 18])
        let again = back + day + 60 * day
        try await lifetime.record(Self.monthly.started("1002", from: again, until: again + day))
        #expect(try used(at: again - 1, in: lifetime) == [2, 1])
        #expect(try used(at: again, in: lifetime) == [0, 20])
    }

    @Test("There and back again is two changes, however short the visit")
    func thereAndBack() async throws {
        let (away, home) = (now + 2 * day, now + 4 * day)
        try await fixture.record(Self.monthly.started("1000", from: now, until: now + 31 * day))
        try await fixture.record(
            Self.yearly.event(
                .subscriptionProductChanged, at: away,
                [
                    "from": .string(Self.monthly.product), "to": .string(Self.yearly.product),
                    "effective": "now",
                ]))
        try await fixture.record(Self.yearly.renewed("1001", from: away, until: home))
        try await fixture.record(Self.monthly.renewed("1002", from: home, until: home + 31 * day))
        for draft in uses(now, away, home) { try await fixture.record(draft) }
        #expect(try used(at: away - 1) == [1, 19])
        #expect(try used(at: away) == [1, 19])
        #expect(try used(at: home - 1) == [1, 19])
        #expect(try used(at: home) == [1, 19])
    }

    @Test("The catalog of the moment of the change decides, not one that is published later")
    func publishedLater() async throws {
        let other = try await LedgerFixture(
            "magical-stories", replacing: Self.twenty)
        try await other.use("stories", "s1", "s2")
        try await other.record(Self.monthly.started("1000", from: now, until: now + 5 * day))
        other.clock.now += day
        try await other.publish(replacing: Self.resetting)
        #expect(try used(in: other) == [2, 18])
        let change = now + 5 * day
        try await other.record(Self.yearly.renewed("1001", from: change, until: change + 9 * day))
        other.clock.now = change
        #expect(try used(in: other) == [0, 20])
        other.clock.now += day
        try await other.publish(replacing: Self.twenty)
        #expect(try used(in: other) == [0, 20])
    }

    @Test("A client's word, and a share that the catalog does not share, change no plan")
    func unfounded() async throws {
        try await fixture.use("stories", "s1")
        var claimed = Self.monthly
        claimed.trust = .clientAsserted
        try await fixture.record(claimed.started("1000", from: now, until: now + 31 * day))
        #expect(try used() == [1, 2])
        let shared = LineageFixture("2000", product: Self.monthly.product)
        try await fixture.record(
            shared.started(
                "2000", from: now, until: now + 31 * day, ["ownership": "FAMILY_SHARED"]))
        #expect(try used() == [1, 2])
    }

    @Test("A reset that is reported with the trigger plan_change folds as it stands")
    func reported() async throws {
        try await fixture.use("stories", "s1", "s2")
        fixture.clock.now += day
        try await fixture.record(
            .reported(
                .usageReset, at: now + day, key: "r1",
                [
                    "meter": "stories", "trigger": "plan_change", "period_start": .integer(now),
                    "effective_at": .integer(now + day),
                ]))
        #expect(try used() == [0, 3])
    }

    @Test("A change that is voided never was; known before it was told, it was not yet")
    func corrected() async throws {
        try await fixture.use("stories", "s1", "s2")
        let before = try fixture.ledger.head().position
        let start = Self.monthly.started("1000", from: now + 1, until: now + 31 * day)
        try await fixture.record(start)
        fixture.clock.now += day
        #expect(try used() == [0, 20])
        #expect(try used(knownAt: .position(before)) == [2, 1])
        try await fixture.perform(
            .voidEvent(
                source: start.source.kind, key: try #require(start.source.key)))
        #expect(try used() == [2, 1])
    }

    @Test("In any order, late, orphaned first or handed over, the numbers are the same")
    func anyOrder() async throws {
        var orphan = Self.monthly
        orphan.subject = nil
        let change = now + 4 * day
        let drafts =
            [
                orphan.started("1000", from: now + day, until: change),
                Self.yearly.renewed("1001", from: change, until: change + 365 * day),
                Self.yearly.refunded("1001", at: change + 6 * day),
            ] + uses(now, now + day, now + 2 * day, change - 1, change, change + day)
        let moments = [now, now + day, change - 1, change, change + 5 * day, change + 7 * day]
        var expected: [[Int64?]]?
        var random = SplitMix64(seed: LawTests.seed)
        print("seed \(LawTests.seed)")
        for _ in 0..<LawTests.permutations {
            let other = try await LedgerFixture(
                "magical-stories", now: now - day, replacing: Self.resetting)
            for draft in drafts.shuffled(using: &random) { try await other.record(draft) }
            let numbers = try moments.map { try used(at: $0, in: other) }
            #expect(numbers == expected ?? numbers, "seed \(LawTests.seed)")
            expected = numbers
        }
        #expect(expected == [[1, 2], [1, 19], [3, 17], [1, 19], [2, 18], [2, 1]])
    }

    @Test("A plan changes for the customer who takes a lineage over, from then on")
    func transferred() async throws {
        let handover = now + 3 * day
        try await fixture.record(Self.monthly.started("1000", from: now, until: now + 31 * day))
        try await fixture.record(
            .used("stories", at: now + day, ref: "b1", subject: "bob"),
            .used("stories", at: now + day, ref: "a1"))
        try await fixture.record(
            Self.monthly.event(
                .purchaseTransferred, at: handover, ["from": "ada", "to": "bob"]))
        var bob = fixture
        bob.subject = "bob"
        #expect(try used(at: handover - 1, in: bob) == [1, 2])
        #expect(try used(at: handover, in: bob) == [0, 20])
        #expect(try used(at: handover) == [1, 2])
    }

    @Test("E60 What a plan with a number allowed stays allowed when its month is closed")
    func closedMonth() async throws {
        let december = instant("2025-12-01T00:00:00Z")
        let other = try await LedgerFixture(
            "magical-stories", replacing: Self.twenty)
        try await other.record(
            Self.monthly.started("1000", from: december, until: december + 31 * day))
        try await other.record(
            .reported(
                .grantIssued, at: december, key: "g1",
                [
                    "grant_id": "g1", "meter": "stories", "amount": 5,
                    "starts_at": .integer(december), "reason": "support",
                ]))
        for index in 1...12 {
            try await other.record(
                .used("stories", at: december + Int64(index) * day, ref: "d\(index)"))
        }
        // The twelve were within the twenty of December, so January has its three and all of the grant.
        #expect(try used(in: other) == [0, 8])
        #expect(try other.meter("stories", at: december + 30 * day)?.remaining == 13)
    }

    @Test(
        "Rule 4: with counters that begin anew the ledger says what the naive model says",
        arguments: [
            ("magical-stories", resetting),
            (
                "nuzzle",
                [
                    "      pro: unlimited\n":
                        "      pro: unlimited\n    resetsOnPlanChange: true\n"
                ]
            ),
        ])
    func model(_ app: String, _ changes: [String: String]) async throws {
        let text = try LedgerFixture.catalog(app, replacing: changes)
        for pair in try StreamGolden.pairs() where pair.app == app {
            try await AsOfModelTests.compare(pair, catalog: Array(text.utf8))
        }
    }
}
