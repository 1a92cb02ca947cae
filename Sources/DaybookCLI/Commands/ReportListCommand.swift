import ArgumentParser
import Daybook

struct ReportListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the frozen reports.",
        discussion: """
              daybook report list
              daybook report list --env sandbox --json
            """)

    @OptionGroup var common: CommonOptions

    mutating func run() async throws {
        let reports = try await common.ledger.asking {
            try $0.frozenReports(in: common.environment)
        }
        try common.output.show(["reports": .objects(reports.map(\.json))]) {
            ReportText.list(reports, $0)
        }
    }
}
