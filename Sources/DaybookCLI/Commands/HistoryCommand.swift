import ArgumentParser
import Daybook
import DaybookEvents

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show a customer's timeline.",
        discussion: """
            Everything that names the customer, in the order in which it happened, whenever it became known.

              daybook history ada
              daybook history ada --known-at @7
              daybook history ada --json
            """)

    @Argument(help: "The customer.")
    var subject: String

    @OptionGroup var moment: MomentOptions
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let moment = try moment.moment()
        let entries = try await ledger.asking { ledger in
            try ledger.history(
                of: subject, environment: environment.environment, moment: moment)
        }
        if output.json {
            Terminal.output.write([
                "subject": .string(subject), "events": .array(entries.map { .object($0.json) }),
            ])
        } else if entries.isEmpty {
            Terminal.output.write("nothing is known of \(subject)\n")
        } else {
            Terminal.output.write(HistoryText(entries: entries).text(.output))
        }
    }
}

extension HistoryEntry {
    var json: JSONObject {
        var object = EventJSON.object(of: event)
        object["label"] = .string(label)
        object["void"] = .bool(isVoid)
        object["late"] = .bool(isLate)
        object["amendments"] = .array(amendments.map { .integer($0) })
        object["stream"] = .string(event.stream.description)
        object["version"] = .integer(event.streamVersion)
        return object
    }
}
