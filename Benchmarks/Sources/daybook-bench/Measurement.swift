import Foundation

/// What one sample found out, as lines of a name and a number: the words of both programs.
struct Measurement {
    private(set) var values: [String: Double] = [:]

    init() {}

    init(lines: String) {
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let value = Double(parts[1]) else { continue }
            values[String(parts[0])] = value
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

    /// Events per second, for whoever counted events.
    var rate: Double { self["events"] / self["seconds"] }

    /// How fast the last fifth of an append was, in terms of its first.
    var lastFifthOfFirst: Double { self["first_fifth_seconds"] / self["last_fifth_seconds"] }

    mutating func noteFile(_ path: String) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        self["file_bytes"] = (attributes[.size] as? NSNumber)?.doubleValue ?? .nan
    }

    /// The kernel's high-water mark of this program alone; `getrusage` would count whoever started
    /// it too.
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
