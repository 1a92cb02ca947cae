import ArgumentParser
import Daybook
import DaybookDomain

struct ResetCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Let a customer's counter begin anew, now.",
        discussion: """
            Monthly resets need no command: they follow from time. This one is for support.

              daybook reset ada stories --actor kim --reason "lost stories, ticket 77"
              daybook reset ada stories --move-anchor --preserve-overage
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "The meter.")
    var meter: String

    @Option(help: .value("time", "Time from which it takes effect. Default: now."))
    var effective: String?

    @Flag(help: "Count later periods from the reset, instead of where they were counted from.")
    var moveAnchor = false

    @Flag(help: "What was used beyond the limit counts as used after the reset.")
    var preserveOverage = false

    @OptionGroup var write: WriteOptions

    var sentence: String { "\(subject)'s \(meter) begin anew" }

    func command() throws -> Command {
        let terms = Command.ResetTerms(
            effectiveAt: try InstantText.read(effective, "--effective"),
            retainsAnchor: !moveAnchor, preservesOverage: preserveOverage)
        return .resetUsage(meter: meter, terms: terms)
    }
}
