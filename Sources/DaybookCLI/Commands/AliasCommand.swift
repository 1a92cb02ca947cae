import ArgumentParser
import DaybookDomain

struct AliasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alias", abstract: "Say that two IDs belong to one customer.",
        discussion: """
            Applies to all time: both histories become one, and quotas add up.

              daybook alias anonymous-8 ada
            """)

    @Argument(help: "An ID that the customer had before.")
    var alias: String

    @Argument(help: "ID of the customer, under which both are shown.")
    var canonical: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .alias(to: canonical), for: alias, sentence: "\(alias) is \(canonical)")
    }
}
