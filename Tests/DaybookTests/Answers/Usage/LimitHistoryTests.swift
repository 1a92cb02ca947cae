import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("Limits of the past")
struct LimitHistoryTests {
    @Test("A number that a later catalog no longer gives still holds for the time in which it did")
    func formerNumber() async throws {
        let text = MeterCatalog.text.replacing(
            "plan: { kind: counter, period: calendarMonth, limit: 1, limitsWith: { club: 5 } }",
            with: "plan: { kind: counter, period: calendarMonth, limit: 1 }"
        ).replacing(
            "billed: { kind: counter, period: P1M, anchor: billing, limit: 1, limitsWith: { club: 5 } }",
            with: "billed: { kind: counter, period: P1M, anchor: billing, limit: 1 }")
        #expect(text.utf8.count < MeterCatalog.text.utf8.count)
        let fixture = try await MeterCatalog.fixture(now: "2026-03-01T15:00:00Z")
        let club = LineageFixture("1", product: "club.yearly")
        try await fixture.record(
            club.started("1", from: MeterCatalog.start, until: instant("2027-01-31T15:00:00Z")),
            .reported(
                .grantIssued, at: MeterCatalog.start, key: "gift",
                [
                    "grant_id": "gift", "meter": "plan", "amount": 3,
                    "starts_at": .integer(MeterCatalog.start),
                ]),
            .used("plan", at: instant("2026-02-10T00:00:00Z"), ref: "a", amount: 4))
        // With the club's five a month nothing was taken from the gift.
        #expect(try fixture.meter("plan", at: instant("2026-02-20T00:00:00Z"))?.granted == 3)
        try await fixture.publish(Array(text.utf8), effectiveAt: instant("2026-03-15T00:00:00Z"))
        fixture.clock.now = instant("2026-03-20T00:00:00Z")
        let now = try #require(try fixture.meter("plan"))
        #expect(now.limit == 1)
        #expect(now.granted == 3)
    }
}
