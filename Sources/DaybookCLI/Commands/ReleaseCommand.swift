import ArgumentParser
import DaybookDomain

struct ReleaseCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Give back what was reserved.",
        discussion: """
              daybook release ada r1
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "ID of the reservation.")
    var reservation: String

    @OptionGroup var write: WriteOptions

    var sentence: String { "\(subject)'s reservation \(reservation) is released" }

    func command() -> Command { .release(reservation: reservation) }
}
