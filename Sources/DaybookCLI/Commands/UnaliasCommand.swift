import ArgumentParser
import DaybookDomain

struct UnaliasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unalias", abstract: "Say that two IDs belong to two customers after all.",
        discussion: """
              daybook unalias anonymous-7 ada
            """)

    @Argument(help: "The ID that was an alias.")
    var alias: String

    @Argument(help: "ID of the customer that it was an alias of.")
    var canonical: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .unalias(from: canonical), for: alias, sentence: "\(alias) is not \(canonical)")
    }
}
