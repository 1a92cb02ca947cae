import DaybookDomain
import Testing

@Suite("Lengths of periods")
struct PeriodLengthTests {
    private func length(_ text: String) -> PeriodLength? {
        CivilDuration(iso8601: text).flatMap(PeriodLength.init)
    }

    @Test(
        "One unit from an hour to a hundred years is a length, written in its largest whole unit",
        arguments: [
            ("P1D", "P1D"), ("P7D", "P1W"), ("P2W", "P2W"), ("P30D", "P30D"), ("P1M", "P1M"),
            ("P3M", "P3M"), ("P12M", "P1Y"), ("P1Y", "P1Y"), ("P1Y6M", "P18M"),
            ("P100Y", "P100Y"), ("PT1H", "PT1H"), ("PT720H", "PT720H"), ("PT90M", "PT90M"),
            ("PT3601S", "PT3601S"), ("P36525D", "P36525D"),
        ])
    func lengths(_ text: String, _ expected: String) {
        #expect(length(text)?.iso8601 == expected)
        #expect(length(expected) == length(text))
    }

    @Test(
        "A mix, nothing, less than an hour and more than a hundred years is none",
        arguments: [
            "P1M3D", "P1DT12H", "P1MT1H", "P0D", "PT59M59S", "P100Y1M", "P36526D", "PT876601H",
        ])
    func noLengths(_ text: String) { #expect(length(text) == nil) }
}

/// Periods of any length and anchor, against the rule walked step by step.
@Suite("Periods of any length")
struct AnyPeriodTests {
    private static let lengths = ["P1D", "P2D", "P1W", "P10D", "P1M", "P3M", "P6M", "P1Y"]

    private static func length(_ text: String) -> PeriodLength {
        guard let length = CivilDuration(iso8601: text).flatMap(PeriodLength.init) else {
            preconditionFailure("\(text) is no length")
        }
        return length
    }

    /// From the anchor on: each boundary on the wall clock of the zone in force at the one before it, and never before
    /// that one.
    private static func walked(
        _ length: PeriodLength, from anchor: Int64, count: Int, in history: ZoneHistory
    ) -> [Int64] {
        func zone(_ instant: Int64) -> ZoneTable {
            history.changes.last { $0.fromInstant <= instant }?.zone ?? history.initial
        }
        let origin = zone(anchor).civil(at: anchor)
        var boundaries = [anchor]
        for index in 1...count {
            let date =
                length.unit == .months
                ? CivilDate(
                    monthNumber: origin.date.monthNumber + index * length.count,
                    day: origin.date.day)
                : CivilDate(daysSinceEpoch: origin.date.daysSinceEpoch + index * length.count)
            let wall = CivilDateTime(date: date, millisecondOfDay: origin.millisecondOfDay)
            let last = boundaries[index - 1]
            boundaries.append(max(last, zone(last).instant(of: wall)))
        }
        return boundaries
    }

    @Test(
        "Periods after an anchor are those of the rule walked step by step",
        arguments: CalendarFixtures.seeds)
    func anchored(seed: UInt64) throws {
        var random = CalendarGenerator(seed: seed)
        for text in Self.lengths {
            let length = Self.length(text)
            let history = random.history()
            let anchor = Int64.random(in: 1_735_000_000_000...1_800_000_000_000, using: &random)
            let walked = Self.walked(length, from: anchor, count: 80, in: history)
            for (start, end) in zip(walked, walked.dropFirst()) where start < end {
                let place: Comment = "seed \(seed), \(text) from \(anchor), at \(start)"
                for instant in [start, start + (end - start) / 2, end - 1] {
                    let period = MeterPeriod.containing(
                        instant, length: length, anchor: anchor, in: history)
                    #expect(period.start == start && period.end == end, place)
                }
            }
        }
    }

