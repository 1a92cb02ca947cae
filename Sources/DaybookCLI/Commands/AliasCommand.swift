import ArgumentParser
import Daybook
import DaybookDomain

struct AliasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alias", abstract: "Say that two ids are one customer.",
        discussion: """
            Timeless: both histories become one, and quotas add up.

              daybook alias anonymous-8 ada
            """)

    @Argument(help: "The id that somebody had before.")
    var alias: String

    @Argument(help: "The customer, under whose name both are shown.")
    var canonical: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .alias(to: canonical), for: alias, sentence: "\(alias) is \(canonical)")
    }
}
