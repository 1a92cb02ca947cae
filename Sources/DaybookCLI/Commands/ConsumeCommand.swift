import ArgumentParser
import DaybookDomain

struct ConsumeCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "consume", abstract: "Check and record a use, in one step.",
        discussion: """
            Either the units are available and are used, or nothing happens (exit code 1). The same --ref counts once \
            for ever; the same --idempotency-key prints the first receipt again.

              daybook consume ada stories --ref story-1
              daybook consume ada stories --idempotency-key tap-77 --json
              daybook consume ada collections -1 --ref sunday-dinners
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "The meter.")
    var meter: String

    @Argument(help: "How many units; on a gauge 1 or -1.")
    var amount: Int64 = 1

    @Option(help: .value("ref", "Reference to what was made, such as the ID of a story."))
    var ref: String?

    @Option(help: .value("profile", "ID of the profile, such as a dog or a child."))
    var profile: String?

    @OptionGroup var write: WriteOptions

    mutating func run() async throws {
        try await write.perform(
            .consume(meter: meter, amount: amount, ref: ref), for: subject, profile: profile,
            sentence: "\(subject) used \(amount) × \(meter)",
            repetition: ref.map { "\($0) was counted for \(subject) before; nothing to add" })
    }
}
