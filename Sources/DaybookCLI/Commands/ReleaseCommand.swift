import ArgumentParser
import DaybookDomain

struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Give back what was reserved.",
        discussion: """
              daybook release ada r1
            """)

    @Argument(help: "ID of the customer.")
    var subject: String

    @Argument(help: "ID of the reservation.")
    var reservation: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .release(reservation: reservation), for: subject,
            sentence: "\(subject)'s reservation \(reservation) is released")
    }
}
