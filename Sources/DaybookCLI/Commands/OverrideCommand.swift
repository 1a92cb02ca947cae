import ArgumentParser
import Daybook
import DaybookDomain

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

    struct Set: ReceiptCommand {
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

        @OptionGroup var customer: CustomerArgument

        @Argument(help: "Kind of the override.")
        var kind: String

        @Argument(help: "What it is about, where the kind needs it.")
        var value: String?

        @Option(help: .value("time", "Time at which it ends. Default: a day from now."))
        var expires: String?

        @OptionGroup var write: WriteOptions

        var sentence: String { "\(kind) holds for \(subject)" }

        func command() throws -> Command {
            let end = try InstantText.read(expires, "--expires")
            return .setOverride(kind: kind, value: value, expiresAt: end)
        }
    }

    struct Clear: ReceiptCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Stop pretending.",
            discussion: """
                  daybook override clear ada --env sandbox
                  daybook override clear ada expire_trial --env sandbox
                """)

        @OptionGroup var customer: CustomerArgument

        @Argument(help: "Kind of the override. Default: all.")
        var kind: String?

        @OptionGroup var write: WriteOptions

        var sentence: String {
            "\(kind ?? "no override") holds for \(subject)\(kind == nil ? "" : " no more")"
        }

        func command() -> Command { .clearOverride(kind: kind) }
    }
}
