import ArgumentParser
import Daybook

struct KPICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kpi", abstract: "Compare what was reached with the catalog's targets.",
        discussion: """
            Of the last period that is over, with those before it as the trend. Exit code 1: a target is missed, by a \
            value that is final or by one that is not yet. With --known-at and without --at as of then.

              daybook kpi
              daybook kpi --until 2026-04-01T00:00:00Z --json
              daybook kpi --by quarter --at 2026-07-01T00:00:00Z
            """)

    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var exposure: ExposureOptions
    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        let request = try metrics.request([], exposure)
        let report = try await basic.ledger.counting("kpi") { try $0.kpis(request, progress: $1) }
        try basic.output.show(report.json) { MetricsText.text(report, $0) }
        if report.rows.contains(where: { $0.isMet == false }) { throw ExitCode.no }
    }
}
