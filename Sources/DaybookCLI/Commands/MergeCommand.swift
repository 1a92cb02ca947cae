import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Add up what folds came to, and show the whole.",
        discussion: """
            Reads the lines of "daybook fold" from files or from the standard input, in any order. Where cases are \
            missing, or were folded twice, it says so and exits with 3. The digest is that of "daybook replay", and \
            metrics and targets are those of "daybook metrics" and "daybook kpi" (docs/scaling.md).

              daybook merge --context cases/context.ndjson parts.ndjson
              daybook merge --context cases/context.ndjson --kpi --json parts.ndjson
              daybook merge --part a.ndjson b.ndjson > ab.ndjson
            """)

    @Argument(help: "Files with parts; - or none: the standard input.")
    var files: [String] = []

    @Option(
        help: ArgumentHelp(
            "What \"daybook context\" wrote; by it the folds were made.", valueName: "file"))
    var context: String?

    @Flag(help: "Show the catalog's targets, as kpi does.")
    var kpi = false

    @Flag(help: "Write the sum as a part again, to be added to others.")
    var part = false

    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        guard (context == nil) == part else {
            throw ValidationError(
                "Give the context to see the whole, or say --part for a sum that others are added to."
            )
        }
        guard !part || !kpi else { throw ValidationError("--kpi shows the whole.") }
    }

    mutating func run() async throws {
        let sum = try read()
        guard let context else { return try Terminal.output.write(bytes: sum.line + [0x0A]) }
        let zones = ZoneTables()
        let shared = try FoldContext(reading: try InputFile(context).all(), zones: zones)
        let whole = try FoldedWhole(shared, sum, zones: zones)
        if kpi { return try await showTargets(whole) }
        let metrics = try await whole.metrics()
        let part = whole.part
        var json: JSONObject = [
            "digest": .string(part.digest.description), "events": .integer(part.eventCount),
            "cases": .integer(part.caseCount), "aggregates": .integer(part.aggregateCount),
            "position": .integer(shared.position), "at": .integer(shared.at),
        ]
        json["metrics"] = metrics.map { .object($0.json) }
        try output.show(json) { terminal in
            let count =
                "\(Words.count(part.eventCount, "event")), \(Words.count(part.caseCount, "case")), \(Words.count(part.aggregateCount, "aggregate"))"
            return "\(terminal.tick) \(count) as of position \(shared.position)\n"
                + "  \(terminal.paint("digest", .dim))  \(part.digest)\n"
                + (metrics.map { "\n" + MetricsText.text($0, terminal) } ?? "")
        }
    }

    private func showTargets(_ whole: FoldedWhole) async throws {
        guard let board = try await whole.kpis() else {
            throw Failure(
                .badInput, "no_metrics", "the parts have no metrics; fold with --kpi")
        }
        try output.show(board.json) { MetricsText.text(board, $0) }
        if board.rows.contains(where: { $0.isMet == false }) { throw ExitCode.no }
    }

    /// Adds up all lines.
    private func read() throws -> FoldedPart {
        var sum: FoldedPart?
        for path in files.isEmpty ? ["-"] : files {
            let bytes = try InputFile(path).all(byteCountMax: 1 << 30)
            for (index, line) in bytes.split(separator: 0x0A).enumerated() {
                let part: FoldedPart
                do {
                    part = try FoldedPart(reading: Array(line), number: index + 1)
                    guard sum != nil else {
                        sum = part
                        continue
                    }
                    try sum?.add(part)
                } catch LedgerError.badInput(let problems) {
                    throw Failure(
                        .badInput, problems.first?.code ?? "damaged_part",
                        "\(path), line \(index + 1): \(problems.first?.reason ?? "")")
                }
            }
        }
        guard let sum else {
            throw Failure(.badInput, "no_parts", "there is no part to add up")
        }
        return sum
    }
}
