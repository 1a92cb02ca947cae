import ArgumentParser
import Daybook
import DaybookDomain

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Dogs, children and other profiles of a customer.",
        discussion: """
              daybook profile create ada bella --kind puppy
              daybook profile delete ada rex

            Each subcommand takes --json.
            """,
        subcommands: [Create.self, Delete.self])

    struct Create: ReceiptCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Add a profile; its free period begins.",
            discussion: """
                  daybook profile create ada bella --kind puppy
                  daybook profile create ada bella --kind puppy \\
                    --free-started-at 2026-03-15T10:00:00+01:00
                """)

        @OptionGroup var customer: CustomerArgument

        @Argument(help: "ID of the profile; no names of people or dogs.")
        var profile: String

        @Option(help: .value("kind", "Kind of the profile, as the catalog calls it."))
        var kind: String

        @Option(help: .value("time", "When the free period began. Default: now."))
        var freeStartedAt: String?

        @OptionGroup var write: WriteOptions

        var sentence: String { "\(subject) has the \(kind) \(profile)" }

        func command() throws -> Command {
            let start = try InstantText.read(freeStartedAt, "--free-started-at")
            return .createProfile(profile: profile, kind: kind, freeStartedAt: start)
        }
    }

    struct Delete: ReceiptCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Take a profile away.",
            discussion: """
                  daybook profile delete ada rex
                """)

        @OptionGroup var customer: CustomerArgument

        @Argument(help: "ID of the profile.")
        var profile: String

        @OptionGroup var write: WriteOptions

        var sentence: String { "\(subject)'s profile \(profile) is deleted" }

        func command() -> Command { .deleteProfile(profile: profile) }
    }
}
