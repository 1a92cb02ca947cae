/// The time between two resets of a meter.
public struct MeterPeriod: Sendable, Hashable {
    /// The name of the period, which stays when a change of zone moves its boundaries.
    ///
    /// A calendar month is `year * 12 + month - 1`, an anniversary counts the months since the
    /// anchor (negative before it), a lifetime is 0.
    public let number: Int64

    /// The first instant of the period, in milliseconds since 1970 UTC.
    public let start: Int64

    /// The first instant after the period, in milliseconds since 1970 UTC.
    public let end: Int64

    /// Makes a period from its number and its bounds.
    ///
    /// - Parameters:
    ///   - start: Included.
    ///   - end: Excluded.
    public init(number: Int64, start: Int64, end: Int64) {
        self.number = number
        self.start = start
        self.end = end
    }

    /// The period of a meter that is never reset.
    public static let lifetime = MeterPeriod(number: 0, start: Int64.min, end: Int64.max)

    /// Tells whether an instant belongs to the period; its end does not.
    public func contains(_ instant: Int64) -> Bool { start <= instant && instant < end }
}

extension MeterPeriod {
    /// Finds the calendar month that an instant belongs to.
    ///
    /// A month begins at local midnight in the zone in force when the month before it began. The
    /// first month of year -9999 has no beginning and the last of year 9999 no end, so every
    /// instant has one.
    /// - Parameter instant: Milliseconds since 1970 UTC.
    /// - Complexity: O(log *z*) in the number of zone changes, unless one falls within a day of a
    ///   boundary in every month of a row; then linear in that row.
    public static func calendarMonth(
        containing instant: Int64, in history: ZoneHistory
    ) -> MeterPeriod {
        MonthBoundaries(calendarMonthsIn: history).period(containing: instant)
    }

    /// Finds a calendar month by its number.
    ///
    /// - Parameter number: `year * 12 + month - 1`, confined to the years -9999...9999.
    /// - Complexity: As for the month that contains an instant.
    public static func calendarMonth(numbered number: Int64, in history: ZoneHistory) -> MeterPeriod
    {
        MonthBoundaries(calendarMonthsIn: history).period(inMonth: Int(clamping: number))
    }

    /// Finds the month since an anchor that an instant belongs to.
    ///
    /// Period *n* begins *n* months after the anchor on the wall clock that the anchor's zone
    /// showed. A day that a month lacks becomes its last day for that month only: 31 January, 28
    /// February, 31 March. Period 0 begins exactly at the anchor.
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; may lie before the anchor.
    ///   - anchor: Milliseconds since 1970 UTC, confined to the years -9999...9999.
    /// - Complexity: As for calendar months.
    public static func anniversary(
        containing instant: Int64, anchor: Int64, in history: ZoneHistory
    ) -> MeterPeriod {
        MonthBoundaries(anchor: anchor, in: history).period(containing: instant)
    }

    /// Finds a month since an anchor by its number.
    ///
    /// - Parameters:
    ///   - number: Months after the anchor, negative before it, confined to the years -9999...9999.
    ///   - anchor: Milliseconds since 1970 UTC, confined to the years -9999...9999.
    /// - Complexity: As for calendar months.
    public static func anniversary(
        numbered number: Int64, anchor: Int64, in history: ZoneHistory
    ) -> MeterPeriod {
        let boundaries = MonthBoundaries(anchor: anchor, in: history)
        // Confined before the addition, which could overflow otherwise; no two months are further
        // apart.
        let months = Int(clamping: number).confined(to: -1_000_000...1_000_000)
        return boundaries.period(inMonth: boundaries.firstMonth + months)
    }

    /// Writes the number of a calendar month the way people read it, such as `2026-03`.
    ///
    /// - Parameter number: `year * 12 + month - 1`, confined to the years -9999...9999; a year
    ///   before 0 has a minus sign.
    public static func calendarMonthText(_ number: Int64) -> String {
        let date = CivilDate(monthNumber: Int(clamping: number), day: 1)
        return ASCIIWriter.text { $0.append(yearAndMonthOf: date) }
    }
}
