import ArgumentParser
import Daybook
import DaybookDomain

struct TimeZoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timezone", abstract: "Say in which time zone a customer lives.",
        discussion: """
            Rules periods from the next one on.

              daybook timezone ada Europe/Amsterdam
            """)

    @Argument(help: "The customer.")
    var subject: String

    @Argument(help: "An IANA name.")
    var zone: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .changeTimeZone(zone), for: subject, sentence: "\(subject) lives in \(zone)")
    }
}
