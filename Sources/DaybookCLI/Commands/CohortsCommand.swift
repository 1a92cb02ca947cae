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

    @Flag(help: "Write comma-separated values with a header line instead of text.")
    var csv = false

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var exposure: ExposureOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if csv, output.json {
            throw ValidationError("--csv and --json are two formats; choose one.")
        }
    }

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
        let bar = ProgressBar("cohorts")
        let report = try await ledger.asking { ledger in
            try ledger.metrics(request) { done, total in
                bar.show(Int64(done), of: Int64(total), note: "\(done) of \(total) customers")
            }
        }
        bar.finish()
        guard !csv else { return try Terminal.output.write(HumanText(lines: report.csv)) }
        try output.show(report.json) { CohortsText.text(report, $0) }
    }
}
