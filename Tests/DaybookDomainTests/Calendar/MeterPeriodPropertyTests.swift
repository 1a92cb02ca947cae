import DaybookDomain
import Testing

@Suite("Meter periods, any zones")
struct MeterPeriodPropertyTests {
    static let day: Int64 = 86_400_000

    /// Rule 14 word for word: from a month before all changes, one step at a time.
    private func walkedBoundaries(
        through month: Int, dayOfMonth: Int, millisecondOfDay: Int, in history: ZoneHistory
    ) -> [Int: Int64] {
        var boundaries: [Int: Int64] = [:]
        var zone = history.initial
        for current in 24_290...month {
            let date = CivilDate(monthNumber: current, day: dayOfMonth)
            let boundary = zone.instant(
                of: CivilDateTime(date: date, millisecondOfDay: millisecondOfDay))
            boundaries[current] = boundary
            zone = history.changes.last { $0.fromInstant <= boundary }?.zone ?? history.initial
        }
        return boundaries
    }

    @Test(
        "Months are those of the rule walked step by step (MS-07)",
        arguments: CalendarFixtures.seeds)
    func monthsAgreeWithRule(seed: UInt64) throws {
        var random = CalendarGenerator(seed: seed)
        for _ in 0..<10 {
            let history = random.history()
            let walked = walkedBoundaries(
                through: 24_340, dayOfMonth: 1, millisecondOfDay: 0, in: history)
            for month in 24_292..<24_340 {
                let period = MeterPeriod.calendarMonth(numbered: Int64(month), in: history)
                #expect(period.start == walked[month], "seed \(seed), month \(month)")
                #expect(period.end == walked[month + 1], "seed \(seed), month \(month)")
            }
        }
    }

    @Test(
        "Months are gapless, hold their instants and last at most two (MS-07, MS-08)",
        arguments: CalendarFixtures.seeds)
    func monthsAreContiguous(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        for _ in 0..<30 {
            let history = random.history()
            let at = Int64.random(in: 1_735_000_000_000...1_850_000_000_000, using: &random)
            let period = MeterPeriod.calendarMonth(containing: at, in: history)
            let next = MeterPeriod.calendarMonth(containing: period.end, in: history)
            let previous = MeterPeriod.calendarMonth(containing: period.start - 1, in: history)
            #expect(period.contains(at), "seed \(seed), instant \(at)")
            #expect(next.start == period.end && next.number == period.number + 1, "seed \(seed)")
            #expect(
                previous.end == period.start && previous.number == period.number - 1,
                "seed \(seed)")
            #expect(
                26 * Self.day...33 * Self.day ~= period.end - period.start, "seed \(seed)")
            #expect(
                MeterPeriod.calendarMonth(numbered: period.number, in: history) == period,
                "seed \(seed)")
        }
    }

    @Test(
        "Anniversaries are gapless, hold their instants and last at most two months (MS-07, E69)",
        arguments: CalendarFixtures.seeds)
    func anniversariesAreContiguous(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        for _ in 0..<30 {
            let history = random.history()
            let anchor = Int64.random(in: 1_735_000_000_000...1_850_000_000_000, using: &random)
            let at = Int64.random(in: 1_735_000_000_000...1_850_000_000_000, using: &random)
            let period = MeterPeriod.anniversary(containing: at, anchor: anchor, in: history)
            let next = MeterPeriod.anniversary(containing: period.end, anchor: anchor, in: history)
            let previous = MeterPeriod.anniversary(
                containing: period.start - 1, anchor: anchor, in: history)
            #expect(period.contains(at), "seed \(seed), instant \(at), anchor \(anchor)")
            #expect(at < anchor ? period.number < 0 : period.number >= 0, "seed \(seed)")
            #expect(next.start == period.end && next.number == period.number + 1, "seed \(seed)")
            #expect(
                previous.end == period.start && previous.number == period.number - 1,
                "seed \(seed)")
            #expect(
                26 * Self.day...33 * Self.day ~= period.end - period.start, "seed \(seed)")
            #expect(
                MeterPeriod.anniversary(numbered: period.number, anchor: anchor, in: history)
                    == period, "seed \(seed)")
        }
    }

    @Test("Changes given in another order are the same history", arguments: CalendarFixtures.seeds)
    func shuffledChanges(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        let history = random.history()
        let shuffled = ZoneHistory(
            initial: history.initial, changes: history.changes.shuffled(using: &random))
        #expect(shuffled == history, "seed \(seed)")
    }

    @Test("A change of zone at every boundary for a century is walked in a loop (MS-07)")
    func changeAtEveryBoundary() {
        let changes = (23_640..<24_840).map { month in
            let date = CivilDate(monthNumber: month, day: 1)
            return ZoneHistory.Change(
                fromInstant: CivilDateTime(date: date, millisecondOfDay: 0).localMilliseconds,
                zone: month.isMultiple(of: 2)
                    ? CalendarFixtures.kiritimati : CalendarFixtures.bakerIsland)
        }
        let history = ZoneHistory(initial: .utc, changes: changes)
        let last = MeterPeriod.calendarMonth(numbered: 24_839, in: history)
        #expect(MeterPeriod.calendarMonth(containing: last.start, in: history) == last)
        #expect(last.end > last.start)
    }

    @Test("Every instant has its period and none traps", arguments: CalendarFixtures.everyZone)
    func extremes(zone: ZoneTable) {
        let edges = [Int64.min, -400_000_000_000_000, 0, 400_000_000_000_000, Int64.max - 1]
        let changes = edges.map { ZoneHistory.Change(fromInstant: $0, zone: zone) }
        for history in [
            ZoneHistory(initial: zone), ZoneHistory(initial: .utc, changes: changes),
        ] {
            for at in edges {
                #expect(MeterPeriod.calendarMonth(containing: at, in: history).contains(at))
                for anchor in edges {
                    let period = MeterPeriod.anniversary(
                        containing: at, anchor: anchor, in: history)
                    #expect(period.contains(at))
                    let same = MeterPeriod.anniversary(
                        numbered: period.number, anchor: anchor, in: history)
                    #expect(same == period)
                }
            }
            let first = MeterPeriod.calendarMonth(numbered: Int64.min, in: history)
            let last = MeterPeriod.calendarMonth(numbered: Int64.max, in: history)
            #expect(first.start == Int64.min && last.end == Int64.max)
            #expect(MeterPeriod.calendarMonth(containing: Int64.max, in: history) == last)
        }
    }
}
