import ArgumentParser
import Daybook

struct ReportListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the frozen reports.",
        discussion: """
              daybook report list
              daybook report list --env sandbox --json
            """)

    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let reports = try await ledger.asking { try $0.frozenReports(in: environment.environment) }
        try output.show(["reports": .array(reports.map { .object($0.json) })]) {
            ReportText.list(reports, $0)
        }
    }
}
