import DaybookFixtures
import Foundation

/// Measures Daybook beside raw C and a peer on the same events. `Benchmarks/run` builds all of them and calls this.
///
/// ```
/// daybook-bench run RAW FOLDER RESULTS SWIFT_VERSION THRESHOLDS PYTHON PEER SERVER WRK SCRIPT \
///   [--quick | --topic TITLE]
/// daybook-bench serve-bare CHECK CONSUME
/// daybook-bench serve-least CHECK CONSUME KEY FILE CUSTOMERS
/// daybook-bench sample NAME FILE [WORD …] [NUMBER …]
/// ```
/// PYTHON and WRK are `-` where there is none.
@main
struct Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "run" where arguments.count == 11: try run(arguments, .full)
            case "run" where arguments.count == 12 && arguments[11] == "--quick":
                try run(arguments, .quick)
            case "run" where arguments.count == 13 && arguments[11] == "--topic":
                try run(arguments, topic: arguments[12])
            case "serve-bare" where arguments.count == 3:
                serve { try await BareServer.run(check: arguments[1], consume: arguments[2]) }
            case "serve-least" where arguments.count == 6:
                guard let customers = Int(arguments[5]), customers > 0 else {
                    throw BenchmarkError("\(arguments[5]) is no number of customers")
                }
                serve {
                    try await LeastServer.run(
                        check: arguments[1], consume: arguments[2], key: arguments[3],
                        file: arguments[4], customers: customers)
                }
            case "sample" where arguments.count >= 3: try sample(arguments)
            default:
                throw BenchmarkError(
                    "call Benchmarks/run [--quick | --topic TITLE]")
            }
        } catch {
            fail(error)
        }
    }

    private static func sample(_ arguments: [String]) throws {
        let (name, path) = (arguments[1], arguments[2])
        let samples = Samples(path: path, arguments: Array(arguments.dropFirst(3)))
        // In the main thread alone: valgrind does not survive that this thread ends before the others.
        if let measurement = try samples.runAlone(name) { return print(measurement.lines) }
        Task {
            do {
                print(try await samples.run(name).lines)
                exit(0)
            } catch {
                fail(error)
            }
        }
        dispatchMain()
    }

    private static func serve(_ body: @escaping @Sendable () async throws -> Void) -> Never {
        Task {
            do {
                try await body()
                exit(0)
            } catch {
                fail(error)
            }
        }
        dispatchMain()
    }

    private static func fail(_ error: any Error) -> Never {
        if let skipped = error as? Skipped {
            print("skipped \(skipped.reason)")
            exit(0)
        }
        say("daybook-bench: \(error)")
        exit(1)
    }

    private static func benchmark(_ arguments: [String], _ scale: Scale) throws -> Benchmark {
        let programs = Programs(
            raw: arguments[1], ours: try ownPath(), server: arguments[8],
            wrk: arguments[9] == "-" ? nil : arguments[9], script: arguments[10],
            peer: arguments[6] == "-" ? nil : (arguments[6], arguments[7]), folder: arguments[2],
            deadline: .now + .seconds(scale.seconds))
        return Benchmark(
            scale: scale, programs: programs,
            thresholds: try InstructionCount.thresholds(arguments[5]), progress: say)
    }

    /// Measures one topic, and puts it into the place of its section, or behind all others.
    private static func run(_ arguments: [String], topic title: String) throws {
        let (section, hasFailed) = try benchmark(arguments, .full).run(topic: title)
        let heading = "## \(title)\n"
        let dated = section.replacingOccurrences(
            of: heading, with: "\(heading)\nMeasured by itself, \(Machine.date).\n")
        let text = try String(contentsOfFile: arguments[3], encoding: .utf8)
        var parts = text.components(separatedBy: "\n## ")
        let own = String(dated.dropFirst("## ".count))
        if let index = parts.firstIndex(where: { $0.hasPrefix(title + "\n") }) {
            parts[index] = own
        } else {
            parts.append(own)
        }
        try parts.joined(separator: "\n## ")
            .write(toFile: arguments[3], atomically: true, encoding: .utf8)
        print(dated)
        if hasFailed { throw BenchmarkError("a line failed; see \(arguments[3])") }
    }

    private static func run(_ arguments: [String], _ scale: Scale) throws {
        let start = ContinuousClock.now
        let benchmark = try benchmark(arguments, scale)
        let programs = benchmark.programs
        let sqlite = try programs.version(programs.raw, "version")
        let peer = try programs.peer.map {
            "Python eventsourcing \(try programs.version($0.python, "-B", $0.program, "version"))"
        }
        let (tables, hasFailed) = try benchmark.run()
        let command = scale.rounds == Scale.quick.rounds ? "make bench QUICK=1" : "make bench"
        let minutes = Figure.decimal(start.secondsSince / 60, 0)
        let head = """
            # Results

            Written by `\(command)`; do not edit.

            - \(Machine.processor), \(Machine.memory), \(Machine.system)
            - \(arguments[4]); SQLite \(sqlite); cc -O2; \(peer ?? "no Python eventsourcing")
            - \(Machine.date), \(minutes) \(minutes == "1" ? "minute" : "minutes")
            - Medians of \(scale.rounds) rounds, every line in a process of its own, all lines of a \
            table in turn. A ratio is the median of the ratios within a round.
            - In every round a digest over all columns shows that raw C and SQLiteEventStore wrote \
            the same rows.
            """
        let text = head + "\n\n" + tables
        try text.write(toFile: arguments[3], atomically: true, encoding: .utf8)
        print(text)
        if hasFailed { throw BenchmarkError("a line failed; see \(arguments[3])") }
    }

    private static func ownPath() throws -> String {
        guard let path = Bundle.main.executablePath else {
            throw BenchmarkError("the program cannot tell where it is")
        }
        return path
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
