import ArgumentParser
import DaybookDomain

struct PinCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Choose what stays writable when a gauge is over its limit.",
        discussion: """
              daybook pin ada sunday-dinners --meter collections
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "Ref of the item that stays writable.")
    var ref: String

    @Option(help: .value("meter", "The gauge; needed where there are several."))
    var meter: String?

    @OptionGroup var write: WriteOptions

    var sentence: String { "\(subject) keeps \(ref) writable" }

    func command() -> Command { .pin(meter: meter, ref: ref) }
}
