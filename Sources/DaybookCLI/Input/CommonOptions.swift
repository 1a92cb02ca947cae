import ArgumentParser
import DaybookEvents

/// What most commands take: in which environment, of which ledger, and how they answer.
struct CommonOptions: ParsableArguments {
    @OptionGroup private var environmentOption: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    var environment: Environment { environmentOption.environment }
}
