import ArgumentParser
import Daybook

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what a customer has: entitlements, usage, and the app's own words.",
        discussion: """
            Now, at another time, or as it was known at another time.

              daybook status ada
              daybook status ada --profile rex --locale nl-NL
              daybook status ada --at 2026-03-01T00:00:00Z --known-at @1042 --json
            """)

    @Argument(help: "The customer.")
    var subject: String

    @Option(
        help: ArgumentHelp("Look at the customer through this profile.", valueName: "profile"))
    var profile: String?

    @Option(help: ArgumentHelp("The language of texts, such as nl-NL.", valueName: "locale"))
    var locale: String?

    @OptionGroup var moment: MomentOptions
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let moment = try moment.moment()
        let (status, asOf) = try await ledger.asking { ledger in
            try ledger.status(
                of: subject, profile: profile, environment: environment.environment,
                moment: moment, locale: locale)
        }
        if output.json {
            Terminal.output.write(status.json(asOf))
        } else {
            Terminal.output.write(StatusText(status: status, asOf: asOf).text(.output))
        }
    }
}
