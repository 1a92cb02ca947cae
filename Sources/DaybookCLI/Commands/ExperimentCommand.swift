import ArgumentParser
import Daybook

struct ExperimentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "experiment",
        abstract: "Compare what became of those who saw each variant of an experiment.",
        discussion: """
            A customer is of the variant that was seen first, also one who saw another later, and counts from then on. \
            Each share has the interval in which the true one lies 19 times of 20.

              daybook experiment paywall_copy
              daybook experiment paywall_copy --metric initial_conversion_7d
              daybook experiment paywall_copy --detect 25 --json
            """)

    @Argument(help: "The experiment.")
    var name: String

    @Option(help: "A metric that is a part of those who saw the variant.")
    var metric = "conversion_to_paying"

    @Option(
        help: .value(
            "percent",
            "The difference that is to be seen, in percent of the first variant's share. Default: 10."
        ))
    var detect: String?

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        let request = try metrics.request([])
        let detect = try PercentText.read(detect, "--detect").map { max(1, $0 / 100) } ?? 100
        let report = try await basic.ledger.counting("experiment") {
            try $0.experiment(name, metric: metric, request, progress: $1)
        }
        try basic.output.show(report.json(detectPermille: detect)) {
            ExperimentText.text(report, detectPermille: detect, $0)
        }
    }
}
