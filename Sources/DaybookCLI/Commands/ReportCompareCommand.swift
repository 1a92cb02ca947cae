import ArgumentParser
import Daybook

struct ReportCompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Explain what is different from a frozen report.",
        discussion: """
            The same question by what is known now, or was known later: which values are others, and which events of \
            which customers made them so. The parts add up to the whole. Exit code 1: something is different.

              daybook report compare march
              daybook report compare march --known-at 2030-05-01T00:00:00Z
              daybook report compare march --all --json
            """)

    @Argument(help: "The name of the report.")
    var name: String

    @Option(
        help: .value(
            "time",
            "Compare with what was known at this time, or @position. Default: with everything."))
    var knownAt: String?

    @Flag(help: "Show every customer, not only the first 50.")
    var all = false

    @OptionGroup var common: CommonOptions

    mutating func run() async throws {
        let known = try InstantText.knowledge(knownAt, "--known-at")
        let comparison = try await common.ledger.asking("compare") { ledger, bar in
            try ledger.comparison(of: name, in: common.environment, knownAt: known) {
                bar.show(Int64($0), of: Int64($1), note: "\($0) of \($1)")
            }
        }
        try common.output.show(comparison.json) { ReportText.text(comparison, isAll: all, $0) }
        if !comparison.isSame { throw ExitCode.no }
    }
}
