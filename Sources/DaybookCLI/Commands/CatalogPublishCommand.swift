import ArgumentParser
import Daybook
import DaybookDomain

struct CatalogPublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Bring a catalog into force.",
        discussion: """
            For all customers, for new ones, from each one's next period on, or for a fixed share of them. What was \
            published before stays in the ledger and keeps ruling its time.

              daybook catalog publish events/dozzi/catalog.yaml
              daybook catalog publish five-stories.yaml --applies-to cohort:20
              daybook catalog publish five-stories.yaml \\
                --effective 2030-04-01T00:00:00Z --dry-run
              daybook catalog publish five-stories.yaml \\
                --effective 2026-01-01T00:00:00Z --retroactive

            A time in the past changes answers that were given. How many is counted and shown before anything is \
            written, and --dry-run only shows it.
            """)

    @Argument(help: "The catalog file.")
    var file: String

    @Option(help: "The customers it is for: all, new, next-period or cohort:PERCENT.")
    var appliesTo = "all"

    @OptionGroup var options: PublicationOptions

    mutating func run() async throws {
        let document = try CatalogFile.read(file).document
        let file = file
        try await options.perform(
            CatalogPublication(
                document: document, scope: try ScopeText.read(appliesTo),
                effectiveAt: try options.effectiveAt(), isRetroactive: options.retroactive,
                actor: options.actor),
            done: { "\(file) is published as version \($0)" },
            already: "\(file) is in force already")
    }
}
