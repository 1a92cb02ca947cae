import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// E69 to E73: months, leap days, zones and years far away, through the library.
@Suite("Edge cases: the calendar")
struct EdgeCasesCalendarTests {
    private func ledger(in zone: String) async throws -> LedgerFixture {
        let seen = instant("2020-01-01T00:00:00Z")
        let fixture = try await LedgerFixture("magical-stories")
        try await fixture.record(
            .reported(
                .subjectCreated, at: seen, key: "created",
                ["first_seen_at": .integer(seen), "tz": .string(zone)]))
        return fixture
    }

    struct Month: Sendable, CustomTestStringConvertible {
        var zone: String
        var from: String
        var until: String
        var testDescription: String { "\(zone) \(from)" }
    }

    @Test(
        "E70 E72 A month begins at the first instant of its first day in its zone",
        arguments: [
            Month(
                zone: "America/Havana", from: "2026-11-01T00:00:00-04:00",
                until: "2026-12-01T00:00:00-05:00"),
            Month(
                zone: "America/Asuncion", from: "2017-10-01T01:00:00-03:00",
                until: "2017-11-01T00:00:00-03:00"),
            Month(
                zone: "Asia/Kolkata", from: "2026-03-01T00:00:00+05:30",
                until: "2026-04-01T00:00:00+05:30"),
            Month(
                zone: "Pacific/Kiritimati", from: "2026-03-01T00:00:00+14:00",
                until: "2026-04-01T00:00:00+14:00"),
            Month(
                zone: "Etc/GMT+12", from: "2026-03-01T00:00:00-12:00",
                until: "2026-04-01T00:00:00-12:00"),
        ])
    func months(_ month: Month) async throws {
        let fixture = try await ledger(in: month.zone)
        let (from, until) = (instant(month.from), instant(month.until))
        let before = try #require(try fixture.meter("stories", at: from - 1)?.period)
        #expect(before.end == from)
        for time in [from, until - 1] {
            let period = try #require(try fixture.meter("stories", at: time)?.period)
            #expect((period.start, period.end) == (from, until))
        }
    }

    @Test(
        "E69 A purchase for a year or a month ends on the same day, or the last one there is",
        arguments: [
            ("P1Y", "2028-02-29T09:00:00Z", "2029-02-28T09:00:00Z"),
            ("P4Y", "2024-02-29T09:00:00Z", "2028-02-29T09:00:00Z"),
            ("P1M", "2026-01-31T09:00:00Z", "2026-02-28T09:00:00Z"),
        ])
    func durations(_ duration: String, _ from: String, _ until: String) async throws {
        let fixture = try await LedgerFixture(
            "magical-stories",
            replacing: [
                "products:\n": """
                products:
                  pass:
                    kind: nonRenewing
                    duration: \(duration)
                    entitlements: [premium]

                """
            ])
        let lineage = LineageFixture("p1", product: "pass")
        try await fixture.record(
            lineage.event(
                .purchaseCompleted, at: instant(from),
                [
                    "product": "pass", "kind": "non_renewing", "transaction_id": "p1",
                    "price_milli": 1, "currency": "USD",
                ]))
        #expect(try fixture.entitlement("premium", at: instant(until) - 1)?.isActive == true)
        #expect(try fixture.entitlement("premium", at: instant(until))?.isActive == false)
        try await fixture.record(
            LineageFixture("p2", product: "pass").event(
                .purchaseCompleted, at: instant(from) + LedgerFixture.day,
                [
                    "product": "pass", "kind": "non_renewing", "transaction_id": "p2",
                    "price_milli": 1, "currency": "USD",
                ]))
        // The second one begins where the first ends (docs/rules.md#one-time-purchases).
        #expect(try fixture.entitlement("premium", at: instant(until))?.isActive == true)
    }

    @Test("E73 Purchases before 1970 and ends after 2100 are taken as they are")
    func farYears() async throws {
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.yearly")
        let from = instant("1969-07-20T20:17:00Z")
        let until = instant("2466-01-01T00:00:00Z")
        let fixture = try await LedgerFixture("magical-stories")
        try await fixture.record(
            lineage.event(
                .subscriptionStarted, at: Fixtures.now,
                [
                    "product": .string(lineage.product), "transaction_id": "1",
                    "starts_at": .integer(from), "expires_at": .integer(until),
                    "price_milli": 89_990, "currency": "USD", "reason": "initial",
                ]))
        #expect(try fixture.entitlement("premium", at: from)?.isActive == true)
        #expect(try fixture.entitlement("premium", at: from - 1)?.isActive == false)
        #expect(try fixture.entitlement("premium", at: until - 1)?.isActive == true)
        #expect(try fixture.entitlement("premium", at: until)?.isActive == false)
        let far = try #require(
            try fixture.meter("stories", at: instant("2400-02-15T00:00:00Z"))?.period)
        #expect(far.end - far.start == 29 * LedgerFixture.day)
    }
}
