/// A day of the proleptic Gregorian calendar, without a time zone.
///
/// Years run from -9999 to 9999 (astronomical: year 0 exists). Arithmetic past these years stops at
/// the first or last day instead of trapping, so a hostile date in a receipt cannot end a fold.
public struct CivilDate: Sendable, Hashable, Comparable {
    /// The astronomical year, -9999...9999.
    public let year: Int

    /// The month of the year, 1...12.
    public let month: Int

    /// The day of the month, 1...31.
    public let day: Int

    /// Makes a date from its three parts, if the calendar has such a day.
    ///
    /// - Returns: `nil` for a year outside -9999...9999, a month outside 1...12 or a day that this
    ///   month does not have, such as 29 February of a common year.
    public init?(year: Int, month: Int, day: Int) {
        guard Self.years.contains(year), 1...12 ~= month, day >= 1,
            day <= Self.dayCount(ofMonth: month, year: year)
        else { return nil }
        self.init(checkedYear: year, month: month, day: day)
    }

    /// Makes the date that lies a number of days after 1 January 1970.
    ///
    /// - Parameter daysSinceEpoch: Negative before 1970. Past the supported years the first or the
    ///   last supported day results.
    public init(daysSinceEpoch: Int) {
        // Counted from 1 March of year 0: the leap day is then the last day of a year, and every
        // month before it has a place that does not depend on the year.
        let days = daysSinceEpoch.confined(to: Self.days) + Self.daysFromMarchToEpoch
        let (cycle, dayOfCycle) = days.flooredDivision(by: Self.daysPerCycle)
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            checkedYear: cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Makes a date in a numbered month, moving a day that the month lacks to the month's last day.
    ///
    /// - Parameters:
    ///   - monthNumber: `year * 12 + month - 1`; confined to the supported years.
    ///   - day: 1...31; 31 means the last day of every month. Other values are confined to the
    ///     month.
    public init(monthNumber: Int, day: Int) {
        let (year, month) = monthNumber.confined(to: Self.monthNumbers).flooredDivision(by: 12)
        let dayCount = Self.dayCount(ofMonth: month + 1, year: year)
        self.init(checkedYear: year, month: month + 1, day: day.confined(to: 1...dayCount))
    }

    private init(checkedYear year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The whole days since 1 January 1970, negative before it.
    public var daysSinceEpoch: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let monthFromMarch = month <= 2 ? month + 9 : month - 3
        let (cycle, yearOfCycle) = yearFromMarch.flooredDivision(by: 400)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * Self.daysPerCycle + dayOfCycle - Self.daysFromMarchToEpoch
    }

    /// The count of months since January of year 0: `year * 12 + month - 1`.
    public var monthNumber: Int { year * 12 + month - 1 }

    /// Orders dates by the calendar.
    public static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// Tells how many days a month has.
    ///
    /// - Parameters:
    ///   - month: 1...12.
    ///   - year: Any astronomical year.
    /// - Returns: 28...31.
    public static func dayCount(ofMonth month: Int, year: Int) -> Int {
        guard month != 2 else { return isLeap(year) ? 29 : 28 }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}

extension CivilDate {
    /// The years that dates cover, both ends included.
    public static var years: ClosedRange<Int> { -9_999...9_999 }

    /// The days since 1970 that dates cover, both ends included.
    public static var days: ClosedRange<Int> { -4_371_587...2_932_896 }

    /// The month numbers that dates cover, both ends included.
    public static var monthNumbers: ClosedRange<Int> { -119_988...119_999 }

    private static var daysPerCycle: Int { 146_097 }
    private static var daysFromMarchToEpoch: Int { 719_468 }
}
