import ArgumentParser
import DaybookEvents

/// What every question about a customer takes: when, as known when, where, of which ledger, and how it is answered.
struct AskOptions: ParsableArguments {
    @OptionGroup var moment: MomentOptions
    @OptionGroup private var environmentOption: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    var environment: Environment { environmentOption.environment }
}

/// How a customer is looked at.
struct ViewOptions: ParsableArguments {
    @Option(
        help: .value(
            "profile", "Look at the customer through this profile: which dog, child or the like."))
    var profile: String?

    @Option(help: .value("locale", "The language of texts, such as nl-NL."))
    var locale: String?
}
