import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents
import Foundation

/// What an export has a line of.
enum ExportContent: String, CaseIterable, ExpressibleByArgument {
    case events, transactions, periods, customers

    /// `nil`: events.
    var table: ExportTable? { ExportTable(rawValue: rawValue) }
}

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write events, or tables made of them, as lines of JSON or CSV.",
        discussion: """
            Events are complete: catalogs carry their document, so that an import into an empty ledger gives the same \
            answers.

              daybook export > dozzi.ndjson
              daybook export --subject ada --output ada.ndjson
              daybook export --newest-first --limit 10
              daybook export --names app --after 2
              daybook export --format csv --output events.csv
              daybook export transactions --format csv --output sales.csv
              daybook export periods --after @2

            --names app is for analytics: events have the names of the app's own documents where those have one, and \
            what the documents name and a store's facts say (Nuzzle's subscription_activated, …) follows the event \
            that told it first as a line of its own, with derived_from. Import takes the plain export.

            Transactions and periods are those that metrics count; rows ascend by position, and --after takes the \
            place that the export before named: then come the rows of those about whom something was recorded since \
            (docs/exports.md). With --output a file NAME.schema.json describes the columns.

              daybook export --partitions 8 --output cases

            --partitions writes all events case by case into that many files of a folder, with the context that "daybook \
            fold" needs. Run again, it goes on where it was interrupted, as of the same place (docs/scaling.md).
            """)

    @Argument(help: "events, transactions, periods or customers.")
    var content = ExportContent.events

    @Option(help: .value("place", "Only what was recorded after this place, or @position."))
    var after: String?

    @Option(help: .value("position", "Only events up to this position."))
    var through: Int64?

    @OptionGroup var page: PageOptions

    @Option(help: .value("subject", "Only events that name this customer, in any environment."))
    var subject: String?

    @Option(
        name: .customLong("env"),
        help: "Only this environment. Default: of events all, of tables production.")
    var environment: Environment?

    @Option(
        help: .value(
            "names",
            "As recorded, or under the app's own names, with what they derive from store facts."))
    var names = ExportNames.daybook

    @Option(help: "Lines of JSON, or comma-separated values with a header line.")
    var format = TableRequest.Format.ndjson

    @Option(help: "How the columns of transactions are called.")
    var columns = ExportTable.Names.daybook

    @Option(
        name: .shortAndLong,
        help: .value(
            "file",
            "Write to this file, which appears when it is complete. Default: the standard output. With --partitions: a folder."
        ))
    var output: String?

    @OptionGroup var cases: CaseOptions

    @OptionGroup var ledger: LedgerOptions

    @Flag(help: "Write errors, and where the next export goes on, as JSON, too.")
    var json = false

    mutating func validate() throws {
        if content.table != nil {
            try require(
                through == nil && subject == nil && names == .daybook && page.limit == nil
                    && !page.newestFirst,
                "--through, --subject, --names, --limit and --newest-first are of events.")
        }
        try cases.validate(output: output)
        if cases.isAsked {
            try require(
                content == .events && after == nil && through == nil && subject == nil
                    && environment == nil && names == .daybook && format == .ndjson
                    && page.limit == nil && !page.newestFirst,
                "--partitions writes all events; it goes with --output, --workers, --compress, --known-at and --at."
            )
        }
        try require(
            columns == .daybook || content == .transactions, "--columns is of transactions.")
        try require(format == .ndjson || names == .daybook, "--names app writes lines of JSON.")
    }

    mutating func run() async throws {
        if cases.isAsked, let output {
            return try await ledger.asking { try cases.write($0, into: output, json: json) }
        }
        let start = try ChangesStart(try Self.positionOrPlace(after))
        if let through, through < 1 {
            throw Failure(.badInput, "bad_position", "--through \(through) is no position")
        }
        guard let table = content.table else { return try await events(start) }
        let receipt = try await ledger.asking("export") { ledger, bar in
            var request = TableRequest(table)
            request.format = format
            request.names = columns
            request.environment = environment ?? .production
            request.after = try start.place(in: ledger)
            let writer = try LineWriter(output, access: .like(ledger: ledger.path))
            let receipt = try ledger.export(request, progress: bar.showCustomers) {
                try writer.write($0)
            }
            try writer.close()
            try writeSchema(request.schema(receipt), of: ledger)
            return receipt
        }
        tell(receipt)
    }

    private func events(_ start: ChangesStart) async throws {
        try await ledger.asking { ledger in
            let writer = try LineWriter(output, access: .like(ledger: ledger.path))
            let first = try start.place(in: ledger)
            if case .place(let place) = start { try ledger.confirm(place) }
            try ledger.export(
                after: first?.position ?? 0, through: through ?? .max, subject: subject,
                environment: environment, names: names, format: format, order: page.order
            ) { try writer.write($0) }
            try writer.close()
            if format == .csv { try writeSchema(EventTable.schema, of: ledger) }
        }
    }

    /// A plain number is a position, too: what this command always took.
    private static func positionOrPlace(_ text: String?) throws -> String? {
        guard let text, let position = Int64(text) else { return text }
        try Failure.require(
            position >= 0, .badInput, "bad_position", "--after \(text) is no position")
        return "@\(position)"
    }

    private func writeSchema(_ schema: JSONObject, of ledger: Ledger) throws {
        guard let output, output != "-" else { return }
        try OutputFile.write(
            schema.canonicalBytes + [0x0A], to: output + ".schema.json",
            access: .like(ledger: ledger.path))
    }

    /// On the standard error, because the standard output has the rows.
    private func tell(_ receipt: TableReceipt) {
        let rows = Words.count(receipt.rows, "row")
        let text =
            json
            ? String(decoding: receipt.json.canonicalBytes, as: UTF8.self) + "\n"
            : "\(rows); go on with --after \(receipt.place)\n"
        FileHandle.standardError.write(Data(text.utf8))
    }
}
