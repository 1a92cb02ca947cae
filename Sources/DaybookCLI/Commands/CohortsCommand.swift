import ArgumentParser
import Daybook
import DaybookDomain

struct CohortsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cohorts", abstract: "Show what becomes of those who began together.",
        discussion: """
            A row for each period in which customers were first seen, or first paid, and a column for each age: \
            retention, repurchase, ltv or subscription_retention. Rows are as long as --by says, ages as --every says.

              daybook cohorts
              daybook cohorts --by week --every day --ages 7
              daybook cohorts retention --retention on-or-after
              daybook cohorts ltv --every week --json
              daybook cohorts subscription_retention --csv
            """)

    @Argument(help: "Metrics with ages. Default: retention.")
    var names: [String] = []

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var exposure: ExposureOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var format: MetricsOutput

    mutating func run() async throws {
        let chosen = try Metric.choosing(names.isEmpty ? ["retention"] : names)
        if let other = chosen.first(where: { !$0.hasAges }) {
            let known = Metric.all.filter(\.hasAges).map(\.name).joined(separator: ", ")
            throw Failure(
                .badInput, "no_ages",
                "\(other.name) has no ages; daybook metrics computes it. Of cohorts there are \(known)"
            )
        }
        let request = try metrics.request(chosen.map(\.name), exposure)
        let report = try await ledger.counting("cohorts") { try $0.metrics(request, progress: $1) }
        try format.show(report) { CohortsText.text(report, $0) }
    }
}
