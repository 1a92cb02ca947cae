import ArgumentParser
import Daybook

struct ReserveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reserve", abstract: "Hold units for work that can fail.",
        discussion: """
            The units count until they are committed, released, or the time is over.

              daybook reserve ada stories --id r9
              daybook reserve ada stories 2 --id r9 --timeout PT1H
            """)

    @Argument(help: "ID of the customer.")
    var subject: String

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

    mutating func run() async throws {
        let timeout = try DurationText.read(timeout, "--timeout")
        try await write.perform(
            .reserve(
                meter: meter, amount: amount, reservation: id, timeoutMilliseconds: timeout),
            for: subject, sentence: "\(amount) × \(meter) reserved for \(subject) as \(id)")
    }
}
