import ArgumentParser
import Daybook

@main
struct DaybookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook", abstract: "An event-sourced entitlement ledger with replay.",
        subcommands: [])
}
