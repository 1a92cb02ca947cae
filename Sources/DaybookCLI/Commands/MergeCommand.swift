import ArgumentParser
import Daybook
import DaybookEvents

struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Add up what folds came to, and show the whole.",
        discussion: """
            Reads the lines of "daybook fold" from files or from the standard input, in any order. Where cases are \
            missing, or were folded twice, it says so and exits with 3. The digest is that of "daybook replay", and \
            metrics, funnels and targets are those of "daybook metrics", "daybook funnel" and "daybook kpi" \
            (docs/scaling.md).

            --against compares with a ledger as it is known at the same position, by 256 sums over all customers; \
            exits with 1 when one differs, and names it.

              daybook merge --context cases/context.ndjson parts.ndjson
              daybook merge --context cases/context.ndjson --kpi --json parts.ndjson
              daybook merge --context cases/context.ndjson parts.ndjson \\
                --against mirror.sqlite
              daybook merge --part a.ndjson b.ndjson > ab.ndjson
            """)

    @Argument(help: "Files with parts; - or none: the standard input.")
    var files: [String] = []

    @Option(help: .value("file", "What \"daybook context\" wrote; by it the folds were made."))
    var context: String?

    @Flag(help: "Show the catalog's targets, as kpi does.")
    var kpi = false

    @Flag(help: "Write the sum as a part again, to be added to others.")
    var part = false

    @Option(help: .value("ledger", "Compare with this ledger, bucket by bucket."))
    var against: String?

    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        try require(
            (context == nil) == part,
            "Give the context to see the whole, or say --part for a sum that others are added to.")
        try require(!part || !kpi && against == nil, "--kpi and --against are of the whole.")
        try require(!kpi || against == nil, "Compare, or show the targets.")
    }

    mutating func run() async throws {
        let sum = try read()
        guard let context else { return try Terminal.output.write(bytes: sum.line + [0x0A]) }
        let zones = ZoneTables()
        let shared = try FoldContext(reading: try InputFile(context).context(), zones: zones)
        let whole = try FoldedWhole(shared, sum, zones: zones)
        if kpi { return try showTargets(whole) }
        var buckets: [Int]?
        if let against { buckets = try await differing(whole, from: against) }
        try show(whole, differing: buckets)
        if buckets?.isEmpty == false { throw ExitCode.no }
    }

    private func differing(_ whole: FoldedWhole, from path: String) async throws -> [Int] {
        try await LedgerOptions.using(try Ledger.open(path, readOnly: true)) { ledger in
            try ProgressBar.during("merge") { bar in
                try whole.differingBuckets(from: ledger) { bar.show($0, of: $1, note: "") }
            }
        }
    }

    /// - Parameter differing: The buckets that differ from those of a ledger; `nil`: there was none to compare with.
    private func show(_ whole: FoldedWhole, differing: [Int]?) throws {
        let (part, position) = (whole.part, whole.context.position)
        let metrics = try whole.metrics()
        let funnels = try whole.funnels()
        var json: JSONObject = [
            "digest": .string(part.digest.description), "events": .integer(part.eventCount),
            "cases": .integer(part.caseCount), "aggregates": .integer(part.aggregateCount),
            "position": .integer(position), "at": .integer(whole.context.at),
        ]
        json["metrics"] = metrics.map { .object($0.json) }
        if !funnels.isEmpty { json["funnels"] = .objects(funnels.map(\.json)) }
        if let differing {
            json["against"] = [
                "equal": .bool(differing.isEmpty), "buckets": .array(differing.map { .count($0) }),
            ]
        }
        try output.show(json) { terminal in
            let count =
                "\(Words.count(part.eventCount, "event")), \(Words.count(part.caseCount, "case")), \(Words.count(part.aggregateCount, "aggregate"))"
            var text: HumanText =
                "\(terminal.tick) \(count) as of position \(position)\n"
                + "  \(terminal.paint("digest", .dim))  \(part.digest)\n"
            if let differing {
                let found =
                    differing.isEmpty
                    ? "the ledger's at position \(position)"
                    : "\(terminal.paint("other sums", .bad)) in \(Words.count(differing.count, "bucket")) of 256: \(differing.map(String.init).joined(separator: ", "))"
                text += "  \(terminal.paint("is", .dim))      \(found)\n"
            }
            if let metrics { text += "\n" + MetricsText.text(metrics, terminal) }
            for funnel in funnels { text += "\n" + FunnelText(report: funnel).text(terminal) }
            return text
        }
    }

    private func showTargets(_ whole: FoldedWhole) throws {
        guard let board = try whole.kpis() else {
            throw Failure(.badInput, "no_metrics", "the parts have no metrics; fold with --kpi")
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
                do {
                    let part = try FoldedPart(reading: Array(line), number: index + 1)
                    if sum == nil { sum = part } else { try sum?.add(part) }
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
