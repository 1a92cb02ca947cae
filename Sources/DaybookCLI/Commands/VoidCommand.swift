import ArgumentParser
import DaybookDomain

struct VoidCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "void", abstract: "Say that an event never held; it stays in the history.",
        discussion: """
            Voiding a correction brings back what it corrected. Voiding a signed fact needs --reason, --ticket and \
            --actor. With --dry-run it lists the customers whose answers would be different, and writes nothing.

              daybook void 2 --dry-run
              daybook void 2 --reason "imported twice" --actor kim
              daybook void native/story-1 --reason test --ticket SUP-77
            """)

    @Argument(help: "The event: a position such as 1042, or SOURCE/KEY such as native/story-1.")
    var target: String

    @Option(help: .value("subject", "ID of the customer, where the event names none."))
    var subject: String?

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.correct(target, subject: subject) { found in
            .voidEvent(source: found.source, key: found.key)
        }
    }
}
