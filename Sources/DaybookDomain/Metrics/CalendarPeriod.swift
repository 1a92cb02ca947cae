/// A period of the calendar under the name that `MetricBuckets` gives it: `2026`, `2026-Q1`, `2026-03`, `2026-W10` or
/// `2026-03-05`.
public struct CalendarPeriod: Sendable, Equatable {
    /// As it was read, such as `2026-Q1`.
    public let name: String
    /// How long the period is; never `whole`.
    public let resolution: MetricBuckets.Resolution
    private let first: CivilDate
    /// The first day after it.
    private let next: CivilDate

    /// - Returns: `nil` for a text that names no period of the years 1970 to 9998.
    public init?(_ name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard let year = Self.number(parts[0], digits: 4), (1_970...9_998).contains(year),
            let found = Self.period(year, parts.dropFirst())
        else { return nil }
        self.name = name
        (resolution, first, next) = found
    }

    /// From the midnight that begins it to the one that ends it, half-open, in milliseconds since 1970 UTC.
    public func range(in zone: ZoneTable) -> Range<Int64> {
        zone.midnight(of: first)..<zone.midnight(of: next)
    }

    /// - Parameter rest: What follows the year.
    private static func period(
        _ year: Int, _ rest: ArraySlice<Substring>
    ) -> (MetricBuckets.Resolution, CivilDate, CivilDate)? {
        let january = year * 12
        func months(
            _ resolution: MetricBuckets.Resolution, _ first: Int, _ count: Int
        ) -> (MetricBuckets.Resolution, CivilDate, CivilDate) {
            (
                resolution, CivilDate(monthNumber: january + first, day: 1),
                CivilDate(monthNumber: january + first + count, day: 1)
            )
        }
        guard let part = rest.first else { return months(.year, 0, 12) }
        if rest.count == 2, let month = number(part, digits: 2),
            let day = number(rest[rest.startIndex + 1], digits: 2),
            let date = CivilDate(year: year, month: month, day: day)
        {
            return (.day, date, CivilDate(daysSinceEpoch: date.daysSinceEpoch + 1))
        }
        guard rest.count == 1 else { return nil }
        if part.first == "Q", let quarter = number(part.dropFirst(), digits: 1),
            (1...4).contains(quarter)
        {
            return months(.quarter, (quarter - 1) * 3, 3)
        }
        if part.first == "W", let week = number(part.dropFirst(), digits: 2), week > 0 {
            return self.week(week, of: year)
        }
        guard let month = number(part, digits: 2), (1...12).contains(month) else { return nil }
        return months(.month, month - 1, 1)
    }

    /// ISO 8601: week 1 is the one with the year's first Thursday, and so with 4 January.
    private static func week(
        _ week: Int, of year: Int
    ) -> (MetricBuckets.Resolution, CivilDate, CivilDate)? {
        // 1 January 1970 was a Thursday, so day 4 of 1970 was a Monday.
        func monday(_ day: Int) -> Int { day - (day - 4).flooredDivision(by: 7).remainder }
        func weekOne(_ year: Int) -> Int {
            monday(CivilDate(monthNumber: year * 12, day: 4).daysSinceEpoch)
        }
        let first = weekOne(year) + (week - 1) * 7
        guard first < weekOne(year + 1) else { return nil }
        return (
            .week, CivilDate(daysSinceEpoch: first), CivilDate(daysSinceEpoch: first + 7)
        )
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}
