/// The offsets of one time zone from UTC, as a plain value.
///
/// The domain cannot ask an operating system for time zones: that costs microseconds, locks a cache
/// and differs between platforms. The caller builds these tables once and passes them in
/// (rule 31).
public struct ZoneTable: Sendable, Equatable {
    /// The name in the IANA time zone database, such as `Europe/Amsterdam`.
    public let name: String

    /// The offset before the first transition, in seconds east of UTC, within ±86,399.
    public let initialOffsetSeconds: Int

    /// The changes of the offset, ascending by instant, each to another offset than before it.
    public let transitions: [Transition]

    /// A number that two tables share only if name and offsets agree, the same on every platform.
    ///
    /// FNV-1a, 64 bits. It tells two releases of the time zone database apart; it is no protection
    /// against an attacker who wants two tables to collide.
    public let digest: UInt64

    /// A change of the offset from UTC.
    public struct Transition: Sendable, Hashable {
        /// The first instant at which the new offset is in force, in milliseconds since 1970 UTC.
        public let instant: Int64

        /// The new offset, in seconds east of UTC.
        public let offsetSeconds: Int

        /// Makes a change of the offset at an instant.
        public init(instant: Int64, offsetSeconds: Int) {
            self.instant = instant
            self.offsetSeconds = offsetSeconds
        }
    }

    /// Coordinated universal time: offset zero, for ever.
    public static let utc = ZoneTable(name: "UTC", initialOffsetSeconds: 0)

    /// Makes a table, bringing the transitions into their canonical form.
    ///
    /// Equal zones become equal tables: transitions are sorted, of several at one instant the last
    /// given stays, and those that change nothing are left out.
    /// - Parameters:
    ///   - initialOffsetSeconds: Seconds east of UTC. Offsets are confined to ±86,399, less than a
    ///     day.
    ///   - transitions: In any order.
    /// - Complexity: O(*n* log *n*) in the number of transitions.
    public init(name: String, initialOffsetSeconds: Int, transitions: [Transition] = []) {
        let initialOffset = initialOffsetSeconds.confined(to: Self.offsets)
        let canonical = Self.canonical(transitions, after: initialOffset)
        self.name = name
        self.initialOffsetSeconds = initialOffset
        self.transitions = canonical
        self.digest = Self.digest(name: name, initialOffset: initialOffset, transitions: canonical)
    }

    private static func canonical(
        _ transitions: [Transition], after initialOffset: Int
    ) -> [Transition] {
        let sorted = transitions.enumerated().sorted {
            ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset)
        }
        var result: [Transition] = []
        result.reserveCapacity(sorted.count)
        for (_, transition) in sorted {
            let offset = transition.offsetSeconds.confined(to: offsets)
            if result.last?.instant == transition.instant { result.removeLast() }
            guard offset != result.last?.offsetSeconds ?? initialOffset else { continue }
            result.append(Transition(instant: transition.instant, offsetSeconds: offset))
        }
        return result
    }

    private static func digest(
        name: String, initialOffset: Int, transitions: [Transition]
    ) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(byte: UInt8) {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        func mix(number: Int64) {
            // The lowest byte first.
            for shift in stride(from: 0, to: 64, by: 8) {
                mix(byte: UInt8(truncatingIfNeeded: number >> Int64(shift)))
            }
        }
        for byte in name.utf8 { mix(byte: byte) }
        // No byte of UTF-8 is 0xFF: it ends the name, so that no name can swallow a number.
        mix(byte: 0xff)
        mix(number: Int64(initialOffset))
        for transition in transitions {
            mix(number: transition.instant)
            mix(number: Int64(transition.offsetSeconds))
        }
        return hash
    }

    private static var offsets: ClosedRange<Int> { -86_399...86_399 }
}
