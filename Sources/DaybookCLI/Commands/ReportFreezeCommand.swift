import ArgumentParser
import Daybook

struct ReportFreezeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freeze", abstract: "Compute metrics and keep the answer for ever.",
        discussion: """
            By everything that is recorded, as of now, unless --known-at or --at say otherwise. A name has one report: \
            the same question again tells that it is done, and another one is refused.

              daybook report freeze march --period 2026-03
              daybook report freeze q1 net_revenue mrr --period 2026-Q1 \\
                --by month
              daybook report freeze week10 --period 2026-W10 --actor eva
            """)

    @Argument(help: "The name of the report.")
    var name: String

    @Argument(help: "Metrics. Default: all.")
    var metrics: [String] = []

    @Option(help: .value("name", "Name of the operator, for the audit."))
    var actor: String?

    @Option(help: .value("text", "Why, for the audit."))
    var reason: String?

    @OptionGroup var options: MetricsOptions
    @OptionGroup var exposure: ExposureOptions
    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        let freeze = ReportFreeze(
            name, try options.request(metrics, exposure), actor: actor, reason: reason)
        let (report, isNew) = try await basic.ledger.opening("report") { ledger, bar in
            let prepared = try ledger.preparedReport(freeze, progress: bar.showCustomers)
            return (try await ledger.keep(prepared), !prepared.isKept)
        }
        try basic.output.show(report.json.adding(["done_before": .bool(!isNew)])) {
            ReportText.receipt(report, isNew: isNew, $0)
        }
    }
}
