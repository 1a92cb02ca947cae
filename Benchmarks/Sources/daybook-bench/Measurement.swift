import Foundation

/// What one sample found out, as lines of a name and a number: the words of both programs.
struct Measurement {
    private(set) var values: [String: Double] = [:]
    /// What was asked for and is not among the values.
    var omissions: [Omission] = []

    init() {}

    init(lines: String) {
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let value = Double(parts[1]) else { continue }
            values[String(parts[0])] = value
        }
    }

    /// The median of each value.
    init(medianOf samples: [Measurement]) {
        for name in Set(samples.flatMap(\.values.keys)) {
            values[name] = Statistics.median(samples.map { $0[name] })
        }
    }

    subscript(name: String) -> Double {
        get { values[name] ?? .nan }
        set { values[name] = newValue }
    }

    var lines: String {
        values.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            .joined(separator: "\n")
    }

    /// Events per second, of a sample that counted events.
    var rate: Double { self["events"] / self["seconds"] }

    /// How fast the last fifth of an append was, in terms of its first.
    var lastFifthOfFirst: Double { self["first_fifth_seconds"] / self["last_fifth_seconds"] }

    /// Takes the values of another sample, under names of their own.
    mutating func take(_ other: Measurement, as prefix: String) {
        for (name, value) in other.values { values[prefix + name] = value }
        values[prefix + "rate"] = other.rate
    }

    /// The sizes of what is derived from a ledger's file and lies beside it.
    mutating func noteDerived(_ path: String) throws {
        for kind in DerivedKind.allCases {
            let files = try kind.files(of: path)
            self[kind.valueName] = try files.reduce(0) { try $0 + Self.byteCount($1) }
        }
    }

    /// Printed so that no compiler may leave a loop out; cut so that a double holds it.
    mutating func note(sum: UInt64) { self["sum"] = Double(sum & 0xFFFF_FFFF) }

    mutating func noteFile(_ path: String) throws {
        self["file_bytes"] = try Self.byteCount(path)
    }

    private static func byteCount(_ path: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? NSNumber)?.doubleValue ?? .nan
    }

    /// The kernel's high-water mark of this program alone; `getrusage` would count the program that started it too.
    mutating func notePeakMemory() {
        let text = Machine.value("VmHWM", in: "/proc/self/status")?.split(separator: " ").first
        self["peak_bytes"] = text.flatMap { Double($0) }.map { $0 * 1_024 } ?? .nan
    }
}

/// Adds up what was timed, and keeps the fifths of the work apart.
struct Stopwatch {
    private let total: Int
    private var fifths = [Double](repeating: 0, count: 5)

    /// - Parameter total: How many events there will be in all.
    init(total: Int) { self.total = total }

    mutating func time<Result>(from index: Int, _ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        defer { fifths[index * 5 / total] += start.secondsSince }
        return try body()
    }

    mutating func add(from index: Int, since start: ContinuousClock.Instant) {
        fifths[index * 5 / total] += start.secondsSince
    }

    func note(in measurement: inout Measurement) {
        measurement["seconds"] = fifths.reduce(0, +)
        measurement["events"] = Double(total)
        measurement["first_fifth_seconds"] = fifths[0]
        measurement["last_fifth_seconds"] = fifths[4]
    }
}

extension ContinuousClock.Instant {
    var secondsSince: Double { (ContinuousClock.now - self) / .seconds(1) }
}
