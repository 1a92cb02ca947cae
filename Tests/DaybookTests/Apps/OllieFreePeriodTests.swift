import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Ollie: 21 free days for every dog")
struct OllieFreePeriodTests {
    let ollie: OllieFixture
    let start = OllieFixture.start
    let end = OllieFixture.end
    let day = OllieFixture.day

    init() async throws { ollie = try await OllieFixture() }

    @Test(
        "OL-01 OL-02 Whole days count down from 21, and the period ends when none is left",
        arguments: [
            ("2026-03-15T10:00:00+01:00", 21), ("2026-03-16T09:59:59+01:00", 21),
            ("2026-03-16T10:00:00+01:00", 20), ("2026-03-29T10:00:00+02:00", 7),
            ("2026-04-04T10:00:00+02:00", 1), ("2026-04-05T09:59:59+02:00", 1),
            ("2026-04-05T10:00:00+02:00", 0), ("2026-05-05T10:00:00+02:00", 0),
        ] as [(String, Int64)])
    func countdown(_ time: String, _ days: Int64) async throws {
        try await ollie.dog("rex")
        let card = try ollie.card("rex", at: instant(time))
        #expect(card.freeDaysRemaining == days)
        #expect(card.isFreePeriodExpired == (days == 0))
        #expect(!card.isEntitled)
        #expect(try ollie.check("logEvent", "rex", at: instant(time)).allowed == (days > 0))
        #expect(try !ollie.check("logEvent", "rex", at: start - 1).allowed)
    }

    @Test("OL-03 With a purchase the days are -1 and the period is never over")
    func premium() async throws {
        try await ollie.dog("rex")
        try await ollie.buy("3000", for: "rex")
        for time in [start, end, end + 400 * day] {
            let card = try ollie.card("rex", at: time)
            #expect(card.freeDaysRemaining == -1)
            #expect(!card.isFreePeriodExpired)
            let decision = try ollie.check("logEvent", "rex", at: time)
            #expect(decision.allowed)
            #expect(decision.reason == .lifetime)
        }
    }

    @Test(
        "OL-04 The 21 days follow the wall clock: 503 hours in spring, 505 in autumn",
        arguments: [
            ("2026-03-15T10:00:00+01:00", "2026-04-05T10:00:00+02:00", 503),
            ("2026-10-10T10:00:00+02:00", "2026-10-31T10:00:00+01:00", 505),
            ("2026-06-01T10:00:00+02:00", "2026-06-22T10:00:00+02:00", 504),
        ] as [(String, String, Int64)])
    func wallClock(_ start: String, _ end: String, _ hours: Int64) async throws {
        try await ollie.dog("rex", at: instant(start))
        #expect(instant(end) - instant(start) == hours * LedgerFixture.hour)
        #expect(try ollie.check("logEvent", "rex", at: instant(end) - 1).reason == .freePeriod)
        let over = try ollie.check("logEvent", "rex", at: instant(end))
        #expect(!over.allowed)
        #expect(over.reason == .freePeriodExpired)
    }

    @Test("OL-04 A move to another zone leaves the dog's days where they began")
    func moved() async throws {
        try await ollie.dog("rex")
        ollie.fixture.clock.now = start + 5 * day
        try await ollie.fixture.perform(.changeTimeZone("America/New_York"))
        #expect(try ollie.check("logEvent", "rex", at: end - 1).allowed)
        #expect(try !ollie.check("logEvent", "rex", at: end).allowed)
        // A dog that comes after the move has the new zone, where no clocks change meanwhile: 504 hours.
        try await ollie.dog("amy", at: start + 6 * day)
        #expect(try ollie.check("logEvent", "amy", at: start + 27 * day - 1).allowed)
        #expect(try !ollie.check("logEvent", "amy", at: start + 27 * day).allowed)
    }

    private static let free = ["viewHistory", "timeline", "dayNavigation"]
    private static let inPeriod = ["logEvent", "quickLog", "basicStats"]
    private static let paid = ["fullStats", "pottyPredictions", "mediaAttachments", "export"]

