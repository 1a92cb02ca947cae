import DaybookEvents

/// When a counter begins anew by itself: stretches of time, each with periods of its own.
///
/// Most have one stretch, for ever. Another begins where something moves the anchor: the day from which a subscription
/// is billed, or a reset that does not retain the anchor. A period never reaches over the beginning of a stretch.
struct PeriodTimeline {
    private struct Stretch {
        var from: Int64
        /// `nil`: the calendar.
        var anchor: Int64?
    }

    /// `nil`: there are no periods.
    let length: PeriodLength?
    private let zone: ZoneHistory
    /// Ascending; the first begins before all time.
    private let stretches: [Stretch]

    /// - Parameters:
    ///   - anchor: `nil`: the calendar.
    ///   - cut: Where a period ends early, and the next begins.
    ///   - moves: From when on the periods are counted from another time, in any order.
    init(
        _ length: PeriodLength?, anchor: Int64?, cut: Int64? = nil, moves: [BillingDay] = [],
        in zone: ZoneHistory
    ) {
        self.length = length
        self.zone = zone
        guard cut != nil || !moves.isEmpty else {
            stretches = length == nil ? [] : [Stretch(from: Int64.min, anchor: anchor)]
            return
        }
        var stretches = [Stretch(from: Int64.min, anchor: anchor)]
        if let cut {
            // What moved the anchor before the cut holds on after it.
            let moved = moves.filter { $0.from < cut }.max { $0.from < $1.from }
            stretches.append(Stretch(from: cut, anchor: moved?.anchor ?? anchor))
        }
        // At one instant a move has the last word.
        for move in moves { stretches.append(Stretch(from: move.from, anchor: move.anchor)) }
        let order = stretches.indices.sorted {
            (stretches[$0].from, $0) < (stretches[$1].from, $1)
        }
        self.stretches = length == nil ? [] : order.map { stretches[$0] }
    }

    /// The period that contains a time; one that never ends where there are none.
    /// - Complexity: O(log *s*) in the stretches, and that of `MeterPeriod.containing`.
    func period(at instant: Int64) -> MeterPeriod {
        guard let length else { return .lifetime }
        let next = stretches.sortedPrefixCount { $0.from <= instant }
        let stretch = stretches[next - 1]
        let period = MeterPeriod.containing(
            instant, length: length, anchor: stretch.anchor, in: zone)
        return MeterPeriod(
            number: period.number, start: max(period.start, stretch.from),
            end: next < stretches.count ? min(period.end, stretches[next].from) : period.end)
    }

    /// `2026-03` for a month of the calendar, else the day on which the period began, of exact time with the time;
    /// `nil` where there are no periods. A late fact may move numbers, so none is in it.
    func name(of period: MeterPeriod) -> String? {
        guard let length else { return nil }
        if length == .month, isOfCalendar(period.start) {
            return MeterPeriod.calendarMonthText(period.number)
        }
        // A boundary is read in the zone that was in force before it.
        let before = zone.zone(at: period.start == Int64.min ? period.start : period.start - 1)
        let text = RFC3339.format(period.start, in: before)
        return length.unit == .milliseconds ? text : String(text.prefix(10))
    }

    /// What tells the period from every other one of the meter: the name of a month of the calendar, which stays when a
    /// change of zone moves its beginning, else when it begins.
    func key(of period: MeterPeriod) -> String? {
        guard let length else { return nil }
        let isMonth = length == .month && isOfCalendar(period.start)
        return isMonth ? name(of: period) : RFC3339.format(period.start)
    }

    private func isOfCalendar(_ instant: Int64) -> Bool {
        let next = stretches.sortedPrefixCount { $0.from <= instant }
        return stretches[next - 1].anchor == nil
    }
}
