import DaybookDomain
import Testing

@Suite("Civil dates")
struct CivilDateTests {
    @Test(
        "A date and its day number name each other (E73)",
        arguments: [
            (-9_999, 1, 1, -4_371_587), (-1, 12, 31, -719_529), (0, 1, 1, -719_528),
            (0, 2, 29, -719_469), (0, 3, 1, -719_468), (1, 1, 1, -719_162),
            (1600, 2, 29, -135_081), (1900, 3, 1, -25_508), (1969, 12, 31, -1), (1970, 1, 1, 0),
            (2000, 2, 29, 11_016), (2013, 8, 1, 15_918), (2026, 3, 15, 20_527),
            (2100, 3, 1, 47_541), (9_999, 12, 31, 2_932_896),
        ])
    func dayNumbers(year: Int, month: Int, day: Int, number: Int) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(date.daysSinceEpoch == number)
        #expect(CivilDate(daysSinceEpoch: number) == date)
    }

    @Test("Every day of 400 years is followed by the next day of the calendar")
    func everyDay() {
        var expected = (year: 1_800, month: 1, day: 1)
        for number in -62_091..<(-62_091 + 146_097) {
            let date = CivilDate(daysSinceEpoch: number)
            #expect((date.year, date.month, date.day) == expected)
            #expect(date.daysSinceEpoch == number)
            expected.day += 1
            guard expected.day > CivilDate.dayCount(ofMonth: expected.month, year: expected.year)
            else { continue }
            expected = (expected.year, expected.month + 1, 1)
            if expected.month == 13 { expected = (expected.year + 1, 1, 1) }
        }
    }

    @Test("A date past the supported years becomes their first or last day")
    func saturation() {
        let first = CivilDate(year: -9_999, month: 1, day: 1)
        let last = CivilDate(year: 9_999, month: 12, day: 31)
        #expect(CivilDate(daysSinceEpoch: Int.min) == first)
        #expect(CivilDate(daysSinceEpoch: CivilDate.days.lowerBound - 1) == first)
        #expect(CivilDate(daysSinceEpoch: CivilDate.days.upperBound + 1) == last)
        #expect(CivilDate(daysSinceEpoch: Int.max) == last)
        #expect(CivilDate(monthNumber: Int.min, day: Int.min) == first)
        #expect(CivilDate(monthNumber: Int.max, day: Int.max) == last)
    }

    @Test(
        "A day that the calendar lacks is no date",
        arguments: [
            (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32), (2026, 2, 29),
            (2100, 2, 29), (2024, 2, 30), (2026, 4, 31), (-10_000, 12, 31), (10_000, 1, 1),
            (Int.min, Int.min, Int.min), (Int.max, Int.max, Int.max),
        ])
    func missingDays(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test(
        "February has 29 days in leap years only (MS-08)",
        arguments: [(2024, 29), (2025, 28), (2000, 29), (2100, 28), (0, 29), (-4, 29), (-1, 28)])
    func february(year: Int, dayCount: Int) {
        #expect(CivilDate.dayCount(ofMonth: 2, year: year) == dayCount)
    }

    @Test("A day that a month lacks moves to the last day of the month (E69)")
    func clampedDay() {
        let february = 2026 * 12 + 1
        #expect(CivilDate(monthNumber: february, day: 27).day == 27)
        #expect(CivilDate(monthNumber: february, day: 28).day == 28)
        #expect(CivilDate(monthNumber: february, day: 29).day == 28)
        #expect(CivilDate(monthNumber: february, day: 31).day == 28)
        #expect(CivilDate(monthNumber: february, day: 31).monthNumber == february)
    }

    @Test("A wall time outside the clock is none, and a leap second is outside (E73)")
    func missingTimes() {
        let midnight = CivilDateTime(year: 2026, month: 1, day: 1)
        let last = CivilDateTime(
            year: 2026, month: 1, day: 1, hour: 23, minute: 59, second: 59, millisecond: 999)
        #expect(midnight?.millisecondOfDay == 0)
        #expect(last?.millisecondOfDay == 86_399_999)
        #expect(CivilDateTime(year: 2026, month: 1, day: 1, hour: 24) == nil)
        #expect(CivilDateTime(year: 2026, month: 1, day: 1, minute: 60) == nil)
        #expect(CivilDateTime(year: 2026, month: 1, day: 1, second: 60) == nil)
        #expect(CivilDateTime(year: 2026, month: 1, day: 1, millisecond: 1_000) == nil)
        #expect(CivilDateTime(year: 2026, month: 2, day: 29) == nil)
    }

    @Test(
        "Every instant has a wall time, and within the years it names the instant",
        arguments: [
            Int64.min, -377_705_116_800_001, -377_705_116_800_000, -86_400_001, -86_400_000,
            -1, 0, 1, 86_399_999, 86_400_000, 253_402_300_799_999, 253_402_300_800_000, Int64.max,
        ])
    func everyInstant(_ milliseconds: Int64) {
        let range = CivilDateTime.localMilliseconds
        let civil = CivilDateTime(localMilliseconds: milliseconds)
        #expect(
            civil.localMilliseconds
                == min(max(milliseconds, range.lowerBound), range.upperBound))
        #expect(0..<86_400_000 ~= civil.millisecondOfDay)
    }
}
