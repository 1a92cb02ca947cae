import ArgumentParser
import Daybook

struct ReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a report as it was frozen.",
        discussion: """
            With --json the bytes that were kept, and a line end.

              daybook report show march
              daybook report show march --json
              daybook report show march --csv
            """)

    @Argument(help: "The name of the report.")
    var name: String

    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var format: MetricsOutput

    mutating func run() async throws {
        let frozen = try await ledger.asking {
            try $0.frozenReport(name, in: environment.environment)
        }
        guard !format.output.json else {
            return try Terminal.output.write(HumanText(written: frozen.document + [0x0A]))
        }
        guard let report = frozen.report else {
            throw Failure(
                .environment, "unknown_form",
                "the report \"\(name)\" has a form that this version does not know; --json shows its bytes"
            )
        }
        try format.show(report) { ReportText.text(frozen, report, $0) }
    }
}
