import ArgumentParser
import DaybookDomain

struct CommitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commit", abstract: "Use what was reserved.",
        discussion: """
              daybook commit ada r1
              daybook commit ada r2 --amount 2
            """)

    @Argument(help: "ID of the customer.")
    var subject: String

    @Argument(help: "ID of the reservation.")
    var reservation: String

    @Option(help: .value("n", "Less than was reserved; the rest comes back."))
    var amount: Int64?

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .commit(reservation: reservation, amount: amount), for: subject,
            sentence: "\(subject)'s reservation \(reservation) is committed")
    }
}
