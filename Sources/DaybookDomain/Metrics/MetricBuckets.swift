/// The stretches of time that a metric is computed for: half-open, one after the other, without a gap.
public struct MetricBuckets: Sendable, Equatable {
    /// How long the buckets are, by the calendar of a zone.
    public enum Resolution: String, Sendable, CaseIterable {
        case day, week, month, quarter, year
        /// One bucket from the beginning of the range to its end.
        case whole

        var length: PeriodLength? {
            switch self {
            case .day: PeriodLength(CivilDuration(days: 1))
            case .week: PeriodLength(CivilDuration(days: 7))
            case .month: .month
            case .quarter: PeriodLength(CivilDuration(months: 3))
            case .year: PeriodLength(CivilDuration(years: 1))
            case .whole: nil
            }
        }

        /// Where some periods begin, the last of which contains an instant; of one whole period the beginning of 1970.
        public func start(of count: Int, through instant: Int64, in zone: ZoneTable) -> Int64 {
            guard let length else { return min(0, instant) }
            let history = ZoneHistory(initial: zone)
            var start = instant.addingSaturated(1)
            for _ in 0..<count {
                start =
                    MeterPeriod.containing(start - 1, length: length, anchor: nil, in: history)
                    .start
            }
            return start
        }
    }

    /// More are refused: ten years of days.
    public static let countMax = 3_660

    /// How long each bucket is.
    public let resolution: Resolution
    /// One more than there are buckets, ascending, in milliseconds since 1970 UTC.
    public let bounds: [Int64]
    /// The bucket before the first one, with which its change is compared.
    public let before: Range<Int64>
    /// Days begin at its midnight.
    public let zone: ZoneTable

    /// Makes the buckets of the calendar that a range touches; the first and the last are whole ones.
    ///
    /// Weeks begin on Monday, quarters and years in January.
    /// - Parameter range: Not empty.
    /// - Returns: `nil` for an empty range, and for more than `countMax` buckets.
    public init?(_ range: Range<Int64>, by resolution: Resolution, in zone: ZoneTable) {
        guard !range.isEmpty else { return nil }
        self.resolution = resolution
        self.zone = zone
        guard let length = resolution.length else {
            bounds = [range.lowerBound, range.upperBound]
            let size = range.upperBound.subtractingReportingOverflow(range.lowerBound).partialValue
            before = range.lowerBound.addingSaturated(-max(0, size))..<range.lowerBound
            return
        }
        let history = ZoneHistory(initial: zone)
        func period(_ instant: Int64) -> MeterPeriod {
            .containing(instant, length: length, anchor: nil, in: history)
        }
        var current = period(range.lowerBound)
        before = period(current.start - 1).start..<current.start
        var bounds = [current.start, current.end]
        while current.end < range.upperBound {
            guard bounds.count <= Self.countMax else { return nil }
            current = period(current.end)
            bounds.append(current.end)
        }
        self.bounds = bounds
    }

    /// How many buckets there are: 1 to `countMax`.
    public var count: Int { bounds.count - 1 }
    /// From the beginning of the first bucket to the end of the last one, half-open, in milliseconds since 1970 UTC.
    public var range: Range<Int64> { bounds[0]..<bounds[count] }

    /// The bucket of a 0-based index, half-open; a negative one gives the bucket before the first.
    public subscript(index: Int) -> Range<Int64> {
        index < 0 ? before : bounds[index]..<bounds[index + 1]
    }

    /// The bucket that contains an instant; -1 for the one before the first, `nil` outside.
    /// - Complexity: O(log *n*) in the buckets.
    func index(of instant: Int64) -> Int? {
        if before.contains(instant) { return -1 }
        guard range.contains(instant) else { return nil }
        return bounds.sortedPrefixCount { $0 <= instant } - 1
    }

    /// The name of a bucket as people and files write it: `2026-03-05`, `2026-W10`, `2026-03`, `2026-Q1`, `2026`; of
    /// one whole bucket its two ends.
    public func name(_ index: Int) -> String {
        let range = self[index]
        let date = zone.civil(at: range.lowerBound).date
        let month = MeterPeriod.calendarMonthText(Int64(date.monthNumber))
        switch resolution {
        case .day: return "\(month)-\(String(100 + date.day).dropFirst())"
        case .week:
            // ISO 8601: a week is of the year that has its Thursday.
            let thursday = CivilDate(daysSinceEpoch: date.daysSinceEpoch + 3)
            let first = CivilDate(monthNumber: thursday.year * 12, day: 1)
            let week = (thursday.daysSinceEpoch - first.daysSinceEpoch) / 7 + 1
            let year = MeterPeriod.calendarMonthText(Int64(first.monthNumber)).dropLast(3)
            return "\(year)-W\(String(100 + week).dropFirst())"
        case .month: return month
        case .quarter: return "\(month.dropLast(3))-Q\((date.month + 2) / 3)"
        case .year: return String(month.dropLast(3))
        case .whole:
            return "\(RFC3339.format(range.lowerBound)) to \(RFC3339.format(range.upperBound))"
        }
    }
}
