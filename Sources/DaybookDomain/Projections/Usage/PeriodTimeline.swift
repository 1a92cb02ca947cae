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
    ///   - moves: When the periods begin to be counted from that time, in any order.
    init(
        _ length: PeriodLength?, anchor: Int64?, cut: Int64? = nil, moves: [Int64] = [],
        in zone: ZoneHistory
    ) {
        self.length = length
        self.zone = zone
        var stretches = [Stretch(from: Int64.min, anchor: anchor)]
        if let cut { stretches.append(Stretch(from: cut, anchor: anchor)) }
        // At one instant a move has the last word.
        for move in moves { stretches.append(Stretch(from: move, anchor: move)) }
        self.stretches = length == nil ? [] : stretches.sorted { $0.from < $1.from }
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

    /// `2026-03` for a month of the calendar, else the day on which the period began, where it is shorter than a day
    /// with the time; `nil` where there are no periods. A late fact may move numbers, so none is in it.
    func name(of period: MeterPeriod) -> String? {
        guard let length else { return nil }
        if length == .month, isOfCalendar(period.start) {
            return MeterPeriod.calendarMonthText(period.number)
        }
        let text = RFC3339.format(period.start, in: zone.zone(at: period.start))
        let isShort = length.unit == .milliseconds && length.count < 86_400_000
        return String(text.prefix(isShort ? 16 : 10))
    }

    private func isOfCalendar(_ instant: Int64) -> Bool {
        let next = stretches.sortedPrefixCount { $0.from <= instant }
        return stretches[next - 1].anchor == nil
    }
}
