public import DaybookDomain
import Foundation
import Synchronization

/// The time zones that the host knows, as plain tables for the domain.
///
/// A table is built once in a process, in a few milliseconds, and kept: the host's database is the same for all of it.
/// It holds the offsets from 1970 to 2100; before and after, the nearest offset stays.
///
/// The offsets are sampled, and each change is bisected to its second. Foundation's search for the
/// next daylight-saving transition was rejected: it need not report a change of the standard
/// offset, such as Apia's move over the date line, and it does not do so alike on all platforms.
public final class ZoneTables: Sendable {
    private static let tables = Mutex<[String: ZoneTable]>([:])

    /// The tables kept, which is more than the names that exist (about 600).
    private static let tableCountMax = 1_024

    /// The longest name asked for; the longest that exists has 32 bytes.
    private static let nameByteCountMax = 64

    /// All have the same tables.
    public init() {}

    /// Finds the table of a time zone.
    ///
    /// - Parameter name: As in the IANA database, such as `Europe/Amsterdam` or `UTC`; case
    ///   matters. Abbreviations such as `PST` and made-up zones such as `GMT+5` are no names.
    /// - Returns: `nil` when the host does not know the name.
    /// - Complexity: One look-up under a lock; the first time a few milliseconds, outside the lock.
    public func table(named name: String) -> ZoneTable? {
        if let known = Self.tables.withLock({ $0[name] }) { return known }
        guard Self.isWellFormed(name), let zone = TimeZone(identifier: name) else { return nil }
        let built = Self.build(name: name, from: zone)
        // Two callers may build the same table at once. Both get equal values, and no caller waits
        // for another while a table is being built.
        Self.tables.withLock { known in
            if known.count < Self.tableCountMax { known[name] = built }
        }
        return built
    }

    /// The case with the zones that its customer lived in, also those that were named a moment ago and are not
    /// committed yet.
    package func completing(_ question: CustomerCase) -> CustomerCase {
        var zones = question.zones
        var isComplete = true
        for change in question.zonesTold {
            let name = question.names[change.zone]
            guard !zones.contains(name), let table = table(named: name) else { continue }
            zones.add(table, named: name)
            isComplete = false
        }
        return isComplete ? question : question.with(zones: zones)
    }

    /// The zones as the reader of catalogs asks for them.
    public var directory: ZoneDirectory {
        ZoneDirectory(
            exists: { self.table(named: $0) != nil }, names: { TimeZone.knownTimeZoneIdentifiers })
    }

    /// Foundation alone is too kind: it resolves abbreviations, and a name with a NUL byte becomes
    /// GMT.
    private static func isWellFormed(_ name: String) -> Bool {
        guard name.utf8.count <= nameByteCountMax,
            name.utf8.allSatisfy({ isLetterOrDigit($0) || "/_+-".utf8.contains($0) })
        else { return false }
        return name.utf8.contains(UInt8(ascii: "/")) || namesWithoutArea.contains(name)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// The names of the IANA database that have no area before a slash.
    private static let namesWithoutArea: Set<String> = [
        "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT",
        "GMT+0", "GMT-0", "GMT0", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel",
        "Jamaica", "Japan", "Kwajalein", "Libya", "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT",
        "Navajo",
        "PRC", "PST8PDT", "Poland", "Portugal", "ROC", "ROK", "Singapore", "Turkey", "UCT", "UTC",
        "Universal", "W-SU", "WET", "Zulu",
    ]
}

extension ZoneTables {
    /// The seconds since 1970 that tables cover: to 2100-01-01T00:00:00Z.
    private static let seconds = 0...4_102_444_800

    /// Three days. The closest changes since 1970 are a week apart (Gaza, Recife in 2000), and two
    /// within one step that cancel each other would go unseen.
    private static let stepSeconds = 259_200

    private static func build(name: String, from zone: TimeZone) -> ZoneTable {
        var transitions: [ZoneTable.Transition] = []
        let initialOffset = offset(of: zone, at: seconds.lowerBound)
        var earlier = seconds.lowerBound
        var earlierOffset = initialOffset
        while earlier < seconds.upperBound {
            let later = min(earlier + stepSeconds, seconds.upperBound)
            let laterOffset = offset(of: zone, at: later)
            while earlierOffset != laterOffset {
                earlier = firstChange(of: zone, after: earlier, through: later)
                earlierOffset = offset(of: zone, at: earlier)
                transitions.append(
                    ZoneTable.Transition(
                        instant: Int64(earlier) * 1_000, offsetSeconds: earlierOffset))
            }
            earlier = later
        }
        return ZoneTable(
            name: name, initialOffsetSeconds: initialOffset, transitions: transitions)
    }

    /// Bisects to the first second with another offset than `earlier` has; `later` must have
    /// another.
    private static func firstChange(
        of zone: TimeZone, after earlier: Int, through later: Int
    ) -> Int {
        let before = offset(of: zone, at: earlier)
        var low = earlier
        var high = later
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(of: zone, at: middle) == before {
                low = middle
            } else {
                high = middle
            }
        }
        return high
    }

    private static func offset(of zone: TimeZone, at second: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
    }
}
