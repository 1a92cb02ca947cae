/// The instants that divide one customer's time into months, one boundary in each calendar month.
///
/// Boundary *m* is a wall time in month *m*, read in the zone in force at boundary *m* - 1: a
/// change of zone never moves the end of the running period. Boundaries therefore ascend,
/// neighbours are at least 26 and at most 33 days apart, and one list of them makes gapless
/// periods.
///
/// Read literally the rule walks back to the first boundary of all. It need not: boundary *m* - 1
/// lies within a day of its UTC time in whatever zone, so it must be known exactly only when a
/// change of zone falls into these two days. The walk is as long as the run of such months, usually
/// zero.
struct MonthBoundaries {
    private let history: ZoneHistory
    private let dayOfMonth: Int
    private let millisecondOfDay: Int

    /// The one boundary that is given and not computed, if any.
    private let anchor: (month: Int, instant: Int64)?

    /// Midnight on the first day of every month.
    init(calendarMonthsIn history: ZoneHistory) {
        self.history = history
        dayOfMonth = 1
        millisecondOfDay = 0
        anchor = nil
    }

    /// The anchor's day of the month and time of day, as its own zone showed them, in every month.
    init(anchor: Int64, in history: ZoneHistory) {
        let instant = anchor.confined(to: CivilDateTime.localMilliseconds)
        let civil = history.zone(at: instant).civil(at: instant)
        self.history = history
        dayOfMonth = civil.date.day
        millisecondOfDay = civil.millisecondOfDay
        self.anchor = (civil.date.monthNumber, instant)
    }

    /// The month number from which periods are counted.
    var firstMonth: Int { anchor?.month ?? 0 }

    /// Finds the period that begins in a given calendar month.
    func period(inMonth month: Int) -> MeterPeriod {
        let confined = month.confined(to: CivilDate.monthNumbers)
        let start = instant(ofMonth: confined)
        return period(month: confined, start: start, end: boundary(after: confined, at: start))
    }

    /// Finds the period that contains an instant.
    ///
    /// The month that UTC shows is at most two periods off: the zone moves it by a day, and the
    /// anchor's day may still lie ahead in it.
    func period(containing instant: Int64) -> MeterPeriod {
        var month = CivilDateTime(localMilliseconds: instant).date.monthNumber
        var start = self.instant(ofMonth: month)
        while start > instant {
            month -= 1
            start = self.instant(ofMonth: month)
        }
        var end = boundary(after: month, at: start)
        while end <= instant, month < CivilDate.monthNumbers.upperBound {
            month += 1
            start = end
            end = boundary(after: month, at: start)
        }
        return period(month: month, start: start, end: end)
    }

    private func period(month: Int, start: Int64, end: Int64) -> MeterPeriod {
        MeterPeriod(number: Int64(month - firstMonth), start: start, end: end)
    }

    private func instant(ofMonth month: Int) -> Int64 {
        var known = month
        while true {
            if let instant = edgeOrAnchor(ofMonth: known) {
                return walk(from: known, at: instant, to: month)
            }
            if let count = changeCount(atBoundary: known - 1) {
                let instant = wallClock(inMonth: known, history.zone(afterChanges: count))
                return walk(from: known, at: instant, to: month)
            }
            known -= 1
        }
    }

    private func walk(from known: Int, at instant: Int64, to month: Int) -> Int64 {
        var current = known
        var start = instant
        while current < month {
            start = boundary(after: current, at: start)
            current += 1
        }
        return start
    }

    private func boundary(after month: Int, at start: Int64) -> Int64 {
        edgeOrAnchor(ofMonth: month + 1) ?? wallClock(inMonth: month + 1, history.zone(at: start))
    }

    /// The first supported month has no beginning and the last no end, so that every instant is in
    /// one.
    private func edgeOrAnchor(ofMonth month: Int) -> Int64? {
        if month <= CivilDate.monthNumbers.lowerBound { return Int64.min }
        if month > CivilDate.monthNumbers.upperBound { return Int64.max }
        guard let anchor, anchor.month == month else { return nil }
        return anchor.instant
    }

    /// Counts the changes of zone up to a boundary, if that is possible without knowing it exactly.
    private func changeCount(atBoundary month: Int) -> Int? {
        guard !history.changes.isEmpty else { return 0 }
        if let instant = edgeOrAnchor(ofMonth: month) {
            return history.changeCount(through: instant)
        }
        let instant = wallClock(inMonth: month, .utc)
        let day = Int64(CivilDateTime.millisecondsPerDay)
        let earliest = history.changeCount(through: instant - day)
        return history.changeCount(through: instant + day) == earliest ? earliest : nil
    }

    private func wallClock(inMonth month: Int, _ zone: ZoneTable) -> Int64 {
        let date = CivilDate(monthNumber: month, day: dayOfMonth)
        return zone.instant(of: CivilDateTime(date: date, millisecondOfDay: millisecondOfDay))
    }
}
