// Format (RFC 3339 §5.6), one ASCII character per byte:
//
//     YYYY-MM-DDThh:mm:ss[.f...](Z|+hh:mm|-hh:mm)
//
// Valid when the day exists, hh is 00...23, mm and ss are 00...59, a fraction has at least one
// digit, and nothing follows the offset. `T` and `Z` may be lower case. A leap second (ss = 60) is
// refused: POSIX time has no such moment (E73), and moving it to a neighbour would invent an order
// of events. A time without an offset is refused: it names no instant.

/// Reads and writes instants as the internet writes them.
public enum RFC3339 {
    /// Reads an instant from its text.
    ///
    /// - Parameter text: With an offset. A fraction has one to three digits: the ledger counts
    ///   milliseconds, and a finer time would come out as another one.
    /// - Returns: Milliseconds since 1970 UTC, or `nil` when the text is not of the format.
    public static func parse(_ text: String) -> Int64? {
        var reader = Reader(text)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"),
            let second = reader.number(digits: 2), let millisecond = reader.fraction(),
            let offsetMinutes = reader.offsetMinutes(), reader.isAtEnd,
            let civil = CivilDateTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                millisecond: millisecond)
        else { return nil }
        return civil.localMilliseconds - Int64(offsetMinutes) * millisecondsPerMinute
    }

    /// Writes an instant in UTC, such as `2026-03-01T00:00:00Z`.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC, confined to the years -9999...9999. A year
    ///   before 0 has a minus sign, which readers of RFC 3339 refuse.
    /// - Returns: With a fraction of three digits when the milliseconds are not zero.
    public static func format(_ instant: Int64) -> String {
        ASCIIWriter.text {
            $0.append(CivilDateTime(localMilliseconds: instant))
            $0.append("Z")
        }
    }

    /// Writes an instant as the wall clock of a zone shows it, such as `2026-03-01T01:00:00+01:00`.
    ///
    /// The text names the same instant as the one in UTC. Offsets with seconds (before 1972) cannot
    /// be written; they are cut to whole minutes, and the wall clock is moved along.
    /// - Parameter instant: As for the text in UTC.
    public static func format(_ instant: Int64, in zone: ZoneTable) -> String {
        let confined = instant.confined(to: CivilDateTime.localMilliseconds)
        let minutes = Int(zone.offsetMilliseconds(at: instant) / millisecondsPerMinute)
        let local = confined + Int64(minutes) * millisecondsPerMinute
        return ASCIIWriter.text {
            $0.append(CivilDateTime(localMilliseconds: local))
            $0.append(minutes < 0 ? "-" : "+")
            $0.append(abs(minutes) / 60, digits: 2)
            $0.append(":")
            $0.append(abs(minutes) % 60, digits: 2)
        }
    }

    private static var millisecondsPerMinute: Int64 { 60_000 }
}

extension RFC3339 {
    /// Takes a text apart, one byte after the other.
    private struct Reader {
        private var bytes: String.UTF8View.Iterator
        private var current: UInt8?

        init(_ text: String) {
            bytes = text.utf8.makeIterator()
            current = bytes.next()
        }

        var isAtEnd: Bool { current == nil }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard current == UInt8(ascii: character) else { return false }
            current = bytes.next()
            return true
        }

        mutating func number(digits: Int) -> Int? {
            var number = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// Reads an optional fraction as milliseconds: 0 without one, nothing for a lone point or
        /// more than three digits.
        mutating func fraction() -> Int? {
            guard skip(".") else { return 0 }
            guard let first = digit() else { return nil }
            var milliseconds = first * 100
            var weight = 10
            while let digit = digit() {
                guard weight > 0 else { return nil }
                milliseconds += digit * weight
                weight /= 10
            }
            return milliseconds
        }

        mutating func offsetMinutes() -> Int? {
            if skip("Z") || skip("z") { return 0 }
            let isNegative = skip("-")
            guard isNegative || skip("+"), let hours = number(digits: 2), hours <= 23, skip(":"),
                let minutes = number(digits: 2), minutes <= 59
            else { return nil }
            return (isNegative ? -1 : 1) * (hours * 60 + minutes)
        }

        private mutating func digit() -> Int? {
            guard let byte = current, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else {
                return nil
            }
            current = bytes.next()
            return Int(byte - UInt8(ascii: "0"))
        }
    }
}

extension ASCIIWriter {
    /// Appends date and time of day, with milliseconds only when they are not zero.
    fileprivate mutating func append(_ civil: CivilDateTime) {
        let seconds = civil.millisecondOfDay / 1_000
        append(yearAndMonthOf: civil.date)
        append("-")
        append(civil.date.day, digits: 2)
        append("T")
        append(seconds / 3_600, digits: 2)
        append(":")
        append(seconds / 60 % 60, digits: 2)
        append(":")
        append(seconds % 60, digits: 2)
        let milliseconds = civil.millisecondOfDay % 1_000
        guard milliseconds != 0 else { return }
        append(".")
        append(milliseconds, digits: 3)
    }
}
