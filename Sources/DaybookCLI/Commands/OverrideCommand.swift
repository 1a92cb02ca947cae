import ArgumentParser
import Daybook

struct OverrideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "override",
        abstract: "Debug overrides, for developers; refused in production.",
        discussion: """
              daybook override set ada force_entitlement premium --env sandbox
              daybook override clear ada --env sandbox

            Each subcommand takes --json.
            """,
        subcommands: [Set.self, Clear.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Pretend something about a customer, for a day or until a time.",
            discussion: """
                Kinds: force_entitlement (with the entitlement), expire_trial, clear_subscription, \
                reset_trial_eligibility.

                  daybook override set ada force_entitlement premium --env sandbox
                  daybook override set ada expire_trial --env sandbox \\
                    --expires 2030-03-01T00:00:00Z
                """)

        @Argument(help: "ID of the customer.")
        var subject: String

        @Argument(help: "Kind of the override.")
        var kind: String

        @Argument(help: "What it is about, where the kind needs it.")
        var value: String?

        @Option(help: .value("time", "Time at which it ends. Default: a day from now."))
        var expires: String?

        @OptionGroup var write: WriteOptions

        mutating func run() async throws {
            let end = try InstantText.read(expires, "--expires")
            try await write.perform(
                .setOverride(kind: kind, value: value, expiresAt: end), for: subject,
                sentence: "\(kind) holds for \(subject)")
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Stop pretending.",
            discussion: """
                  daybook override clear ada --env sandbox
                  daybook override clear ada expire_trial --env sandbox
                """)

        @Argument(help: "ID of the customer.")
        var subject: String

        @Argument(help: "Kind of the override. Default: all.")
        var kind: String?

        @OptionGroup var write: WriteOptions

        mutating func run() async throws {
            try await write.perform(
                .clearOverride(kind: kind), for: subject,
                sentence:
                    "\(kind ?? "no override") holds for \(subject)\(kind == nil ? "" : " no more")")
        }
    }
}
