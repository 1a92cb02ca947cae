import ArgumentParser
import Daybook
import DaybookDomain

struct CheckCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask whether a customer may do something, and why.",
        discussion: """
            Changes nothing. Exits with 0 for yes and 1 for no.

              daybook check ada stories
              daybook check ada premiumVoices --json
              daybook check ada quickLog --profile rex --at 2026-04-01T09:00:00+02:00
              daybook check ada premiumVoices --known-at @1
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "A feature or a meter of the catalog, or an alias of one.")
    var name: String

    @Option(help: .value("n", "How many units."))
    var amount: Int64 = 1

    @Option(help: .value("time", "For a window: the time of the item that is to be seen."))
    var itemAt: String?

    @OptionGroup var view: ViewOptions
    @OptionGroup var ask: AskOptions

    mutating func run() async throws {
        try Failure.require(
            amount >= 0, .badInput, "amount_out_of_bounds", "--amount \(amount) is below zero")
        let moment = try ask.moment.moment()
        let question = CheckQuestion(
            name, amount: amount, profile: view.profile,
            itemAt: try InstantText.read(itemAt, "--item-at"), locale: view.locale)
        let (decision, asOf, catalog) = try await ask.ledger.asking { ledger in
            let (decision, asOf) = try ledger.check(
                question, for: subject, environment: ask.environment, moment: moment)
            let versions = try ledger.catalogs().versions
            return (decision, asOf, versions.last { $0.version == asOf.catalog }?.catalog)
        }
        try ask.output.show(decision.json(of: subject, asOf)) { terminal in
            DecisionText(decision: decision, catalog: catalog, locale: view.locale, at: asOf.at)
                .text(terminal, subject: subject)
                + "  \(terminal.paint(asOf.sentence, .dim))\n"
        }
        if !decision.allowed { throw ExitCode.no }
    }
}
