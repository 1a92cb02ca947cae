import DaybookDomain
import Testing

@Suite("Zone tables")
struct ZoneTableTests {
    @Test(
        "An offset changes exactly at its transition (E71)",
        arguments: [
            ("2024-01-01T00:00:00Z", 1), ("2026-03-29T00:59:59.999Z", 1),
            ("2026-03-29T01:00:00Z", 2), ("2026-03-29T01:00:00.001Z", 2),
            ("2026-10-25T00:59:59.999Z", 2), ("2026-10-25T01:00:00Z", 1),
            ("9999-01-01T00:00:00Z", 1),
        ])
    func offsets(at text: String, hours: Int64) throws {
        let at = try instant(text)
        #expect(CalendarFixtures.amsterdam.offsetMilliseconds(at: at) == hours * 3_600_000)
    }

    @Test(
        "A skipped wall time is the first instant after the gap (E70)",
        arguments: [
            (1, 59, "2026-03-29T00:59:00Z"), (2, 0, "2026-03-29T01:00:00Z"),
            (2, 30, "2026-03-29T01:00:00Z"), (2, 59, "2026-03-29T01:00:00Z"),
            (3, 0, "2026-03-29T01:00:00Z"), (3, 1, "2026-03-29T01:01:00Z"),
        ])
    func gap(hour: Int, minute: Int, expected: String) throws {
        let civil = try #require(
            CivilDateTime(year: 2026, month: 3, day: 29, hour: hour, minute: minute))
        #expect(RFC3339.format(CalendarFixtures.amsterdam.instant(of: civil)) == expected)
    }

    @Test(
        "A wall time that happens twice is the first occurrence (E70)",
        arguments: [
            (1, 59, "2026-10-24T23:59:00Z"), (2, 0, "2026-10-25T00:00:00Z"),
            (2, 59, "2026-10-25T00:59:00Z"), (3, 0, "2026-10-25T02:00:00Z"),
        ])
    func overlap(hour: Int, minute: Int, expected: String) throws {
        let civil = try #require(
            CivilDateTime(year: 2026, month: 10, day: 25, hour: hour, minute: minute))
        #expect(RFC3339.format(CalendarFixtures.amsterdam.instant(of: civil)) == expected)
    }

    @Test("A day lost at the date line begins when the day after it does (E72)")
    func dateLine() throws {
        let lost = try #require(CivilDateTime(year: 2011, month: 12, day: 30))
        let next = try #require(CivilDateTime(year: 2011, month: 12, day: 31))
        let noon = try #require(CivilDateTime(year: 2011, month: 12, day: 30, hour: 12))
        let transition = try instant("2011-12-30T10:00:00Z")
        for civil in [lost, noon, next] {
            #expect(CalendarFixtures.apia.instant(of: civil) == transition)
        }
        #expect(CalendarFixtures.apia.civil(at: transition - 1).date.day == 29)
        #expect(CalendarFixtures.apia.civil(at: transition) == next)
    }

    @Test(
        "Half-hour zones and the two ends of the world show their own midnight (E72)",
        arguments: [
            (CalendarFixtures.kathmandu, "2025-12-31T18:15:00Z"),
            (CalendarFixtures.kolkata, "2025-12-31T18:30:00Z"),
            (CalendarFixtures.lordHowe, "2025-12-31T13:00:00Z"),
            (CalendarFixtures.kiritimati, "2025-12-31T10:00:00Z"),
            (CalendarFixtures.bakerIsland, "2026-01-01T12:00:00Z"),
        ])
    func midnights(zone: ZoneTable, expected: String) throws {
        let midnight = try #require(CivilDateTime(year: 2026, month: 1, day: 1))
        #expect(RFC3339.format(zone.instant(of: midnight)) == expected)
        #expect(zone.civil(at: try instant(expected)) == midnight)
    }

    @Test("No instant and no wall time traps", arguments: CalendarFixtures.everyZone)
    func extremes(zone: ZoneTable) {
        for edge in [Int64.min, Int64.min + 1, -1, 0, 1, Int64.max - 1, Int64.max] {
            let civil = zone.civil(at: edge)
            #expect(CivilDate.years.contains(civil.date.year))
            #expect(abs(zone.offsetMilliseconds(at: zone.instant(of: civil))) < 86_400_000)
        }
    }

    @Test("A transition at either end of time does not trap")
    func extremeTransitions() throws {
        let zone = ZoneTable(
            name: "Edge", initialOffsetSeconds: Int.max,
            transitions: [
                ZoneTable.Transition(instant: Int64.min, offsetSeconds: Int.min),
                ZoneTable.Transition(instant: Int64.max, offsetSeconds: 0),
            ])
        let civil = try #require(CivilDateTime(year: 1970, month: 1, day: 1))
        #expect(zone.instant(of: civil) == 86_399_000)
        #expect(zone.initialOffsetSeconds == 86_399)
    }

    @Test(
        "Wall time and instant name each other in random zones", arguments: CalendarFixtures.seeds)
    func roundTrip(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        let zone = random.zone()
        for _ in 0..<1_000 {
            let at = random.instant()
            let civil = zone.civil(at: at)
            let back = zone.instant(of: civil)
            // Only a repeated wall time may come back as another instant: its first occurrence.
            #expect(back <= at && zone.civil(at: back) == civil, "seed \(seed), instant \(at)")
            #expect(civil.localMilliseconds - at == zone.offsetMilliseconds(at: at))
        }
    }

    @Test(
        "A random wall time is the first instant that shows it", arguments: CalendarFixtures.seeds)
    func firstOccurrence(seed: UInt64) {
        var random = CalendarGenerator(seed: seed)
        let zone = random.zone()
        for transition in zone.transitions {
            let near = Int64.random(in: -100_000_000...100_000_000, using: &random)
            let civil = CivilDateTime(localMilliseconds: transition.instant + near)
            // Every offset that could be in force then, tried one after the other.
            let candidates = Set(
                [zone.initialOffsetSeconds] + zone.transitions.map(\.offsetSeconds)
            )
            .map { civil.localMilliseconds - Int64($0) * 1_000 }
            .filter { zone.civil(at: $0) == civil }
            let answer = zone.instant(of: civil)
            if let first = candidates.min() {
                #expect(answer == first, "seed \(seed), \(civil)")
            } else {
                #expect(zone.civil(at: answer - 1) < civil, "seed \(seed), \(civil)")
                #expect(zone.civil(at: answer) > civil, "seed \(seed), \(civil)")
            }
        }
    }

    @Test("Transitions are sorted, the last of one instant rules, and idle ones are dropped")
    func canonicalForm() {
        let table = ZoneTable(
            name: "Z", initialOffsetSeconds: 0,
            transitions: [
                ZoneTable.Transition(instant: 30, offsetSeconds: 60),
                ZoneTable.Transition(instant: 10, offsetSeconds: 0),
                ZoneTable.Transition(instant: 20, offsetSeconds: 120),
                ZoneTable.Transition(instant: 20, offsetSeconds: 60),
            ])
        let expected = ZoneTable(
            name: "Z", initialOffsetSeconds: 0,
            transitions: [ZoneTable.Transition(instant: 20, offsetSeconds: 60)])
        #expect(table == expected)
        #expect(table.digest == expected.digest)
    }

    @Test("The digest is the same on every platform and differs with name and offsets (E72)")
    func digest() {
        let amsterdam = CalendarFixtures.zone(
            "Europe/Amsterdam", hours: 1,
            ("2026-03-29T01:00:00Z", 2), ("2026-10-25T01:00:00Z", 1))
        let renamed = CalendarFixtures.zone(
            "Europe/Berlin", hours: 1, ("2026-03-29T01:00:00Z", 2), ("2026-10-25T01:00:00Z", 1))
        // Golden values, computed outside of Swift.
        #expect(ZoneTable.utc.digest == 0x4f8b_9a93_e0e7_f526)
        #expect(amsterdam.digest == 0x11c9_0d63_f5d2_da00)
        #expect(renamed.digest != amsterdam.digest)
        #expect(CalendarFixtures.amsterdam.digest != amsterdam.digest)
    }
}
