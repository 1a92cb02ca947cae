import ArgumentParser

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Freeze metrics, show them as they were, and explain what changed since.",
        discussion: """
            A frozen report keeps its question, what was known, and the answer's bytes in the ledger.

              daybook report freeze march --period 2026-03
              daybook report list
              daybook report show march
              daybook report compare march

            Each subcommand takes --json.
            """,
        subcommands: [
            ReportFreezeCommand.self, ReportListCommand.self, ReportShowCommand.self,
            ReportCompareCommand.self,
        ])
}
