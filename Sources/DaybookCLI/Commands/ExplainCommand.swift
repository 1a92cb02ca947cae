import ArgumentParser
import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents

struct ExplainCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell why a customer may do something, or may not.",
        discussion: """
            The decision, every source that was considered, the events that led there with what each changed, what \
            would have to differ for the other answer, and what was believed before late events became known. Changes \
            nothing. Exits with 0 whatever the answer is.

              daybook explain ada stories
              daybook explain ada premiumVoices --at 2026-04-01T09:00:00+02:00
              daybook explain ada stories --known-at @2 --json
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "A feature or a meter of the catalog, or an alias of one.")
    var name: String

    @Option(help: .value("n", "How many units."))
    var amount: Int64 = 1

    @OptionGroup var view: ViewOptions
    @OptionGroup var ask: AskOptions

    mutating func run() async throws {
        try Failure.require(
            amount >= 0, .badInput, "amount_out_of_bounds", "--amount \(amount) is below zero")
        let moment = try ask.moment.moment()
        let question = CheckQuestion(
            name, amount: amount, profile: view.profile, locale: view.locale)
        let (explanation, catalog) = try await ask.ledger.asking { ledger in
            let explanation = try ledger.explain(
                question, for: subject, environment: ask.environment, moment: moment)
            let versions = try ledger.catalogs().versions
            return (
                explanation, versions.last { $0.version == explanation.asOf.catalog }?.catalog
            )
        }
        try Failure.require(
            explanation.isKnown, .badInput, "unknown_subject",
            "nothing is known of \(subject) in \(ask.environment.name) at position \(explanation.asOf.position); check the name, --env and --known-at"
        )
        try ask.output.show(explanation.json) { terminal in
            ExplanationText(explanation: explanation, catalog: catalog, locale: view.locale)
                .text(terminal)
        }
    }
}
