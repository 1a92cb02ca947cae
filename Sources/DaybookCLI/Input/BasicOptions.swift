import ArgumentParser

/// What commands take that are about no environment: of which ledger, and how they answer.
struct BasicOptions: ParsableArguments {
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions
}
