import ArgumentParser
import DaybookDomain

struct TimeZoneCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "timezone", abstract: "Say in which time zone a customer lives.",
        discussion: """
            Takes effect with the next period.

              daybook timezone ada Europe/Amsterdam
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "An IANA name.")
    var zone: String

    @OptionGroup var write: WriteOptions

    var sentence: String { "\(subject) lives in \(zone)" }

    func command() -> Command { .changeTimeZone(zone) }
}
