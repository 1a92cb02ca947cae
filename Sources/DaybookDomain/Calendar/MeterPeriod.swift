/// The time between two resets of a meter.
public struct MeterPeriod: Sendable, Hashable {
    /// The name of the period, which stays when a change of zone moves its boundaries.
    ///
    /// A calendar month is `year * 12 + month - 1`, a period with an anchor counts the lengths since
    /// it (negative before it), a lifetime is 0.
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
    /// Finds the period that an instant belongs to.
    ///
    /// Without an anchor, periods follow the calendar: months are counted from January of year 0, so that quarters
    /// and years begin in January; weeks from a Monday; other days from 1 January 1970; each begins at midnight. Exact
    /// time is counted from the beginning of 1970 in UTC.
    ///
    /// With an anchor, period *n* begins *n* lengths after it, on the wall clock that the anchor's zone showed. A day
    /// that a month lacks becomes its last day for that month only: 31 January, 28 February, 31 March. Period 0 begins
    /// exactly at the anchor.
    ///
    /// A boundary is read in the zone in force at the boundary before it. The first period of all has no beginning and
    /// the last no end, so every instant has one.
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; may lie before the anchor.
    ///   - anchor: Milliseconds since 1970 UTC, confined to the years -9999...9999; `nil`: the calendar.
    /// - Complexity: O(log *z*) in the number of zone changes, unless one falls near a boundary in every period of a
    ///   row; then linear in that row.
    public static func containing(
        _ instant: Int64, length: PeriodLength, anchor: Int64?, in history: ZoneHistory
    ) -> MeterPeriod {
        if length.unit == .milliseconds {
            let range = CivilDateTime.localMilliseconds
            return exact(
                containing: instant, length: Int64(length.count),
                anchor: (anchor ?? 0).confined(to: range))
        }
        return boundaries(length, anchor, history).period(containing: instant)
    }

    /// Finds a period by its number.
    ///
    /// - Parameters:
    ///   - number: Of months of the calendar `year * 12 + month - 1`; with an anchor lengths after it, negative before
    ///     it. Confined to the first and last period.
    ///   - length: Not of exact time.
    /// - Complexity: As for the period that contains an instant.
    static func numbered(
        _ number: Int64, length: PeriodLength, anchor: Int64?, in history: ZoneHistory
    ) -> MeterPeriod {
        boundaries(length, anchor, history).period(numbered: number)
    }

    private static func boundaries(
        _ length: PeriodLength, _ anchor: Int64?, _ history: ZoneHistory
    ) -> PeriodBoundaries {
        anchor.map { PeriodBoundaries(length, anchor: $0, in: history) }
            ?? PeriodBoundaries(length, in: history)
    }

    private static func exact(
        containing instant: Int64, length: Int64, anchor: Int64
    ) -> MeterPeriod {
        let distance = Int128(instant) - Int128(anchor)
        let number = distance.flooredDivision(by: Int128(length)).quotient
        let start = Int128(anchor) + number * Int128(length)
        // The last period has no end.
        let end = start + Int128(length)
        return MeterPeriod(
            number: Int64(number), start: Int64(clamping: start),
            end: end > Int128(Int64.max) ? Int64.max : Int64(clamping: end))
    }

    /// Finds the calendar month that an instant belongs to.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC.
    public static func calendarMonth(
        containing instant: Int64, in history: ZoneHistory
    ) -> MeterPeriod {
        containing(instant, length: .month, anchor: nil, in: history)
    }

    /// Finds a calendar month by its number.
    ///
    /// - Parameter number: `year * 12 + month - 1`, confined to the years -9999...9999.
    public static func calendarMonth(numbered number: Int64, in history: ZoneHistory) -> MeterPeriod
    {
        numbered(number, length: .month, anchor: nil, in: history)
    }

    /// Finds the month since an anchor that an instant belongs to.
    ///
    /// - Parameters:
    ///   - instant: Milliseconds since 1970 UTC; may lie before the anchor.
    ///   - anchor: Milliseconds since 1970 UTC, confined to the years -9999...9999.
    public static func anniversary(
        containing instant: Int64, anchor: Int64, in history: ZoneHistory
    ) -> MeterPeriod {
        containing(instant, length: .month, anchor: anchor, in: history)
    }

    /// Finds a month since an anchor by its number.
    ///
    /// - Parameters:
    ///   - number: Months after the anchor, negative before it, confined to the years -9999...9999.
    ///   - anchor: Milliseconds since 1970 UTC, confined to the years -9999...9999.
    public static func anniversary(
        numbered number: Int64, anchor: Int64, in history: ZoneHistory
    ) -> MeterPeriod {
        numbered(number, length: .month, anchor: anchor, in: history)
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
