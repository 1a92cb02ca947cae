import ArgumentParser
import Daybook
import DaybookDomain

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Let a customer's counter begin anew, now.",
        discussion: """
            Monthly resets need no command: they follow from time. This one is for support.

              daybook reset ada stories --actor kim --reason "lost stories, ticket 77"
            """)

    @Argument(help: "The customer.")
    var subject: String

    @Argument(help: "The meter.")
    var meter: String

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .resetUsage(meter: meter), for: subject,
            sentence: "\(subject)'s \(meter) begin anew")
    }
}
