import ArgumentParser
import DaybookDomain

struct PinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Choose what stays writable when a gauge is over its limit.",
        discussion: """
              daybook pin ada sunday-dinners --meter collections
            """)

    @Argument(help: "ID of the customer.")
    var subject: String

    @Argument(help: "Ref of the item that stays writable.")
    var ref: String

    @Option(help: .value("meter", "The gauge; needed where there are several."))
    var meter: String?

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .pin(meter: meter, ref: ref), for: subject, sentence: "\(subject) keeps \(ref) writable"
        )
    }
}
