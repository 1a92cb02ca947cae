import ArgumentParser
import Daybook
import DaybookEvents

/// Which page of a list is wanted.
struct ListPageOptions: ParsableArguments {
    @Option(help: .value("n", "At most this many rows, up to 1,000."))
    var limit: Int = 50

    @Option(help: .value("next", "Where the previous page ended: its next."))
    var after: String?

    mutating func validate() throws {
        try ValidationError.check("--limit", limit, in: 1...OverviewRequest.limitMax)
    }
}

/// Which page of a list is wanted, and at which moment.
struct ListOptions: ParsableArguments {
    @OptionGroup private var page: ListPageOptions
    @OptionGroup var ask: AskOptions

    /// The page of a list at the asked moment.
    func request() throws -> OverviewRequest {
        OverviewRequest(
            environment: ask.environment, limit: page.limit, after: page.after,
            moment: try ask.moment.moment())
    }

    /// Asks for the page at the asked moment, and prints it.
    /// - Parameters:
    ///   - empty: What is said where there are no rows.
    ///   - page: What the ledger is asked.
    func show<Row>(
        empty: String, cells: (Row) -> [Table.Cell], json: (OverviewPage<Row>) -> JSONObject,
        of page: (Ledger, OverviewRequest) throws -> OverviewPage<Row>
    ) async throws {
        let request = try request()
        let found = try await ask.ledger.asking { try page($0, request) }
        try found.show(ask.output, empty: empty, cells: cells, json: json)
    }
}

extension OverviewPage {
    /// Prints the rows, what follows, and as of what.
    /// - Parameter empty: What is said where there are no rows.
    func show(
        _ output: OutputOptions, empty: String, cells: (Row) -> [Table.Cell],
        json: (OverviewPage) -> JSONObject
    ) throws {
        try output.show(json(self)) { terminal in
            let table = Table(rows, cells: cells)
            var text: HumanText = rows.isEmpty ? "\(empty)\n" : table.text(terminal, indent: 0)
            if let next { text += "more follow: --after \(ShellText.quoted(next))\n" }
            return text + "  \(terminal.paint(asOf.sentence, .dim))\n"
        }
    }
}

/// Text as a shell takes it for one word.
enum ShellText {
    /// As it is where no shell reads anything into it, else in single quotes.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-_./:@+,%=".utf8.contains(byte)
                }
            }
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
