import ArgumentParser
import Daybook

struct HistoryCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show a customer's timeline.",
        discussion: """
            Everything that names the customer, in the order in which it happened, whenever it became known.

              daybook history ada
              daybook history ada --newest-first --limit 5
              daybook history ada --from 2026-03-01T00:00:00Z --until 2026-04-01T00:00:00Z
              daybook history ada --known-at @1 --full
              daybook history ada --json
            """)

    @OptionGroup var customer: CustomerArgument

    @Option(help: .value("time", "Only what happened then or later."))
    var from: String?

    @Option(help: .value("time", "Only what happened before."))
    var until: String?

    @Option(help: .value("place", "Where the previous page ended: its next."))
    var after: String?

    @Flag(help: "Show everything that a store says, not only the product, the dates and the price.")
    var full = false

    @OptionGroup var page: PageOptions
    @OptionGroup var ask: AskOptions

    mutating func run() async throws {
        let moment = try ask.moment.moment()
        let span = try InstantText.span(from: from, until: until)
        let happened = (span.from ?? Int64.min)..<(span.until ?? Int64.max)
        let isWhole = from == nil && until == nil && after == nil
        let after = try after.map { try PlaceText.read($0, "--after") }
        let entries = try await ask.ledger.asking { ledger in
            try ledger.history(
                of: subject, environment: ask.environment, moment: moment, happened: happened,
                after: after, order: page.order)
        }
        try ask.output.show(entries.json(of: subject)) { terminal in
            entries.isEmpty
                ? (isWhole
                    ? "nothing is known of \(subject)\n"
                    : "nothing is known of \(subject) in that time\n")
                : HistoryText(entries: entries.entries, isFull: full).text(terminal)
                    + (entries.next.map { "more follow: --after \($0)\n" } ?? "")
        }
    }
}
