import ArgumentParser
import Daybook
import DaybookDomain

struct ResetsCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "resets", abstract: "Show when a customer's counter began anew, and will.",
        discussion: """
            What is to come follows from what is known now; a purchase or a reset may move it.

              daybook resets ada stories
              daybook resets ada stories --from 2030-01-01T00:00:00Z --limit 12
              daybook resets ada stories --until 2030-01-01T00:00:00Z --json
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "The meter.")
    var meter: String

    @Option(
        help: .value("time", "Only resets at this time or later. Default: from this period on."))
    var from: String?

    @Option(help: .value("time", "Only resets before this time."))
    var until: String?

    @Option(help: .value("n", "At most this many, up to 1,000."))
    var limit: Int = 12

    @OptionGroup var ask: AskOptions

    mutating func validate() throws {
        try ValidationError.check("--limit", limit, in: 1...Ledger.resetsMax)
    }

    mutating func run() async throws {
        let moment = try ask.moment.moment()
        let span = try InstantText.span(from: from, until: until)
        let (resets, isMore, asOf) = try await ask.ledger.asking { ledger in
            try ledger.resets(
                of: subject, meter: meter, environment: ask.environment, from: span.from,
                until: span.until, limit: limit, moment: moment)
        }
        let json = resets.json(of: subject, meter: meter, isMore: isMore, asOf)
        try ask.output.show(json) { terminal in
            Self.text(resets, isMore: isMore, terminal)
                + "  \(terminal.paint(asOf.sentence, .dim))\n"
        }
    }

    private static func text(
        _ resets: [MeterReset], isMore: Bool, _ terminal: Terminal
    ) -> HumanText {
        if resets.isEmpty { return "it never begins anew in that time\n" }
        return Table(resets) { reset in
            [
                .init(Words.time(reset.at)), .init(Words.spaced(reset.state.rawValue)),
                .init(Words.spaced(reset.trigger.rawValue)), .init(reset.periodName ?? ""),
            ]
        }.text(terminal, indent: 0)
            + (isMore ? "more follow; --from and --limit show them\n" : "")
    }
}
