import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct FoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold",
        abstract: "Fold complete cases from the standard input to a part of the whole.",
        discussion: """
            A filter: lines of "daybook export --partitions" come in, the events of one case one after the other, and \
            one line goes out, with counts, the sum of the digests, and the sums behind the metrics that are named. \
            Memory stays the same, whatever comes. A case that is damaged or not whole ends it with exit code 3 and \
            the line; nothing is written then. The context says of which moment it all is. "daybook merge" adds \
            parts up (docs/scaling.md).

              daybook fold --context cases/context.ndjson < lines.ndjson
              cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson mrr
              cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson --kpi
              ls cases/cases-*.ndjson | xargs -P 4 -I FILE \
                sh -c 'daybook fold --context cases/context.ndjson mrr < FILE' > parts.ndjson
            """)

    @Argument(help: "Metrics to compute; without any only the digest is.")
    var names: [String] = []

    @Flag(help: "Compute all metrics.")
    var all = false

    @Flag(help: "Compute the metrics of the newest catalog's targets.")
    var kpi = false

    @Option(
        help: ArgumentHelp("What \"daybook context\" wrote.", valueName: "file"))
    var context: String

    @OptionGroup var metrics: MetricRulesOptions
    @OptionGroup var exposure: ExposureOptions

    @Flag(help: "Write errors as JSON, too.")
    var json = false

    mutating func validate() throws {
        guard [all, kpi, !names.isEmpty].count(where: { $0 }) <= 1 else {
            throw ValidationError("Name metrics, or say --all, or --kpi.")
        }
    }

    mutating func run() async throws {
        let zones = ZoneTables()
        let context = try FoldContext(reading: try InputFile(context).all(), zones: zones)
        var request = try metrics.request(names, exposure)
        if kpi { request.metrics = try await FoldedWhole.targets(of: context, zones: zones) }
        var fold = try await CaseFold(
            context, metrics: all || kpi || !names.isEmpty ? request : nil, zones: zones)
        let input = try InputFile("-")
        while let piece = try input.next() { try await fold.take(piece) }
        try Terminal.output.write(bytes: try await fold.finish().line + [0x0A])
    }
}
