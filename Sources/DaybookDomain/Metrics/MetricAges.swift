/// How the values of a cohort are told apart by age, counted from 0.
struct MetricAges: Sendable {
    /// The time that an age stands for, of one who began at an instant.
    ///
    /// `nil`: each has times of its own, so that a value is there as soon as one of a cohort came so far, and final
    /// when all did.
    let window:
        (@Sendable (_ age: Int, _ instant: Int64, MetricBuckets, MetricRules) -> Range<Int64>)?

    /// Ages by which customers come back (`MetricRules.Retention`).
    static let retention = MetricAges(
        window: { age, instant, buckets, rules in
            buckets.window(age, rules.unit(buckets), after: instant, rules.retention)
        }, isOfRetention: true)

    /// Ages in periods of the calendar, whatever the rules say of retention.
    static let calendar = MetricAges(window: { age, instant, buckets, rules in
        buckets.window(age, rules.unit(buckets), after: instant, .calendar)
    })

    /// Ages in days of the customer's own.
    static let life = MetricAges(window: { age, instant, buckets, rules in
        let start = age == 0 ? instant : buckets.endOfLife(age - 1, after: instant, rules)
        // The calendar ends with the year 9999: there a day has no end after its last moment.
        return start..<max(start, buckets.endOfLife(age, after: instant, rules))
    })

    /// Ages in renewals of a subscription.
    static let renewals = MetricAges(window: nil)

    /// Whether the rules of retention say when one is back.
    var isOfRetention = false

    /// Whether no customer of a bucket has come to an age yet.
    func isAhead(
        _ age: Int, _ bucket: Range<Int64>, at instant: Int64, _ buckets: MetricBuckets,
        _ rules: MetricRules
    ) -> Bool {
        windows(age, bucket.lowerBound, buckets, rules).allSatisfy { $0.lowerBound > instant }
            && window != nil
    }

    /// Whether everyone of a bucket is past an age.
    func isOver(
        _ age: Int, _ bucket: Range<Int64>, at instant: Int64, _ buckets: MetricBuckets,
        _ rules: MetricRules
    ) -> Bool {
        windows(age, bucket.upperBound - 1, buckets, rules).allSatisfy { $0.upperBound <= instant }
    }

    /// The times that an age can stand for, of one who began at an instant: in the zone of the question, and where
    /// customers have calendars of their own in those in which it is first and last.
    private func windows(
        _ age: Int, _ instant: Int64, _ buckets: MetricBuckets, _ rules: MetricRules
    ) -> [Range<Int64>] {
        guard let window else { return [] }
        var windows = [window(age, instant, buckets, rules)]
        guard isOfRetention, rules.retention == .ownCalendar else { return windows }
        for zone in Self.extremeZones(instant) {
            windows.append(
                buckets.window(age, rules.unit(buckets), after: instant, .ownCalendar, in: zone))
        }
        return windows
    }

    /// The zones in which a day of the calendar can begin first or last: the outermost ones, and those with a midnight
    /// at the instant or just after it. Zones are UTC-12 to UTC+14, in quarters of an hour.
    private static func extremeZones(_ instant: Int64) -> [ZoneTable] {
        let quarter: Int64 = 900
        let (first, last) = (-12 * 3_600, 14 * 3_600) as (Int64, Int64)
        let time = instant.flooredDivision(by: 1_000).quotient.flooredDivision(by: 86_400).remainder
        var offsets: Set<Int64> = [first, last]
        for midnight in [-time, 86_400 - time] {
            let after = -(-midnight).flooredDivision(by: quarter).quotient * quarter
            for offset in [after - quarter, after] where (first...last).contains(offset) {
                offsets.insert(offset)
            }
        }
        return offsets.sorted().map { ZoneTable(name: "", initialOffsetSeconds: Int($0)) }
    }
}

extension MetricRules {
    /// What ages are counted in.
    func unit(_ buckets: MetricBuckets) -> AgeUnit {
        ageUnit ?? AgeUnit(rawValue: buckets.resolution.rawValue) ?? .month
    }
}

extension MetricBuckets {
    /// The end of the day that lies so many units of days after the one of an instant; that of age 0 is its own.
    func endOfLife(_ age: Int, after instant: Int64, _ rules: MetricRules) -> Int64 {
        day(age * rules.unit(self).days + 1, after: instant).lowerBound
    }

    /// When one who was first seen at an instant comes back at an age.
    /// - Parameter own: The customer's own time zone; `nil`: that of the question.
    func window(
        _ age: Int, _ unit: MetricRules.AgeUnit, after instant: Int64,
        _ retention: MetricRules.Retention, in own: ZoneTable? = nil
    ) -> Range<Int64> {
        switch retention {
        case .hours24:
            let length = Int64(unit.days) * .day
            let start = instant.addingSaturated(Int64(age) * length)
            return start..<start.addingSaturated(length)
        case .calendar: return period(age, unit, after: instant, in: zone)
        case .ownCalendar: return period(age, unit, after: instant, in: own ?? zone)
        case .onOrAfter: return period(age, unit, after: instant, in: zone).lowerBound..<Int64.max
        }
    }

    /// The local day that lies some days after that of an instant.
    func day(_ days: Int, after instant: Int64) -> Range<Int64> {
        period(days, .day, after: instant, in: zone)
    }

    /// The period of the calendar that lies some of them after the one of an instant.
    private func period(
        _ count: Int, _ unit: MetricRules.AgeUnit, after instant: Int64, in zone: ZoneTable
    ) -> Range<Int64> {
        let date = zone.civil(at: instant).date
        func days(_ length: Int, from first: Int) -> Range<Int64> {
            let start = first + count * length
            return zone.midnight(
                of: CivilDate(daysSinceEpoch: start))..<zone.midnight(
                    of: CivilDate(daysSinceEpoch: start + length))
        }
        func months(_ length: Int) -> Range<Int64> {
            let start = date.monthNumber.flooredDivision(by: length).quotient + count
            return zone.midnight(
                of: CivilDate(monthNumber: start * length, day: 1))..<zone.midnight(
                    of: CivilDate(monthNumber: (start + 1) * length, day: 1))
        }
        switch unit {
        case .day: return days(1, from: date.daysSinceEpoch)
        case .week:
            // 5 January 1970 was a Monday.
            let monday = (date.daysSinceEpoch - 4).flooredDivision(by: 7).quotient * 7 + 4
            return days(7, from: monday)
        case .month: return months(1)
        case .quarter: return months(3)
        case .year: return months(12)
        }
    }
}
