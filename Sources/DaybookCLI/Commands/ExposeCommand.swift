import ArgumentParser
import Daybook
import DaybookDomain

struct ExposeCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "expose", abstract: "Say which variant of an experiment a customer sees.",
        discussion: """
            The catalog divides customers among variants (experiments) by their IDs, on every machine alike. The first \
            time is recorded as experiment.exposed. From then on the earliest exposure on record counts, whatever the \
            catalog says later; "funnel --by variant" counts by it. --dry-run shows the variant and records nothing.

              daybook expose ada price
              daybook expose ada price --json
              daybook funnel paywall_to_purchase --by variant
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "The experiment, as the catalog names it.")
    var experiment: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        let request = try write.request(.expose(experiment: experiment), for: subject)
        try await write.opening { ledger in
            let receipt = try await write.ask(ledger, request)
            let variant = receipt.variant ?? ""
            try write.show(
                receipt,
                receipt.wasDoneBefore
                    ? "\(subject) sees \(variant) of \(experiment), as before"
                    : "\(subject) sees \(variant) of \(experiment)",
                ledger)
        }
    }
}
