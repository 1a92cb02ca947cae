import ArgumentParser
import Daybook
import DaybookEvents

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write events as canonical JSON, one per line.",
        discussion: """
            Complete: catalogs carry their document, so that an import into an empty ledger gives the same answers.

              daybook export > dozzi.ndjson
              daybook export --subject ada --output ada.ndjson
              daybook export --newest-first --limit 10
              daybook export --names app --after 2

            --names app is for analytics: events have the names of the app's own documents where those have one, and \
            what the documents name and a store's facts say (Nuzzle's subscription_activated, …) follows the event \
            that told it first as a line of its own, with derived_from. Import takes the plain export.
            """)

    @Option(help: ArgumentHelp("Only events after this position.", valueName: "position"))
    var after: Int64 = 0

    @Option(help: ArgumentHelp("Only events up to this position.", valueName: "position"))
    var through: Int64?

    @OptionGroup var page: PageOptions

    @Option(
        help: ArgumentHelp(
            "Only events that name this customer, in any environment.", valueName: "subject"))
    var subject: String?

    @Option(name: .customLong("env"), help: "Only this environment. Default: all.")
    var environment: Environment?

    @Option(
        help: ArgumentHelp(
            "As recorded, or under the app's own names, with what they derive from store facts.",
            valueName: "names"))
    var names = ExportNames.daybook

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file, which appears when it is complete. Default: the standard output.",
            valueName: "file"))
    var output: String?

    @OptionGroup var ledger: LedgerOptions

    @Flag(help: "Write errors as JSON, too; the output is JSON in any case.")
    var json = false

    mutating func run() async throws {
        guard after >= 0 else {
            throw Failure(.badInput, "bad_position", "--after \(after) is no position")
        }
        if let through, through < 1 {
            throw Failure(.badInput, "bad_position", "--through \(through) is no position")
        }
        try await ledger.asking { ledger in
            let writer = try LineWriter(output, access: .like(ledger: ledger.path))
            try ledger.export(
                after: after, through: through ?? .max, subject: subject,
                environment: environment, names: names, order: page.order
            ) { try writer.write($0) }
            try writer.close()
        }
    }
}