    @Test("OL-05 OL-06 OL-07 What a dog may do in the free period, after it, and with Premium")
    func matrix() async throws {
        try await ollie.dog("rex")
        func reasons(_ features: [String], _ time: Int64) throws -> Set<String> {
            Set(
                try features.map { name in
                    let decision = try ollie.check(name, "rex", at: time)
                    return "\(decision.allowed ? "granted" : "denied").\(decision.reason)"
                })
        }
        #expect(try reasons(Self.free, start) == ["granted.free_feature"])
        #expect(try reasons(Self.inPeriod, start) == ["granted.intro_period"])
        #expect(try reasons(Self.paid, start) == ["denied.not_entitled"])
        #expect(try reasons(Self.inPeriod, end - 1) == ["granted.intro_period"])
        #expect(try reasons(Self.paid, end - 1) == ["denied.not_entitled"])
        #expect(try reasons(Self.free, end) == ["granted.free_feature"])
        #expect(try reasons(Self.inPeriod, end) == ["denied.intro_expired"])
        #expect(try reasons(Self.paid, end) == ["denied.not_entitled"])
        // The dog and what is known of it stay.
        #expect(try !ollie.card("rex", at: end).profile.isDeleted)
        #expect(try ollie.fixture.count(of: .profileCreated) == 1)
        ollie.fixture.clock.now = end
        try await ollie.buy("3000", for: "rex")
        #expect(
            try reasons(Self.free + Self.inPeriod + Self.paid, end + 1) == ["granted.lifetime"])
        let known = try ollie.ledger.catalogs().newest?.catalog.features.map(\.name)
        #expect(known.map(Set.init) == Set(Self.free + Self.inPeriod + Self.paid))
    }

    @Test("OL-07 A feature that comes later belongs to Premium without being named")
    func future() async throws {
        try await ollie.dog("rex")
        try await ollie.dog("bella")
        try await ollie.buy("3000", for: "rex")
        try await ollie.fixture.publish(replacing: [
            "  export:\n    scope: profile\n":
                "  puppyRadio: { scope: profile }\n  export:\n    scope: profile\n"
        ])
        #expect(try ollie.check("puppyRadio", "rex").reason == .lifetime)
        #expect(try !ollie.check("puppyRadio", "bella").allowed)
    }

    @Test("OL-11 A deleted dog made anew under another id has its own 21 days; history keeps both")
    func recreated() async throws {
        try await ollie.dog("rex")
        ollie.fixture.clock.now = start + 10 * day
        try await ollie.fixture.perform(.deleteProfile(profile: "rex"))
        try await ollie.dog("rex2", at: start + 10 * day)
        #expect(try ollie.card("rex2").freeDaysRemaining == 21)
        #expect(try ollie.card("rex").profile.isDeleted)
        #expect(try !ollie.check("logEvent", "rex").allowed)
        #expect(try ollie.fixture.count(of: .profileCreated) == 2)
        #expect(try ollie.fixture.count(of: .profileDeleted) == 1)
        #expect(try ollie.check("logEvent", "rex", at: start + 9 * day).allowed)
    }

    @Test("OL-12 A reinstalled app that brings the same dog back goes on counting")
    func reinstalled() async throws {
        try await ollie.dog("rex")
        ollie.fixture.clock.now = start + 10 * day
        try await ollie.fixture.perform(.deleteProfile(profile: "rex"))
        try await ollie.fixture.record(
            .reported(
                .profileRestored, at: start + 12 * day, key: "restored/rex",
                [
                    "profile": "rex", "kind": "puppy", "original_created_at": .integer(start),
                ]))
        #expect(try ollie.card("rex", at: start + 12 * day).freeDaysRemaining == 9)
        #expect(try ollie.card("rex", at: end).freeDaysRemaining == 0)
        #expect(try !ollie.check("logEvent", "rex", at: start + 11 * day).allowed)
    }

    @Test("OL-13 The migration starts an old dog's period once, however often it runs")
    func migration() async throws {
        let migrated = start + 3 * day
        func drafts(_ time: Int64) -> EventDraft {
            .reported(
                .profileCreated, at: start - 300 * day, key: "migration/rex",
                ["profile": "rex", "kind": "puppy", "free_started_at": .integer(time)])
        }
        ollie.fixture.clock.now = migrated
        #expect(try await ollie.fixture.record(drafts(migrated)).appended == 1)
        #expect(try await ollie.fixture.record(drafts(migrated)).duplicates == 1)
        // Run again on another day it starts nothing anew.
        #expect(
            try await ollie.fixture.problems(of: drafts(migrated + day)) == ["idempotency_conflict"]
        )
        #expect(try ollie.card("rex").freeDaysRemaining == 21)
        #expect(try ollie.card("rex", at: migrated + 20 * day).freeDaysRemaining == 1)
        // Before it began nothing was over.
        #expect(try !ollie.card("rex", at: start).isFreePeriodExpired)
        #expect(try ollie.fixture.count(of: .profileCreated) == 1)
    }

    @Test("OL-21 The phone's clock is believed, and the ledger keeps how far it was off")
    func clock() async throws {
        ollie.fixture.clock.now = start + 30 * day
        let phone = start
        let request = CommandRequest(
            .createProfile(profile: "rex", kind: "puppy", freeStartedAt: nil), subject: "ada",
            clientAt: phone)
        try await ollie.ledger.perform(request)
        let created = try #require(try ollie.ledger.history(of: "ada").first?.event.draft)
        #expect(created.occurredAt == phone)
        #expect(created.extras["client_at"] == .integer(phone))
        #expect(created.extras["skew_ms"] == .integer(-30 * day))
        #expect(try !ollie.check("logEvent", "rex").allowed)
        #expect(try ollie.check("logEvent", "rex", at: phone + day).allowed)
    }

    @Test("OL-27 A free period is no trial: it uses up no offer and starts no subscription")
    func noTrial() async throws {
        try await ollie.dog("rex")
        let status = try ollie.status("rex")
        #expect(status.introEligible.isEmpty)
        let states = status.entitlements.flatMap(\.candidates).map(\.state)
        #expect(!states.contains(.trial))
        #expect(try ollie.check("logEvent", "rex").reason == .freePeriod)
        let types = try ollie.ledger.history(of: "ada").map(\.event.draft.type.rawValue)
        #expect(types == ["profile.created"])
    }

    @Test("OL-27 The way from a dog's first day to its purchase is a funnel of its own")
    func funnel() async throws {
        try await ollie.dog("rex")
        try await ollie.ledger.perform(
            CommandRequest(
                .createProfile(profile: "bo", kind: "puppy", freeStartedAt: nil), subject: "eve"))
        ollie.fixture.clock.now = end + day
        try await ollie.buy("3000", for: "rex")
        let report = try ollie.ledger.funnel("free_period_to_paid")
        #expect(report.steps.map(\.count) == [2, 1])
        #expect(report.windowMilliseconds == 51 * day)
    }
}
