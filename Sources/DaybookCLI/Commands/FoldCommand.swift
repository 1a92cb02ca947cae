import ArgumentParser
import Daybook
import DaybookDomain

struct FoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold",
        abstract: "Fold complete cases from the standard input to a part of the whole.",
        discussion: """
            A filter: lines of "daybook export --partitions" come in, the events of one case one after the other, and \
            one line goes out, with counts, the sum of the digests, and the sums behind the metrics and funnels that \
            are named. Memory is that of the context and the largest case, however many come. A case that is damaged \
            or not whole ends it with exit code 3 and the line; nothing is written then. The context says of which \
            moment it all is. "daybook merge" adds parts up (docs/scaling.md).

              daybook fold --context cases/context.ndjson < lines.ndjson
              cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson mrr
              cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson --kpi
              cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson \\
                --funnel paywall_to_purchase --funnel-by context
              ls cases/cases-*.ndjson | xargs -P 4 -I FILE \\
                sh -c 'daybook fold --context cases/context.ndjson mrr < FILE' > parts.ndjson

            Of funnels --from and --until say when the first step was taken; metrics take them as their periods.
            """)

    @Argument(help: "Metrics to compute; without any only the digest is.")
    var names: [String] = []

    @Flag(help: "Compute all metrics.")
    var all = false

    @Flag(help: "Compute the metrics of the newest catalog's targets.")
    var kpi = false

    @Option(
        name: .customLong("funnel"),
        help: .value("name", "Count a funnel of the catalog; may be repeated."))
    var funnels: [String] = []

    @Option(
        name: .customLong("funnel-by"), help: "Count the funnels separately by this.")
    var breakdown = FunnelBreakdown.none

    @Option(
        name: .customLong("funnel-experiment"),
        help: .value(
            "name",
            "With --funnel-by variant: the experiment. Default: what the catalog names, else the events' own variants."
        ))
    var funnelExperiment: String?

    @Option(help: .value("file", "What \"daybook context\" wrote."))
    var context: String

    @OptionGroup var metrics: MetricRulesOptions
    @OptionGroup var exposure: ExposureOptions
    @OptionGroup var funnelRules: FunnelRulesOptions

    @Flag(help: "Write errors as JSON, too.")
    var json = false

    mutating func validate() throws {
        try require(
            [all, kpi, !names.isEmpty].count(where: { $0 }) <= 1,
            "Name metrics, or say --all, or --kpi.")
        guard
            !funnels.isEmpty
                || !funnelRules.isAsked && breakdown == .none && funnelExperiment == nil
        else { throw ValidationError("How funnels are counted goes with --funnel.") }
        try require(
            funnelExperiment == nil || breakdown == .variant,
            "An experiment has variants; write --funnel-by variant beside it.")
        try require(
            funnelRules.touch == .first || breakdown != .none,
            "Without --funnel-by there is nothing to tell apart; write it.")
        let isMeasuring = all || kpi || !names.isEmpty
        try require(
            isMeasuring || exposure.experiment == nil && metrics.product.isEmpty,
            "--experiment, --variant and --product are of metrics; name some. Of funnels: --funnel-by and --funnel-experiment."
        )
        try require(
            funnels.isEmpty || metrics.period == nil,
            "With funnels write --from and --until in place of --period.")
    }

    mutating func run() async throws {
        let zones = ZoneTables()
        let context = try FoldContext(reading: try InputFile(context).context(), zones: zones)
        var questions = FoldQuestions()
        if all || kpi || !names.isEmpty {
            var request = try metrics.request(names, exposure)
            if kpi { request.metrics = try FoldedWhole.targets(of: context, zones: zones) }
            questions.metrics = request
        }
        questions.funnels = try funnels.map(funnel)
        var fold = try CaseFold(context, questions, zones: zones)
        let input = try InputFile("-")
        while let piece = try input.next() { try fold.take(piece) }
        try Terminal.output.write(bytes: try fold.finish().line + [0x0A])
    }

    private func funnel(_ name: String) throws -> FunnelRequest {
        var request = FunnelRequest(
            name, by: breakdown, experiment: funnelExperiment,
            environment: metrics.environment.environment)
        (request.from, request.until) = try InstantText.span(
            from: metrics.from, until: metrics.until)
        request.filter = try metrics.customers.filter()
        try funnelRules.apply(to: &request)
        return request
    }
}

extension InputFile {
    /// A whole context: far larger than any that was seen, and no more than fits into memory.
    func context() throws -> [UInt8] { try all(byteCountMax: 1 << 30) }
}
