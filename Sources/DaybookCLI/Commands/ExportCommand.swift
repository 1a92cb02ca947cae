import ArgumentParser
import Daybook
import DaybookEvents

/// `daybook` or `app`.
enum NamesOption: String, ExpressibleByArgument, CaseIterable {
    case daybook, app

    var names: ExportNames {
        switch self {
        case .daybook: .daybook
        case .app: .app
        }
    }
}

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write events as canonical JSON, one a line.",
        discussion: """
            Complete: catalogs carry their document, so that an import into an empty ledger gives the same answers.

              daybook export > dozzi.ndjson
              daybook export --subject ada --output ada.ndjson
              daybook export --names app --after 1042

            --names app is for analytics: events have the names of the app's own documents where those have one, and \
            what the documents name and a store's facts say (Nuzzle's subscription_activated, …) follows the event \
            that told it first as a line of its own, with derived_from. Import takes the plain export.
            """)

    @Option(help: ArgumentHelp("Only events behind this position.", valueName: "position"))
    var after: Int64 = 0

    @Option(help: ArgumentHelp("Only events that name this customer.", valueName: "subject"))
    var subject: String?

    @Option(name: .customLong("env"), help: "Only this environment. Default: all.")
    var environment: EnvironmentName?

    @Option(
        help: ArgumentHelp(
            "daybook: as recorded. app: the app's own names, and what they derive from store facts.",
            valueName: "daybook|app"))
    var names = NamesOption.daybook

    @Option(name: .shortAndLong, help: ArgumentHelp("Into a file.", valueName: "file"))
    var output: String?

    @OptionGroup var ledger: LedgerOptions

    @Flag(help: "The output is JSON in any case; errors are too with this.")
    var json = false

    mutating func run() async throws {
        guard after >= 0 else {
            throw Failure(.badInput, "bad_position", "--after \(after) is no position")
        }
        try await ledger.asking { ledger in
            let writer = try LineWriter(output)
            try ledger.export(
                after: after, subject: subject, environment: environment?.environment,
                names: names.names
            ) { try writer.write($0) }
            try writer.close()
        }
    }
}
