import DaybookDomain
import Testing

/// Zones written out by hand: the domain tests must not depend on the host's time zone database.
enum CalendarFixtures {
    static let amsterdam = zone(
        "Europe/Amsterdam", hours: 1,
        ("2025-03-30T01:00:00Z", 2), ("2025-10-26T01:00:00Z", 1),
        ("2026-03-29T01:00:00Z", 2), ("2026-10-25T01:00:00Z", 1))
    static let newYork = zone(
        "America/New_York", hours: -5,
        ("2025-03-09T07:00:00Z", -4), ("2025-11-02T06:00:00Z", -5),
        ("2026-03-08T07:00:00Z", -4), ("2026-11-01T06:00:00Z", -5))
    static let losAngeles = zone(
        "America/Los_Angeles", hours: -8,
        ("2025-03-09T10:00:00Z", -7), ("2025-11-02T09:00:00Z", -8),
        ("2026-03-08T10:00:00Z", -7), ("2026-11-01T09:00:00Z", -8))
    static let auckland = zone(
        "Pacific/Auckland", hours: 13,
        ("2025-04-05T14:00:00Z", 12), ("2025-09-27T14:00:00Z", 13),
        ("2026-04-04T14:00:00Z", 12), ("2026-09-26T14:00:00Z", 13))
    /// The clock falls back from 01:00 to 00:00 on 1 November: midnight happens twice.
    static let havana = zone(
        "America/Havana", hours: -5, ("2026-03-08T05:00:00Z", -4), ("2026-11-01T05:00:00Z", -5))
    /// The clock springs from 00:00 to 01:00 on 1 October: midnight does not happen.
    static let asuncion = zone(
        "America/Asuncion", hours: -4, ("2017-10-01T04:00:00Z", -3), ("2018-03-25T03:00:00Z", -4))
    /// 30 December 2011 does not happen: the country moved over the date line.
    static let apia = zone(
        "Pacific/Apia", hours: -11,
        ("2011-09-24T14:00:00Z", -10), ("2011-12-30T10:00:00Z", 14), ("2012-03-31T14:00:00Z", 13))
    static let kathmandu = zone("Asia/Kathmandu", hours: 5.75)
    static let kolkata = zone("Asia/Kolkata", hours: 5.5)
    static let lordHowe = zone(
        "Australia/Lord_Howe", hours: 11,
        ("2026-04-04T15:00:00Z", 10.5), ("2026-10-03T15:30:00Z", 11))
    static let kiritimati = zone("Pacific/Kiritimati", hours: 14)
    static let bakerIsland = zone("Etc/GMT+12", hours: -12)

    static let everyZone: [ZoneTable] = [
        .utc, amsterdam, newYork, losAngeles, auckland, havana, asuncion, apia, kathmandu, kolkata,
        lordHowe, kiritimati, bakerIsland,
    ]

    /// Twenty seeds that never change, and one that no run has seen before; a failure prints its
    /// seed.
    static let seeds: [UInt64] = Array(1...20) + [UInt64.random(in: 1_000...UInt64.max)]

    static func zone(
        _ name: String, hours: Double, _ changes: (at: String, hours: Double)...
    ) -> ZoneTable {
        ZoneTable(
            name: name, initialOffsetSeconds: Int(hours * 3_600),
            transitions: changes.map {
                guard let instant = RFC3339.parse($0.at) else {
                    preconditionFailure("\($0.at) in the table of \(name) is not RFC 3339.")
                }
                return ZoneTable.Transition(
                    instant: instant, offsetSeconds: Int($0.hours * 3_600))
            })
    }
}

/// Reads a time of a test row; a slip of the pen fails the test that contains it.
func instant(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Int64 {
    try #require(RFC3339.parse(text), "\(text) is not RFC 3339.", sourceLocation: sourceLocation)
}

/// A reproducible source of random calendars (SplitMix64).
struct CalendarGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Years 1900 to 2200.
    mutating func instant() -> Int64 {
        Int64.random(in: -2_208_988_800_000...7_258_118_400_000, using: &self)
    }

    /// Offsets of any sign and minute, with changes at least three days apart, as in the real
    /// world.
    mutating func zone() -> ZoneTable {
        var transitions: [ZoneTable.Transition] = []
        var at = instant()
        for _ in 0..<Int.random(in: 0...40, using: &self) {
            at += Int64.random(in: 3 * 86_400_000...400 * 86_400_000, using: &self)
            transitions.append(ZoneTable.Transition(instant: at, offsetSeconds: offset()))
        }
        return ZoneTable(name: "Random", initialOffsetSeconds: offset(), transitions: transitions)
    }

    /// Changes of zone, some of them within hours of each other and of the boundaries of months.
    mutating func history() -> ZoneHistory {
        var changes: [ZoneHistory.Change] = []
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            let month = Int.random(in: 660...690, using: &self) + 23_640
            let day = CivilDate(monthNumber: month, day: Int.random(in: 1...31, using: &self))
            let near = Bool.random(using: &self) ? day : CivilDate(monthNumber: month, day: 1)
            let at = CivilDateTime(date: near, millisecondOfDay: 0).localMilliseconds
            changes.append(
                ZoneHistory.Change(
                    fromInstant: at + Int64.random(in: -50_000_000...50_000_000, using: &self),
                    zone: zone()))
        }
        return ZoneHistory(initial: zone(), changes: changes)
    }

    private mutating func offset() -> Int {
        Int.random(in: -12 * 60...14 * 60, using: &self) * 60
    }
}
