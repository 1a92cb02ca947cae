import ArgumentParser
import Daybook
import DaybookEvents

struct ListCustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "List customers by their IDs, or find one by any ID.",
        discussion: """
            --id finds the customer that an ID belongs to: the ID of a customer, a purchase or transaction, a grant, a \
            reservation or a profile, the reference of a use, or an event's key. A UUID is found in either letter case.

              daybook list customers
              daybook list customers --prefix a --limit 10
              daybook list customers --id story-1 --json
            """)

    @Option(help: .value("text", "Only IDs that begin with this text."))
    var prefix: String?

    @Option(help: .value("id", "Only the customers that this ID belongs to."))
    var id: String?

    @OptionGroup var page: ListPageOptions
    @OptionGroup var common: CommonOptions

    mutating func validate() throws {
        try require(
            id == nil || prefix == nil && page.after == nil,
            "--id finds everything at once; leave out --prefix and --after.")
        try require(id?.isEmpty != true, "--id is empty.")
    }

    mutating func run() async throws {
        let environment = common.environment
        if let id {
            let (matches, isCut, asOf) = try await common.ledger.asking { ledger in
                try ledger.customers(withID: id, environment: environment)
            }
            let shown = Array(matches.prefix(page.limit))
            let isMore = isCut || shown.count < matches.count
            try common.output.show(shown.json(of: id, isMore: isMore, asOf)) { terminal in
                Self.text(shown, of: id, terminal)
                    + "  \(terminal.paint(asOf.sentence, .dim))\n"
            }
            return
        }
        let request = OverviewRequest(
            environment: environment, limit: page.limit, after: page.after)
        let found = try await common.ledger.asking { ledger in
            try ledger.customers(prefix: prefix ?? "", request)
        }
        try found.show(
            common.output,
            empty: prefix.map { "no customer's id begins with \($0)" } ?? "no customers",
            cells: \.cells, json: \.json)
    }

    private static func text(
        _ matches: [CustomerMatch], of id: String, _ terminal: Terminal
    ) -> HumanText {
        if matches.isEmpty { return "no customer is found by \(id)\n" }
        return Table(matches) { match in
            let place = match.position.map { "\(match.stream ?? "") @\($0)" } ?? match.stream ?? ""
            return [.init(match.kind.rawValue, .dim)]
                + (match.customer?.cells ?? [.init("no customer"), "", ""])
                + [.init(place, .dim)]
        }.text(terminal, indent: 0)
    }
}

extension CustomerRow {
    /// The ID, what the customer has, and the other IDs of the customer.
    var cells: [Table.Cell] {
        let isShown = haveSameBytes(id, subject)
        let others = ids.filter { !haveSameBytes($0, subject) && !haveSameBytes($0, id) }
        let same = isShown ? others : [subject] + others
        return [
            .init(id, .bold),
            .init(
                [status ?? "", entitlements.joined(separator: ", ")]
                    .filter { !$0.isEmpty }.joined(separator: ": ")),
            .init(same.isEmpty ? "" : "also " + same.joined(separator: ", ")),
        ]
    }
}
