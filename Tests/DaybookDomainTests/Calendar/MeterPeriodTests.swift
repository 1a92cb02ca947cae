import DaybookDomain
import Testing

@Suite("Meter periods")
struct MeterPeriodTests {
    private func row(_ period: MeterPeriod) -> String {
        "\(RFC3339.format(period.start)) to \(RFC3339.format(period.end))"
    }

    @Test(
        "A month ends at local midnight, one millisecond after its last (MS-05)",
        arguments: [
            ("2026-01-31T23:59:59.999-05:00", "2026-01"), ("2026-02-01T00:00:00-05:00", "2026-02"),
            ("2026-02-01T00:00:00.001-05:00", "2026-02"), ("2026-02-01T00:00:00Z", "2026-01"),
        ])
    func localMidnight(at text: String, expected: String) throws {
        let at = try instant(text)
        let period = MeterPeriod.calendarMonth(
            containing: at, in: ZoneHistory(initial: CalendarFixtures.newYork))
        #expect(MeterPeriod.calendarMonthText(period.number) == expected)
        #expect(period.contains(at))
    }

    @Test("Auckland and Los Angeles reset at their own midnights (MS-06)")
    func ownMidnights() throws {
        let at = try instant("2026-02-15T00:00:00Z")
        let auckland = MeterPeriod.calendarMonth(
            containing: at, in: ZoneHistory(initial: CalendarFixtures.auckland))
        let losAngeles = MeterPeriod.calendarMonth(
            containing: at, in: ZoneHistory(initial: CalendarFixtures.losAngeles))
        #expect(row(auckland) == "2026-01-31T11:00:00Z to 2026-02-28T11:00:00Z")
        #expect(row(losAngeles) == "2026-02-01T08:00:00Z to 2026-03-01T08:00:00Z")
        #expect(auckland.number == losAngeles.number)
    }

    @Test(
        "A new zone rules from the next period on and leaves the current end alone (MS-07)",
        arguments: [
            (2026, 2, "2026-01-31T11:00:00Z to 2026-02-28T11:00:00Z"),
            (2026, 3, "2026-02-28T11:00:00Z to 2026-04-01T07:00:00Z"),
            (2026, 4, "2026-04-01T07:00:00Z to 2026-05-01T07:00:00Z"),
        ])
    func changedZone(year: Int64, month: Int64, expected: String) throws {
        let move = ZoneHistory.Change(
            fromInstant: try instant("2026-02-14T12:00:00Z"), zone: CalendarFixtures.losAngeles)
        let history = ZoneHistory(initial: CalendarFixtures.auckland, changes: [move])
        let period = MeterPeriod.calendarMonth(numbered: year * 12 + month - 1, in: history)
        #expect(row(period) == expected)
        #expect(MeterPeriod.calendarMonth(containing: period.start, in: history) == period)
        #expect(MeterPeriod.calendarMonth(containing: period.end - 1, in: history) == period)
    }

    @Test(
        "A change in the millisecond of a boundary rules the period that begins there (MS-07)",
        arguments: [
            (-1, "2026-03-01T00:00:00Z to 2026-03-31T11:00:00Z"),
            (0, "2026-03-01T00:00:00Z to 2026-03-31T11:00:00Z"),
            (1, "2026-03-01T00:00:00Z to 2026-04-01T00:00:00Z"),
        ] as [(Int64, String)])
    func changeAtBoundary(after: Int64, expected: String) throws {
        let boundary = try instant("2026-03-01T00:00:00Z")
        let move = ZoneHistory.Change(
            fromInstant: boundary + after, zone: CalendarFixtures.auckland)
        let history = ZoneHistory(initial: .utc, changes: [move])
        #expect(row(MeterPeriod.calendarMonth(containing: boundary, in: history)) == expected)
    }

    @Test(
        "Months have their calendar's length, less or more an hour of summer time (MS-08, E71)",
        arguments: [
            ("2026-02", 672), ("2024-02", 696), ("2026-03", 743), ("2026-10", 745),
            ("2026-04", 720), ("2026-12", 744),
        ] as [(String, Int64)])
    func monthLengths(text: String, hours: Int64) throws {
        let middle = try instant("\(text)-15T00:00:00Z")
        let period = MeterPeriod.calendarMonth(
            containing: middle, in: ZoneHistory(initial: CalendarFixtures.amsterdam))
        #expect(MeterPeriod.calendarMonthText(period.number) == text)
        #expect(period.end - period.start == hours * 3_600_000)
    }

    @Test("A month whose midnight is skipped begins after the gap, a doubled one at once (E70)")
    func skippedMidnight() throws {
        let skipped = MeterPeriod.calendarMonth(
            containing: try instant("2017-10-10T00:00:00Z"),
            in: ZoneHistory(initial: CalendarFixtures.asuncion))
        let doubled = MeterPeriod.calendarMonth(
            containing: try instant("2026-11-10T00:00:00Z"),
            in: ZoneHistory(initial: CalendarFixtures.havana))
        #expect(row(skipped) == "2017-10-01T04:00:00Z to 2017-11-01T03:00:00Z")
        #expect(row(doubled) == "2026-11-01T04:00:00Z to 2026-12-01T05:00:00Z")
    }

