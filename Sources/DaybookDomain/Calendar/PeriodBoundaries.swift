/// The instants that divide one customer's time into periods of whole months or days.
///
/// Boundary *k* is a wall time *k* lengths after the origin, read in the zone in force at boundary
/// *k* - 1: a change of zone never moves the end of the running period. Boundaries never descend,
/// and one list of them makes gapless periods. Two boundaries are the same instant only where a
/// customer crosses the date line within a day: that day is no period.
///
/// Read literally the rule walks back to the first boundary of all. It need not: a boundary lies
/// within a day of its UTC time in whatever zone, so it must be known exactly only when a change of
/// zone falls near to it. The walk is as long as the run of such periods, usually zero.
struct PeriodBoundaries {
    private let history: ZoneHistory
    private let months: Int
    private let days: Int
    /// Boundary 0 on the wall clock.
    private let origin: CivilDateTime
    /// Boundary 0 where it is given and not computed.
    private let anchor: Int64?
    /// The first period has no beginning and the last no end, so that every instant is in one.
    private let indices: ClosedRange<Int>

    /// Periods that begin at midnight: of months counted from January of year 0, of weeks from a
    /// Monday, of other days from 1 January 1970.
    ///
    /// - Parameter length: Not of exact time.
    init(_ length: PeriodLength, in history: ZoneHistory) {
        let isWeeks = length.unit == .days && length.count.isMultiple(of: 7)
        let date =
            length.unit == .months
            ? CivilDate(monthNumber: 0, day: 1) : CivilDate(daysSinceEpoch: isWeeks ? 4 : 0)
        self.init(
            length, CivilDateTime(date: date, millisecondOfDay: 0), anchor: nil, in: history)
    }

    /// Periods that begin on the anchor's day and time of day, as its own zone showed them.
    ///
    /// - Parameters:
    ///   - length: Not of exact time.
    ///   - anchor: Milliseconds since 1970 UTC, confined to the years -9999...9999.
    init(_ length: PeriodLength, anchor: Int64, in history: ZoneHistory) {
        let instant = anchor.confined(to: CivilDateTime.localMilliseconds)
        self.init(
            length, history.zone(at: instant).civil(at: instant), anchor: instant, in: history)
    }

    private init(
        _ length: PeriodLength, _ origin: CivilDateTime, anchor: Int64?, in history: ZoneHistory
    ) {
        self.history = history
        self.origin = origin
        self.anchor = anchor
        months = length.unit == .months ? length.count : 0
        days = length.unit == .days ? length.count : 0
        let range = months > 0 ? CivilDate.monthNumbers : CivilDate.days
        let start = months > 0 ? origin.date.monthNumber : origin.date.daysSinceEpoch
        let first = (range.lowerBound - start).flooredDivision(by: length.count).quotient
        let last = (range.upperBound - start).flooredDivision(by: length.count).quotient
        indices = first...last
    }

    /// Finds the period between a boundary and the next.
    func period(numbered number: Int64) -> MeterPeriod {
        let index = Int(clamping: number).confined(to: indices)
        let start = instant(of: index)
        return MeterPeriod(
            number: Int64(index), start: start, end: boundary(after: index, at: start))
    }

    /// Finds the period that contains an instant.
    ///
    /// The period by the date that UTC shows is at most a few off: the zone moves it by a day, and
    /// the origin's day and time may still lie ahead in it.
    func period(containing instant: Int64) -> MeterPeriod {
        let date = CivilDateTime(localMilliseconds: instant).date
        let distance =
            months > 0
            ? date.monthNumber - origin.date.monthNumber
            : date.daysSinceEpoch - origin.date.daysSinceEpoch
        var index = distance.flooredDivision(by: max(months, days)).quotient
        var start = self.instant(of: index)
        while start > instant {
            index -= 1
            start = self.instant(of: index)
        }
        var end = boundary(after: index, at: start)
        while end <= instant, index < indices.upperBound {
            index += 1
            start = end
            end = boundary(after: index, at: start)
        }
        return MeterPeriod(number: Int64(index), start: start, end: end)
    }

    private func instant(of index: Int) -> Int64 {
        var known = index
        while true {
            if let instant = edgeOrAnchor(known) {
                return walk(from: known, at: instant, to: index)
            }
            if let count = changeCount(atBoundary: known - 1) {
                let instant = wallClock(known, history.zone(afterChanges: count))
                return walk(from: known, at: instant, to: index)
            }
            known -= 1
        }
    }

    private func walk(from known: Int, at instant: Int64, to index: Int) -> Int64 {
        var current = known
        var start = instant
        while current < index {
            start = boundary(after: current, at: start)
            current += 1
        }
        return start
    }

    private func boundary(after index: Int, at start: Int64) -> Int64 {
        edgeOrAnchor(index + 1) ?? max(start, wallClock(index + 1, history.zone(at: start)))
    }

    private func edgeOrAnchor(_ index: Int) -> Int64? {
        if index <= indices.lowerBound { return Int64.min }
        if index > indices.upperBound { return Int64.max }
        return index == 0 ? anchor : nil
    }

    /// Counts the changes of zone up to a boundary, if that is possible without knowing it exactly, and if the boundary
    /// after it cannot lie before it.
    private func changeCount(atBoundary index: Int) -> Int? {
        guard !history.changes.isEmpty else { return 0 }
        if let instant = edgeOrAnchor(index) { return history.changeCount(through: instant) }
        let day = Int64(CivilDateTime.millisecondsPerDay)
        // Only days are so short that a change since the boundary before can turn the order round.
        let earlier = wallClock(days > 0 ? index - 1 : index, .utc) - day
        let earliest = history.changeCount(through: earlier)
        let latest = history.changeCount(through: wallClock(index, .utc) + day)
        return latest == earliest ? earliest : nil
    }

    private func wallClock(_ index: Int, _ zone: ZoneTable) -> Int64 {
        let date =
            months > 0
            ? CivilDate(
                monthNumber: origin.date.monthNumber + index * months, day: origin.date.day)
            : CivilDate(daysSinceEpoch: origin.date.daysSinceEpoch + index * days)
        let instant = zone.instant(
            of: CivilDateTime(date: date, millisecondOfDay: origin.millisecondOfDay))
        // The zone of the anchor may show a later time than the one before it did.
        guard index < 0, let anchor else { return instant }
        return min(instant, anchor)
    }
}
