import ArgumentParser
import Daybook
import DaybookDomain

struct UnaliasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unalias", abstract: "Say that two ids are two customers after all.",
        discussion: """
              daybook unalias anonymous-7 ada
            """)

    @Argument(help: "The id that was an alias.")
    var alias: String

    @Argument(help: "The customer that it was an alias of.")
    var canonical: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .unalias(from: canonical), for: alias, sentence: "\(alias) is not \(canonical)")
    }
}
