import DaybookDomain
import Testing

@Suite("Calendar lengths")
struct ZoneTableDurationsTests {
    static let day: Int64 = 86_400_000

    @Test(
        "A month after a day that the next month lacks is its last day (E69)",
        arguments: [
            ("2026-01-31T10:00:00Z", 0, 1, "2026-02-28T10:00:00Z"),
            ("2024-01-31T10:00:00Z", 0, 1, "2024-02-29T10:00:00Z"),
            ("2026-01-31T10:00:00Z", 0, 2, "2026-03-31T10:00:00Z"),
            ("2026-01-31T10:00:00Z", 0, 3, "2026-04-30T10:00:00Z"),
            ("2026-01-28T10:00:00Z", 0, 1, "2026-02-28T10:00:00Z"),
            ("2024-02-29T10:00:00Z", 1, 0, "2025-02-28T10:00:00Z"),
            ("2024-02-29T10:00:00Z", 4, 0, "2028-02-29T10:00:00Z"),
            ("2024-02-29T10:00:00Z", 0, -12, "2023-02-28T10:00:00Z"),
            ("2026-12-31T10:00:00Z", 0, 2, "2027-02-28T10:00:00Z"),
            ("2026-03-31T10:00:00Z", 1, -13, "2026-02-28T10:00:00Z"),
        ])
    func months(from: String, years: Int, months: Int, expected: String) throws {
        let end = ZoneTable.utc.adding(
            CivilDuration(years: years, months: months), to: try instant(from))
        #expect(RFC3339.format(end) == expected)
    }

    @Test("Twenty-one days over the start of summer time last 503 hours (OL-04, OL-01)")
    func springPeriod() throws {
        let start = try instant("2026-03-15T10:00:00+01:00")
        let end = CalendarFixtures.amsterdam.adding(CivilDuration(days: 21), to: start)
        #expect(end == (try instant("2026-04-05T10:00:00+02:00")))
        #expect(end - start == 503 * 3_600_000)
        #expect(CalendarFixtures.amsterdam.wholeDays(from: start, to: end) == 21)
    }

    @Test("Twenty-one days over the end of summer time last 505 hours (OL-04)")
    func autumnPeriod() throws {
        let start = try instant("2026-10-10T10:00:00+02:00")
        let end = CalendarFixtures.amsterdam.adding(CivilDuration(days: 21), to: start)
        #expect(end == (try instant("2026-10-31T10:00:00+01:00")))
        #expect(end - start == 505 * 3_600_000)
        #expect(CalendarFixtures.amsterdam.wholeDays(from: start, to: end) == 21)
    }

    @Test(
        "Days last 23 hours in spring and 25 in autumn, exact time always as long (E71)",
        arguments: [("2026-03-28T11:00:00Z", 23), ("2026-10-24T10:00:00Z", 25)])
    func dayLengths(from: String, hours: Int64) throws {
        let start = try instant(from)
        let zone = CalendarFixtures.amsterdam
        #expect(zone.adding(CivilDuration(days: 1), to: start) - start == hours * 3_600_000)
        #expect(zone.adding(CivilDuration(milliseconds: Self.day), to: start) - start == Self.day)
    }

    @Test("A day that ends in a gap ends right after the gap, and twice at its first time (E70)")
    func gapAndOverlap() throws {
        let zone = CalendarFixtures.amsterdam
        let spring = zone.adding(
            CivilDuration(days: 1), to: try instant("2026-03-28T02:30:00+01:00"))
        let autumn = zone.adding(
            CivilDuration(days: 1), to: try instant("2026-10-24T02:30:00+02:00"))
        #expect(RFC3339.format(spring) == "2026-03-29T01:00:00Z")
        #expect(RFC3339.format(autumn) == "2026-10-25T00:30:00Z")
    }

    @Test("No length at all leaves the second occurrence of a wall time where it is (E70)")
    func zeroLength() throws {
        let second = try instant("2026-10-25T02:30:00+01:00")
        #expect(CalendarFixtures.amsterdam.adding(CivilDuration(), to: second) == second)
    }

