import Foundation

/// How many instructions the fold takes: the same on every run, which seconds are not.
///
/// `Benchmarks/instructions.txt` keeps them: lines of a sample's name, instructions per event, and by how many per
/// cent more may be measured.
struct Instructions {
    struct Threshold {
        var name: String
        var instructions: Double
        var tolerancePercent: Double

        var limit: Double { instructions * (1 + tolerancePercent / 100) }
    }

    /// What is counted, and how much of it.
    private static let arguments = ["fold": ["20000", "2000"], "fold-month": ["100"]]

    static func thresholds(_ path: String) throws -> [Threshold] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " ")
            guard parts.count == 3, let instructions = Double(parts[1]),
                let tolerance = Double(parts[2])
            else { throw BenchmarkError("\(path): \"\(line)\" is no name and two numbers") }
            return Threshold(
                name: String(parts[0]), instructions: instructions, tolerancePercent: tolerance)
        }
    }

    /// The difference between four passes and one, so that neither the start of the program nor the making of the
    /// events counts.
    static func perEvent(_ name: String, ours: String) throws -> Double {
        // Valgrind cannot read the newest debugging information, and needs none.
        let bare = ours + "-bare"
        let (stripping, _) = try run(["strip", "--strip-debug", "-o", bare, ours])
        guard stripping == 0 else { throw Skipped(reason: "there is no strip") }
        let (few, many) = (try counted(name, 1, bare), try counted(name, 4, bare))
        return (many.instructions - few.instructions) / (many.events - few.events)
    }

    private static func counted(
        _ name: String, _ passes: Int, _ ours: String
    ) throws -> (instructions: Double, events: Double) {
        guard let arguments = arguments[name] else {
            throw BenchmarkError("there is no sample \(name) whose instructions are counted")
        }
        let (status, text) = try run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", ours, "sample"]
                + [name, "-"] + arguments + [String(passes)])
        let notFound: Int32 = 127
        guard status != notFound else { throw Skipped(reason: "there is no valgrind") }
        guard status == 0, let mark = text.range(of: "Collected :"),
            let count = text[mark.upperBound...].split(whereSeparator: \.isWhitespace).first,
            let instructions = Double(count)
        else { throw BenchmarkError("valgrind did not count the instructions of \(name)") }
        return (instructions, Measurement(lines: text)["events"])
    }

    /// - Returns: What a tool of the machine ended with, and all that it said.
    private static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        // Else sets and dictionaries differ from run to run, and with them the count by some per cent.
        process.environment = ProcessInfo.processInfo.environment.merging([
            "SWIFT_DETERMINISTIC_HASHING": "1"
        ]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}

extension Benchmark {
    var instructions: Topic {
        let ways = thresholds.map { threshold in
            Comparison.Way(threshold.name, roundMax: 1) {
                var measurement = Measurement()
                measurement["instructions"] = try Instructions.perEvent(
                    threshold.name, ours: programs.ours)
                return measurement
            }
        }
        return Topic(
            "Instructions",
            note: """
                Counted by valgrind --tool=callgrind; the targets are Benchmarks/instructions.txt \
                with its tolerance, and `Benchmarks/run --instructions` fails above them.
                """,
            share: 0.03, ways: ways,
            tables: [[.value("instructions/event", 1) { $0["instructions"] }]],
            goals: thresholds.map { threshold in
                Goal(
                    "\(threshold.name), instructions per event", .atMost, threshold.limit, places: 1
                ) { comparison in
                    Statistics.median(comparison[threshold.name].map { $0["instructions"] })
                }
            })
    }
}
