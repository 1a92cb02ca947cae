import ArgumentParser
import Daybook

struct StatusCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what a customer has: entitlements, usage, and the app's own words.",
        discussion: """
            Now, at another time, or as it was known at another time.

              daybook status ada
              daybook status ada --profile rex --locale nl-NL
              daybook status ada --at 2026-03-01T00:00:00Z --known-at @1 --json
            """)

    @OptionGroup var customer: CustomerArgument

    @OptionGroup var view: ViewOptions
    @OptionGroup var ask: AskOptions

    mutating func run() async throws {
        let moment = try ask.moment.moment()
        let (status, asOf) = try await ask.ledger.asking { ledger in
            try ledger.status(
                of: subject, profile: view.profile, environment: ask.environment, moment: moment,
                locale: view.locale)
        }
        try ask.output.show(status.json(asOf)) { StatusText(status: status, asOf: asOf).text($0) }
    }
}
