import ArgumentParser
import DaybookDomain

struct RedeemCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "redeem", abstract: "Give a customer what a code of a promotion gives.",
        discussion: """
            A code gives once: the same customer again is told so and nothing changes, another one is refused. \
            "daybook codes" writes a promotion's codes. Hyphens and letter case do not matter.

              daybook redeem ada --profile rex \\
                "$(daybook codes reviewers --count 1 --plain)"
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "The code.")
    var code: String

    @Option(help: .value("profile", "ID of the profile that it is for, where it serves one."))
    var profile: String?

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .redeem(code: code), for: subject, profile: profile,
            sentence: "\(subject) redeemed the code", repetition: "\(subject) redeemed it before")
    }
}