    @Test("Months come before days, and days before exact time")
    func order() throws {
        let length = CivilDuration(months: 1, days: 1, milliseconds: 90_000)
        let end = ZoneTable.utc.adding(length, to: try instant("2026-01-31T10:00:00Z"))
        #expect(RFC3339.format(end) == "2026-03-01T10:01:30Z")
    }

    @Test(
        "Elapsed days count at the starting time of day (OL-01, OL-02)",
        arguments: [
            ("2026-03-15T10:00:00+01:00", 0), ("2026-03-16T09:59:59.999+01:00", 0),
            ("2026-03-16T10:00:00+01:00", 1), ("2026-03-29T10:00:00+02:00", 14),
            ("2026-04-05T09:59:59.999+02:00", 20), ("2026-04-05T10:00:00+02:00", 21),
            ("2026-04-05T10:00:00.001+02:00", 21), ("2026-03-14T10:00:00.001+01:00", 0),
            ("2026-03-14T10:00:00+01:00", -1), ("2025-03-15T10:00:00+01:00", -365),
        ])
    func elapsedDays(until: String, expected: Int) throws {
        let start = try instant("2026-03-15T10:00:00+01:00")
        let end = try instant(until)
        #expect(CalendarFixtures.amsterdam.wholeDays(from: start, to: end) == expected)
    }

    @Test("A clock that falls back over midnight takes no elapsed day away (E70)")
    func fallBackOverMidnight() throws {
        // Until 2011 the clock of St. John's fell from 00:01 to 23:01 of the day before.
        let zone = CalendarFixtures.zone(
            "America/St_Johns", hours: -2.5, ("2010-11-07T02:31:00Z", -3.5))
        let start = try instant("2010-11-06T00:00:30-02:30")
        let end = try instant("2010-11-06T23:30:00-03:30")
        #expect(zone.wholeDays(from: start, to: end) == 1)
        #expect(zone.adding(CivilDuration(days: 1), to: start) < end)
    }

    @Test("A day lost at the date line still counts as a day (E72)")
    func dateLine() throws {
        let start = try instant("2011-12-29T12:00:00-10:00")
        let end = try instant("2011-12-31T12:00:00+14:00")
        #expect(CalendarFixtures.apia.wholeDays(from: start, to: end) == 2)
        #expect(CalendarFixtures.apia.wholeDays(from: start, to: end - 1) == 1)
        #expect(CalendarFixtures.apia.adding(CivilDuration(days: 2), to: start) == end)
    }

    @Test(
        "Elapsed days are the most days that fit, in random zones",
        arguments: CalendarFixtures.seeds)
    func daysAgreeWithAddition(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        let zone = random.zone()
        for _ in 0..<500 {
            let start = random.instant()
            let end = start + Int64.random(in: 0...60 * Self.day, using: &random)
            let days = zone.wholeDays(from: start, to: end)
            let next = zone.adding(CivilDuration(days: days + 1), to: start)
            #expect(days >= 0 && next > end, "seed \(seed), \(start) to \(end)")
            #expect(
                zone.adding(CivilDuration(days: days), to: start) <= end,
                "seed \(seed), \(start) to \(end)")
        }
    }

    @Test("No length traps at any instant", arguments: CalendarFixtures.everyZone)
    func extremes(zone: ZoneTable) {
        let instants = [Int64.min, -400_000_000_000_000, 0, 400_000_000_000_000, Int64.max]
        for number in [Int.min, -1, 0, 1, Int.max] {
            let length = CivilDuration(
                years: number, months: number, days: number, milliseconds: Int64(number))
            for at in instants { _ = zone.adding(length, to: at) }
        }
        for start in instants {
            for end in instants {
                let days = zone.wholeDays(from: start, to: end)
                #expect(end >= start ? days >= 0 : days <= 0)
            }
        }
        let year = CivilDuration(years: Int.max)
        #expect(zone.civil(at: zone.adding(year, to: 0)).date.year == 9_999)
        #expect(zone.adding(CivilDuration(milliseconds: 1), to: Int64.max) == Int64.max)
    }
}
