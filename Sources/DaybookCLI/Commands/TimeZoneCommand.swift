import ArgumentParser
import DaybookDomain

struct TimeZoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timezone", abstract: "Say in which time zone a customer lives.",
        discussion: """
            Takes effect with the next period.

              daybook timezone ada Europe/Amsterdam
            """)

    @Argument(help: "ID of the customer.")
    var subject: String

    @Argument(help: "An IANA name.")
    var zone: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .changeTimeZone(zone), for: subject, sentence: "\(subject) lives in \(zone)")
    }
}
