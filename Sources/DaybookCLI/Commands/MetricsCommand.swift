import ArgumentParser
import Daybook
import DaybookDomain

struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Compute revenue, subscriptions, conversion, retention and use.",
        discussion: """
            Without a name the metrics are listed; --explain tells what one means and how it is computed. \
            A question with --known-at has the same answer for ever, and without --at is asked as of then.

              daybook metrics
              daybook metrics --explain mrr
              daybook metrics mrr net_revenue --from 2026-01-01T00:00:00Z
              daybook metrics active_customers --by day --tz Europe/Amsterdam
              daybook metrics net_revenue --refunds retroactive --known-at @1
              daybook metrics --all --csv
              daybook metrics new_customers --behind 2026-03
            """)

    @Argument(help: "Metrics; without any they are listed.")
    var names: [String] = []

    @Flag(help: "Compute all metrics.")
    var all = false

    @Flag(help: "Tell what the metrics mean, and compute nothing.")
    var explain = false

    @OptionGroup var behind: ContributionsOptions
    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var exposure: ExposureOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var format: MetricsOutput

    /// Metrics are listed or explained, and nothing is computed.
    private var isListing: Bool { explain || names.isEmpty && !all }

    mutating func validate() throws {
        try require(
            !all || names.isEmpty, "--all computes every metric; leave out the names.")
        try require(
            !behind.isAsked || names.count == 1, "--behind is of one number; name one metric.")
        try require(
            !format.isOfLines || !isListing,
            "--\(format.csv ? "csv" : "ndjson") has values; name metrics, or say --all.")
    }

    mutating func run() async throws {
        if isListing {
            let chosen = try Metric.choosing(names)
            return try format.output.show(["metrics": .objects(chosen.map(\.json))]) {
                explain
                    ? MetricsText.explanation(chosen, $0) : MetricsText.list(chosen, $0)
            }
        }
        let request = try metrics.request(names, exposure)
        if behind.isAsked { return try await showContributions(request) }
        let report = try await ledger.counting("metrics") { try $0.metrics(request, progress: $1) }
        try format.show(report) { MetricsText.text(report, $0) }
    }

    private func showContributions(_ metrics: MetricsRequest) async throws {
        let request = behind.request(metrics)
        let found = try await ledger.counting("metrics") {
            try $0.contributions(request, progress: $1)
        }
        try format.show(found) { ContributionsText.text(found, $0) }
    }
}
