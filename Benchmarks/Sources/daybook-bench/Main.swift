import Foundation

/// Measures Daybook beside raw C on the same rows. `Benchmarks/run` builds both and calls this.
///
/// ```
/// daybook-bench run RAW FOLDER RESULTS SWIFT_VERSION [--quick]
/// daybook-bench sample NAME FILE [NUMBER …]
/// ```
@main
struct Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "run" where arguments.count == 5: try run(arguments, isQuick: false)
            case "run" where arguments.count == 6 && arguments[5] == "--quick":
                try run(arguments, isQuick: true)
            case "sample" where arguments.count >= 3:
                let numbers = arguments.dropFirst(3).compactMap { Int($0) }
                let samples = Samples(path: arguments[2], numbers: numbers)
                print(try await samples.run(arguments[1]).lines)
            default: throw BenchmarkError("call Benchmarks/run [--quick]")
            }
        } catch {
            say("daybook-bench: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String], isQuick: Bool) throws {
        guard let ours = Bundle.main.executablePath else {
            throw BenchmarkError("the program cannot tell where it is")
        }
        let programs = Programs(raw: arguments[1], ours: ours, folder: arguments[2])
        let scale: Scale = isQuick ? .quick : .full
        let benchmark = Benchmark(scale: scale, programs: programs, progress: say)
        let tables = try benchmark.run().map(\.text).joined(separator: "\n")
        let command = isQuick ? "make bench QUICK=1" : "make bench"
        let head = """
            # Results

            Written by `\(command)`; do not edit.

            - \(Machine.processor), \(Machine.memory), \(Machine.system)
            - \(arguments[4]); SQLite \(try programs.sqliteVersion()); cc -O2
            - \(Machine.date)
            - Medians of \(scale.rounds) rounds, every line in a process of its own, all lines of a \
            table in turn. A ratio is the median of the ratios within a round.
            - Before anything is compared, a digest over all columns shows that raw C and \
            SQLiteEventStore wrote the same rows.
            """
        let text = head + "\n\n" + tables
        try text.write(toFile: arguments[3], atomically: true, encoding: .utf8)
        print(text)
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
