import ArgumentParser
import DaybookDomain

struct AssignCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Let a purchase serve one profile.",
        discussion: """
            One purchase serves one profile. A second claim is refused and recorded as a conflict; when the profile is \
            deleted, the purchase is free for another one.

              daybook assign ada --transaction 2000000123 --profile rex
            """)

    @OptionGroup var customer: CustomerArgument

    @Option(help: .value("id", "Transaction ID of the purchase."))
    var transaction: String

    @Option(help: .value("profile", "ID of the profile."))
    var profile: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .assignPurchase(transaction: transaction, profile: profile), for: subject,
            sentence: "purchase \(transaction) serves \(profile)",
            repetition: "purchase \(transaction) served \(profile) before; nothing to add")
    }
}

struct UnassignCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign", abstract: "Free a purchase from its profile.",
        discussion: """
              daybook unassign ada --transaction 2000000456
            """)

    @OptionGroup var customer: CustomerArgument

    @Option(help: .value("id", "Transaction ID of the purchase."))
    var transaction: String

    @OptionGroup var write: WriteOptions

    var sentence: String { "purchase \(transaction) serves no profile" }

    func command() -> Command { .unassignPurchase(transaction: transaction) }
}
