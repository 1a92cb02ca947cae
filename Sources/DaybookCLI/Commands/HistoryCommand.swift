import ArgumentParser
import Daybook
import DaybookEvents

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show a customer's timeline.",
        discussion: """
            Everything that names the customer, in the order in which it happened, whenever it became known.

              daybook history ada
              daybook history ada --known-at @1
              daybook history ada --json
            """)

    @Argument(help: "The customer.")
    var subject: String

    @OptionGroup var ask: AskOptions

    mutating func run() async throws {
        let moment = try ask.moment.moment()
        let entries = try await ask.ledger.asking { ledger in
            try ledger.history(of: subject, environment: ask.environment, moment: moment)
        }
        let json: JSONObject = [
            "subject": .string(subject), "events": .array(entries.map { .object($0.json) }),
        ]
        try ask.output.show(json) { terminal in
            entries.isEmpty
                ? "nothing is known of \(subject)\n" : HistoryText(entries: entries).text(terminal)
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
