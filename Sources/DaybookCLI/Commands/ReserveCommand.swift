import ArgumentParser
import Daybook
import DaybookDomain

struct ReserveCommand: ReceiptCommand {
    static let configuration = CommandConfiguration(
        commandName: "reserve", abstract: "Hold units for work that can fail.",
        discussion: """
            The units count until they are committed, released, or the time is over.

              daybook reserve ada stories --id r9
              daybook reserve ada stories 2 --id r9 --timeout PT1H
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "The meter.")
    var meter: String

    @Argument(help: "How many units.")
    var amount: Int64 = 1

    @Option(help: .value("id", "ID of the reservation, of your choice."))
    var id: String

    @Option(
        help: .value(
            "duration", "How long it holds, such as PT10M. Default: what the catalog says."))
    var timeout: String?

    @OptionGroup var write: WriteOptions

    var sentence: String { "\(amount) × \(meter) reserved for \(subject) as \(id)" }

    func command() throws -> Command {
        .reserve(
            meter: meter, amount: amount, reservation: id,
            timeoutMilliseconds: try DurationText.read(timeout, "--timeout"))
    }
}
