import ArgumentParser
import Daybook
import DaybookEvents

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write events as canonical JSON, one a line.",
        discussion: """
            Complete: catalogs carry their document, so that an import into an empty ledger gives the same answers.

              daybook export > dozzi.ndjson
              daybook export --subject ada --output ada.ndjson
              daybook export --after 1042 --app-names
            """)

    @Option(help: ArgumentHelp("Only events behind this position.", valueName: "position"))
    var after: Int64 = 0

    @Option(help: ArgumentHelp("Only events that name this customer.", valueName: "subject"))
    var subject: String?

    @Option(name: .customLong("env"), help: "Only this environment. Default: all.")
    var environment: EnvironmentName?

    @Flag(help: "Use the app's own event names where it has some.")
    var appNames = false

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
                usesAppNames: appNames
            ) { try writer.write($0) }
            try writer.close()
        }
    }
}