    @Test(
        "An anniversary on the 31st ends on the last day and comes back to the 31st (MS-09, E69)",
        arguments: [
            (-2, "2025-11-30T10:00:00Z to 2025-12-31T10:00:00Z"),
            (-1, "2025-12-31T10:00:00Z to 2026-01-31T10:00:00Z"),
            (0, "2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z"),
            (1, "2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z"),
            (2, "2026-03-31T10:00:00Z to 2026-04-30T10:00:00Z"),
            (25, "2028-02-29T10:00:00Z to 2028-03-31T10:00:00Z"),
        ])
    func anniversaries(number: Int64, expected: String) throws {
        let anchor = try instant("2026-01-31T10:00:00Z")
        let history = ZoneHistory(initial: .utc)
        let period = MeterPeriod.anniversary(numbered: number, anchor: anchor, in: history)
        #expect(row(period) == expected)
        #expect(period.number == number)
        for at in [period.start, period.end - 1] {
            #expect(
                MeterPeriod.anniversary(containing: at, anchor: anchor, in: history) == period)
        }
    }

    @Test(
        "Recurrences agree with those of OpenMeter (P01, P02, P03, P04)",
        arguments: [
            (
                "P01", "2025-01-31T15:00:00Z", "2025-08-13T20:00:00Z",
                "2025-07-31T15:00:00Z to 2025-08-31T15:00:00Z"
            ),
            (
                "P02", "2025-01-31T15:00:00Z", "2025-09-30T15:00:00Z",
                "2025-09-30T15:00:00Z to 2025-10-31T15:00:00Z"
            ),
            (
                "P03", "2025-01-30T15:00:00Z", "2025-02-13T20:00:00Z",
                "2025-01-30T15:00:00Z to 2025-02-28T15:00:00Z"
            ),
            (
                "P04", "2025-01-29T12:00:00Z", "2025-01-29T12:10:00Z",
                "2025-01-29T12:00:00Z to 2025-02-28T12:00:00Z"
            ),
        ])
    func openMeter(id: String, anchor: String, at: String, expected: String) throws {
        let period = MeterPeriod.anniversary(
            containing: try instant(at), anchor: try instant(anchor),
            in: ZoneHistory(initial: .utc))
        #expect(row(period) == expected, "\(id)")
    }

    @Test("An anchor in the second occurrence of a wall time is itself the first boundary (E70)")
    func ambiguousAnchor() throws {
        let anchor = try instant("2026-10-25T02:30:00+01:00")
        let history = ZoneHistory(initial: CalendarFixtures.amsterdam)
        let period = MeterPeriod.anniversary(containing: anchor, anchor: anchor, in: history)
        let before = MeterPeriod.anniversary(containing: anchor - 1, anchor: anchor, in: history)
        #expect(period.number == 0 && period.start == anchor)
        #expect(row(period) == "2026-10-25T01:30:00Z to 2026-11-25T01:30:00Z")
        #expect(before.number == -1 && before.end == anchor)
    }

    @Test("After a move the anniversary keeps its time of day in the new zone (MS-07, MS-09)")
    func movedAnniversary() throws {
        let anchor = try instant("2026-01-31T10:00:00+13:00")
        let move = ZoneHistory.Change(
            fromInstant: try instant("2026-02-10T00:00:00Z"), zone: CalendarFixtures.losAngeles)
        let history = ZoneHistory(initial: CalendarFixtures.auckland, changes: [move])
        let running = MeterPeriod.anniversary(numbered: 0, anchor: anchor, in: history)
        let next = MeterPeriod.anniversary(numbered: 1, anchor: anchor, in: history)
        #expect(running.end == (try instant("2026-02-28T10:00:00+13:00")))
        #expect(next.end == (try instant("2026-03-31T10:00:00-07:00")))
    }

    @Test("A return after five months needs nothing but the period of today (MS-10)")
    func absence() throws {
        let anchor = try instant("2026-01-31T10:00:00Z")
        let history = ZoneHistory(initial: .utc)
        let at = try instant("2026-07-04T00:00:00Z")
        #expect(MeterPeriod.anniversary(containing: at, anchor: anchor, in: history).number == 5)
        let month = MeterPeriod.calendarMonth(containing: at, in: history)
        #expect(MeterPeriod.calendarMonthText(month.number) == "2026-07")
    }

    @Test("A lifetime is period zero and holds every instant")
    func lifetime() {
        #expect(MeterPeriod.lifetime.number == 0)
        #expect(MeterPeriod.lifetime.contains(Int64.min))
        #expect(MeterPeriod.lifetime.contains(0))
        #expect(MeterPeriod.lifetime.contains(Int64.max - 1))
    }

    @Test(
        "The number of a month reads as year and month",
        arguments: [
            (24_314, "2026-03"), (23_640, "1970-01"), (0, "0000-01"), (-1, "-0001-12"),
            (Int64.min, "-9999-01"), (Int64.max, "9999-12"),
        ] as [(Int64, String)])
    func monthText(number: Int64, expected: String) {
        #expect(MeterPeriod.calendarMonthText(number) == expected)
    }
}
