import ArgumentParser
import DaybookDomain

struct ReverseCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse", abstract: "Take a use back, as if it had not counted.",
        discussion: """
              daybook reverse ada story-1
              daybook reverse ada story-1 --meter stories
              daybook reverse ada story-1 --ticket SUP-77 --dry-run
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "Key or ref of the use, or ID of a reservation.")
    var target: String

    @Option(help: .value("meter", "The meter; needed where several have the target."))
    var meter: String?

    @OptionGroup var write: WriteOptions

    var sentence: String { "\(subject)'s use \(target) is reversed" }

    func command() -> Command { .reverseUsage(target: target, meter: meter) }
}
