import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Magical Stories: three stories a month")
struct MagicalStoriesTests {
    let fixture: LedgerFixture
    var ledger: Ledger { fixture.ledger }

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    /// Moves the customer to a zone before anything else happens.
    private func live(in zone: String, of subject: String = "ada") async throws {
        let seen = instant("2025-06-01T00:00:00Z")
        try await fixture.record(
            .reported(
                .subjectCreated, at: seen, key: "created/\(subject)", subject: subject,
                ["first_seen_at": .integer(seen), "tz": .string(zone)]))
    }

    @Test("MS-01 A new customer reads that none of three stories is used")
    func newCustomer() throws {
        let status = try fixture.status()
        #expect(status.status == "free")
        #expect(status.display?.text == "Stories this month: 0/3")
        let meter = try #require(try fixture.meter("stories"))
        #expect((meter.limit, meter.used, meter.remaining) == (3, 0, 3))
    }

    @Test("MS-02 The third story reaches the limit once, and the fourth meets the paywall")
    func limit() async throws {
        try await fixture.use("stories", "s1", "s2")
        #expect(try fixture.check("stories").allowed)
        #expect(try fixture.count(of: .limitReached) == 0)
        try await fixture.use("stories", "s3")
        #expect(try fixture.count(of: .limitReached) == 1)
        let refusal = try await fixture.refusal(
            of: .consume(meter: "stories", amount: 1, ref: "s4"))
        #expect(
            refusal
                == .limitReached(
                    meter: "stories", limit: 3, used: 3, reserved: 0, requested: 1,
                    resetsAt: instant("2026-02-01T00:00:00Z")))
        #expect(try fixture.count(of: .limitReached) == 1)
        #expect(try fixture.count(of: .usageRecorded) == 3)
        let decision = try fixture.check("stories")
        #expect(!decision.allowed && decision.reason == .limitReached)
        #expect(decision.title?.text == "You've used all your free stories this month!")
        #expect(decision.display?.text == "Upgrade to Premium for unlimited magical adventures")
        #expect(decision.paywall?.context == "usageLimitReached")
        #expect(decision.paywall?.products.count == 2)
        #expect(try fixture.status().display?.text == "Stories this month: 3/3")
    }

    @Test("MS-02 A refusal leaves one piece of evidence a month, however often it is tried")
    func evidence() async throws {
        try await fixture.use("stories", "s1", "s2", "s3")
        for ref in ["s4", "s5", "s6"] {
            _ = try await fixture.refusal(of: .consume(meter: "stories", amount: 1, ref: ref))
        }
        #expect(try fixture.count(of: .accessDenied) == 1)
        #expect(try fixture.meter("stories")?.used == 3)
    }

    @Test("MS-03 With two used, of two generations at once one is allowed")
    func parallel() async throws {
        try await fixture.use("stories", "s1", "s2")
        let ledger = ledger
        let outcomes = await withTaskGroup(of: String.self) { group in
            for ref in ["s3", "s4"] {
                group.addTask {
                    do {
                        try await ledger.consume("stories", by: "ada", ref: ref)
                        return "done"
                    } catch let error as LedgerError {
                        return error.code
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["done": 1, "limit_reached": 1])
        #expect(try fixture.meter("stories")?.used == 3)
        #expect(try fixture.count(of: .usageRecorded) == 3)
    }

    @Test("MS-04 A generation that fails gives its story back")
    func release() async throws {
        try await fixture.use("stories", "s1")
        try await fixture.perform(
            .reserve(meter: "stories", amount: 1, reservation: "r1", timeoutMilliseconds: nil))
        #expect(try fixture.meter("stories")?.remaining == 1)
        try await fixture.perform(.release(reservation: "r1"))
        let meter = try #require(try fixture.meter("stories"))
        #expect((meter.used, meter.reserved, meter.remaining) == (1, 0, 2))
        #expect(try fixture.count(of: .usageRecorded) == 1)
        #expect(try fixture.count(of: .usageCommitted) == 0)
    }

    @Test("MS-05 Three stories used on 31 January are back at local midnight in New York")
    func localMidnight() async throws {
        try await live(in: "America/New_York")
        fixture.clock.now = instant("2026-01-31T18:00:00-05:00")
        try await fixture.use("stories", "s1", "s2", "s3")
        let midnight = instant("2026-02-01T00:00:00-05:00")
        #expect(try fixture.meter("stories", at: midnight - 1)?.remaining == 0)
        #expect(try fixture.meter("stories", at: midnight)?.remaining == 3)
        #expect(try fixture.check("stories").usage?.period?.end == midnight)
        fixture.clock.now = midnight - 1
        #expect(
            try await fixture.refusal(of: .consume(meter: "stories", amount: 1, ref: "s4")) != nil)
        fixture.clock.now = midnight
        try await fixture.use("stories", "s4")
        #expect(try fixture.meter("stories")?.remaining == 2)
    }

    @Test(
        "MS-06 Auckland and Los Angeles reset at their own midnights",
        arguments: [
            ("Pacific/Auckland", "2026-02-01T00:00:00+13:00"),
            ("America/Los_Angeles", "2026-02-01T00:00:00-08:00"),
        ])
    func zones(_ zone: String, _ boundary: String) async throws {
        try await live(in: zone)
        let midnight = instant(boundary)
        fixture.clock.now = midnight - LedgerFixture.hour
        try await fixture.use("stories", "s1", "s2", "s3")
        #expect(try fixture.meter("stories", at: midnight - 1)?.remaining == 0)
        #expect(try fixture.meter("stories", at: midnight)?.remaining == 3)
    }

    @Test("MS-07 A move within a month lets the month end where it would have ended")
    func move() async throws {
        try await live(in: "America/New_York")
        fixture.clock.now = instant("2026-01-20T12:00:00Z")
        try await fixture.use("stories", "s1", "s2", "s3")
        try await fixture.perform(.changeTimeZone("Pacific/Auckland"))
        let end = instant("2026-02-01T00:00:00-05:00")
        #expect(try fixture.meter("stories")?.period?.end == end)
        #expect(try fixture.meter("stories", at: end - 1)?.remaining == 0)
        let february = try #require(try fixture.meter("stories", at: end)?.period)
        #expect(february.start == end)
        #expect(february.end == instant("2026-03-01T00:00:00+13:00"))
        #expect(february.end - february.start < 62 * LedgerFixture.day)
        // One reset in all of that period, whichever midnights it has.
        fixture.clock.now = end
        try await fixture.use("stories", "s4")
        fixture.clock.now = february.end - 1
        try await fixture.use("stories", "s5")
        #expect(try fixture.count(of: .usageReset) == 1)
        #expect(try fixture.meter("stories")?.remaining == 1)
    }

    @Test(
        "MS-08 A month is as long as the calendar of its zone says",
        arguments: [
            ("Europe/Amsterdam", "2026-03-15T12:00:00Z", 743),
            ("Europe/Amsterdam", "2026-10-15T12:00:00Z", 745),
            ("Europe/Amsterdam", "2026-02-15T12:00:00Z", 672),
            ("Europe/Amsterdam", "2028-02-15T12:00:00Z", 696),
            ("Europe/Amsterdam", "2026-12-15T12:00:00Z", 744),
            ("UTC", "2026-04-15T12:00:00Z", 720),
        ])
    func lengths(_ zone: String, _ time: String, _ hours: Int64) async throws {
        try await live(in: zone)
        let period = try #require(try fixture.meter("stories", at: instant(time))?.period)
        #expect(period.end - period.start == hours * LedgerFixture.hour)
    }

    @Test("MS-09 Anniversaries of 31 January at ten keep their time and never lose the 31st")
    func anniversary() async throws {
        let fixture = try await LedgerFixture(
            "magical-stories", replacing: ["period: calendarMonth": "period: anniversary"])
        let seen = instant("2026-01-31T10:00:00Z")
        try await fixture.record(
            .reported(
                .subjectCreated, at: seen, key: "created", ["first_seen_at": .integer(seen)]))
        let boundaries = ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]
            .map { instant("\($0)T10:00:00Z") }
        for (start, end) in zip(boundaries, boundaries.dropFirst()) {
            for time in [start, end - 1] {
                let period = try #require(try fixture.meter("stories", at: time)?.period)
                #expect((period.start, period.end) == (start, end))
            }
        }
    }

    @Test("MS-10 After five months away there are three stories, and one reset is written")
    func away() async throws {
        try await fixture.use("stories", "s1", "s2", "s3")
        fixture.clock.now = instant("2026-06-20T00:00:00Z")
        #expect(try fixture.meter("stories")?.remaining == 3)
        #expect(try fixture.count(of: .usageReset) == 0)
        try await fixture.use("stories", "s4")
        #expect(try fixture.count(of: .usageReset) == 1)
        #expect(try fixture.meter("stories")?.remaining == 2)
    }

    @Test("MS-11 Support resets a month by hand, and the actor is on record")
    func manualReset() async throws {
        try await fixture.use("stories", "s1", "s2", "s3")
        fixture.clock.now += LedgerFixture.day
        let before = try #require(try fixture.meter("stories")?.period)
        try await fixture.perform(.resetUsage(meter: "stories"))
        let meter = try #require(try fixture.meter("stories"))
        #expect((meter.used, meter.remaining) == (0, 3))
        #expect(meter.period == before)
        #expect(meter.lastResetAt == fixture.clock.now)
        let reset = try #require(
            try ledger.history(of: "ada").first { $0.event.draft.type == .usageReset }?.event
                .draft)
        #expect(reset.data["trigger"] == "manual")
        #expect(reset.data["retain_anchor"] == true)
        #expect(reset.extras["actor"] == "support")
        #expect(reset.extras["reason"] == "test")
        #expect(try fixture.meter("stories", at: fixture.clock.now - 1)?.remaining == 0)
    }

    @Test("MS-12 A month that rolls over is marked once, by the first use")
    func resetMarker() async throws {
        try await fixture.use("stories", "s1")
        fixture.clock.now = instant("2026-02-03T00:00:00Z")
        #expect(try await ledger.tick().appended == 1)
        #expect(try await ledger.tick().appended == 0)
        try await fixture.use("stories", "s2")
        #expect(try fixture.count(of: .usageReset) == 1)
        let usage = try #require(try fixture.meter("stories"))
        #expect((usage.used, usage.periodName) == (1, "2026-02"))
    }

    @Test("MS-59 The usage statistics are there, and the last reset is the period's start")
    func statistics() async throws {
        try await fixture.use("stories", "s1", "s2")
        try await fixture.perform(
            .issueGrant(.init(id: "g1", target: .entitlement("premium"))))
        try await fixture.use("collections", "c1")
        let stories = try #require(try fixture.meter("stories"))
        #expect(stories.used == 2)
        #expect(try fixture.meter("collections")?.used == 1)
        #expect(stories.period?.start == instant("2026-01-01T00:00:00Z"))
        #expect(stories.lastResetAt == stories.period?.start)
    }
}
