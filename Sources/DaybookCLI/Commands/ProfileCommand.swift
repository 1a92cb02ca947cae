import ArgumentParser
import Daybook

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

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Add a profile; its free period begins.",
            discussion: """
                  daybook profile create ada bella --kind puppy
                  daybook profile create ada bella --kind puppy \\
                    --free-started-at 2026-03-15T10:00:00+01:00
                """)

        @Argument(help: "ID of the customer.")
        var subject: String

        @Argument(help: "ID of the profile; no names of people or dogs.")
        var profile: String

        @Option(help: .value("kind", "Kind of the profile, as the catalog calls it."))
        var kind: String

        @Option(help: .value("time", "When the free period began. Default: now."))
        var freeStartedAt: String?

        @OptionGroup var write: WriteOptions

        mutating func run() async throws {
            let start = try InstantText.read(freeStartedAt, "--free-started-at")
            try await write.perform(
                .createProfile(profile: profile, kind: kind, freeStartedAt: start), for: subject,
                sentence: "\(subject) has the \(kind) \(profile)")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Take a profile away.",
            discussion: """
                  daybook profile delete ada rex
                """)

        @Argument(help: "ID of the customer.")
        var subject: String

        @Argument(help: "ID of the profile.")
        var profile: String

        @OptionGroup var write: WriteOptions

        mutating func run() async throws {
            try await write.perform(
                .deleteProfile(profile: profile), for: subject,
                sentence: "\(subject)'s profile \(profile) is deleted")
        }
    }
}