    @Test(
        "Periods are gapless before and after any instant, with and without an anchor",
        arguments: CalendarFixtures.seeds)
    func gapless(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        for text in Self.lengths + ["PT1H", "PT30H", "PT720H"] {
            let length = Self.length(text)
            let history = random.history()
            let anchor = Int64.random(in: 1_735_000_000_000...1_850_000_000_000, using: &random)
            for anchor in [nil, anchor] {
                var at = Int64.random(in: 1_735_000_000_000...1_850_000_000_000, using: &random)
                let place: Comment = "seed \(seed), \(text) from \(String(describing: anchor))"
                for _ in 0..<20 {
                    let period = MeterPeriod.containing(
                        at, length: length, anchor: anchor, in: history)
                    #expect(period.contains(at), place)
                    let next = MeterPeriod.containing(
                        period.end, length: length, anchor: anchor, in: history)
                    #expect(next.start == period.end && next.number > period.number, place)
                    at = period.start - 1
                    let former = MeterPeriod.containing(
                        at, length: length, anchor: anchor, in: history)
                    #expect(former.end == period.start && former.number < period.number, place)
                }
            }
        }
    }

    @Test("A customer who crosses the date line in a day loses it, and no instant has two periods")
    func dateLine() throws {
        let midnight = try instant("2026-03-02T00:00:00Z")
        let hour = 3_600_000 as Int64
        let day = Self.length("P1D")
        for (old, new) in [
            (CalendarFixtures.bakerIsland, CalendarFixtures.kiritimati),
            (CalendarFixtures.kiritimati, CalendarFixtures.bakerIsland),
        ] {
            for moved in stride(from: midnight - 30 * hour, to: midnight + 30 * hour, by: 3_600_000)
            {
                let history = ZoneHistory(
                    initial: old, changes: [.init(fromInstant: moved, zone: new)])
                for anchor in [nil, midnight, moved, moved + 5 * hour] {
                    var at = midnight - 72 * hour
                    while at < midnight + 72 * hour {
                        let period = MeterPeriod.containing(
                            at, length: day, anchor: anchor, in: history)
                        #expect(period.contains(at) && period.end - period.start <= 50 * hour)
                        let last = MeterPeriod.containing(
                            period.end - 1, length: day, anchor: anchor, in: history)
                        #expect(last == period, "moved \(moved), at \(at)")
                        at = period.end
                    }
                }
            }
        }
    }

    @Test(
        "Every instant has its period and none traps",
        arguments: lengths + ["P100Y", "P36525D", "PT1H", "PT876600H"])
    func extremes(text: String) {
        let length = Self.length(text)
        let edges = [Int64.min, -400_000_000_000_000, 0, 400_000_000_000_000, Int64.max - 1]
        let zone = CalendarFixtures.newYork
        let changes = edges.map { ZoneHistory.Change(fromInstant: $0, zone: zone) }
        let history = ZoneHistory(initial: .utc, changes: changes)
        for at in edges {
            for anchor in [nil] + edges {
                let period = MeterPeriod.containing(
                    at, length: length, anchor: anchor, in: history)
                #expect(period.contains(at), "\(at) from \(String(describing: anchor))")
            }
        }
    }

    @Test(
        "Calendar lengths begin where people expect them",
        arguments: [
            ("P1D", "2026-03-04T12:00:00Z", "2026-03-04T05:00:00Z", "2026-03-05T05:00:00Z"),
            // The clocks go forward and back: 23 and 25 hours.
            ("P1D", "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
            ("P1D", "2026-11-01T12:00:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),
            ("P1W", "2026-03-04T12:00:00Z", "2026-03-02T05:00:00Z", "2026-03-09T04:00:00Z"),
            ("P3M", "2026-03-31T12:00:00Z", "2026-01-01T05:00:00Z", "2026-04-01T04:00:00Z"),
            ("P3M", "2026-04-01T04:00:00Z", "2026-04-01T04:00:00Z", "2026-07-01T04:00:00Z"),
            ("P6M", "2026-04-01T04:00:00Z", "2026-01-01T05:00:00Z", "2026-07-01T04:00:00Z"),
            ("P1Y", "2026-04-01T04:00:00Z", "2026-01-01T05:00:00Z", "2027-01-01T05:00:00Z"),
        ])
    func calendar(_ text: String, _ at: String, _ start: String, _ end: String) throws {
        let period = MeterPeriod.containing(
            try instant(at), length: Self.length(text), anchor: nil,
            in: ZoneHistory(initial: CalendarFixtures.newYork))
        #expect(RFC3339.format(period.start) == start)
        #expect(RFC3339.format(period.end) == end)
    }
}
