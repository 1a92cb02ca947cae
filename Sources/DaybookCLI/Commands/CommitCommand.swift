import ArgumentParser
import DaybookDomain

struct CommitCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "commit", abstract: "Use what was reserved.",
        discussion: """
              daybook commit ada r1
              daybook commit ada r2 --amount 2
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "ID of the reservation.")
    var reservation: String

    @Option(help: .value("n", "Less than was reserved; the rest comes back."))
    var amount: Int64?

    @OptionGroup var write: WriteOptions

    var sentence: String { "\(subject)'s reservation \(reservation) is committed" }

    func command() -> Command { .commit(reservation: reservation, amount: amount) }
}
