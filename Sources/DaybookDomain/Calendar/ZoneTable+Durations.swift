extension ZoneTable {
    /// Adds a calendar length to an instant, by the calendar and wall clock of this zone.
    ///
    /// Years and months come first and keep the day of the month, or take the last day of a shorter
    /// month; then days, which keep the wall clock and so last 23 to 25 hours; then exact
    /// milliseconds. A length without years, months and days is exact time. Negative parts count
    /// backwards.
    /// - Parameters:
    ///   - duration: Any values; sums past the years -9999...9999 stop at their first or last day.
    ///   - instant: Milliseconds since 1970 UTC; outside these years it is first moved to their
    ///     edge.
    /// - Returns: Milliseconds since 1970 UTC; a skipped or repeated wall time as in E70.
    public func adding(_ duration: CivilDuration, to instant: Int64) -> Int64 {
        guard duration.years != 0 || duration.months != 0 || duration.days != 0 else {
            return saturatingSum(instant, duration.milliseconds)
        }
        let start = civil(at: instant)
        let months = saturatingSum(monthCount(ofYears: duration.years), duration.months)
        let shifted = CivilDate(
            monthNumber: saturatingSum(start.date.monthNumber, months), day: start.date.day)
        let date = CivilDate(daysSinceEpoch: saturatingSum(shifted.daysSinceEpoch, duration.days))
        let wallClock = CivilDateTime(date: date, millisecondOfDay: start.millisecondOfDay)
        return saturatingSum(self.instant(of: wallClock), duration.milliseconds)
    }

    /// Counts the calendar days that have elapsed between two instants.
    ///
    /// A day has elapsed when the wall clock shows the starting time again, so the count is the
    /// largest number of days that can be added to `start` without passing `end`.
    /// - Parameters:
    ///   - start: Milliseconds since 1970 UTC, confined to the years -9999...9999.
    ///   - end: As `start`; may lie before it.
    /// - Returns: Zero within the first day; negative, towards zero, when `end` lies before
    ///   `start`.
    public func wholeDays(from start: Int64, to end: Int64) -> Int {
        let origin = civil(at: start)
        let originDay = origin.date.daysSinceEpoch
        let step = end >= start ? 1 : -1
        func passesEnd(_ count: Int) -> Bool {
            let date = CivilDate(daysSinceEpoch: originDay + count)
            let candidate = instant(
                of: CivilDateTime(date: date, millisecondOfDay: origin.millisecondOfDay))
            return step > 0 ? candidate > end : candidate < end
        }
        // The difference of the dates is at most a day or two off: the time of day and the jumps of
        // the wall clock decide the rest. A jump back over midnight can even turn its sign.
        let difference = civil(at: end).date.daysSinceEpoch - originDay
        var count = step > 0 ? max(0, difference) : min(0, difference)
        while count != 0, passesEnd(count) { count -= step }
        while CivilDate.days.contains(originDay + count + step), !passesEnd(count + step) {
            count += step
        }
        return count
    }
}

private func monthCount(ofYears years: Int) -> Int {
    let (months, overflow) = years.multipliedReportingOverflow(by: 12)
    return overflow ? (years < 0 ? Int.min : Int.max) : months
}

private func saturatingSum<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? Number.min : Number.max) : sum
}
