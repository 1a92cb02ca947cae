import ArgumentParser
import DaybookDomain
import DaybookEvents

struct AmendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "amend",
        abstract: "Replace fields of an event; the original stays in the history.",
        discussion: """
            Signed facts can be voided, not amended. With --dry-run it lists the customers whose answers would be \
            different, and writes nothing. Times are milliseconds since 1970 or RFC 3339, as in every event that is \
            read.

              daybook amend 2 --set amount=2 --dry-run
              daybook amend 2 --set amount=2 --reason "counted wrong"
              daybook amend native/story-1 --patch '{"amount":2}'
            """)

    @Argument(help: "The event: a position such as 1042, or SOURCE/KEY such as native/story-1.")
    var target: String

    @Option(
        help: .value(
            "field=value", "A field of the event's data and its new value; may be repeated."))
    var set: [String] = []

    @Option(help: .value("json", "Fields and their new values as a JSON object."))
    var patch: String?

    @Option(help: .value("subject", "ID of the customer, where the event names none."))
    var subject: String?

    @OptionGroup var write: WriteOptions

    mutating func validate() throws {
        try require(
            !set.isEmpty || patch != nil, "Say what changes: --set field=value or --patch JSON.")
        try require(set.allSatisfy({ $0.contains("=") }), "--set takes field=value.")
    }

    mutating func run() async throws {
        var fields = try patch.map { try JSONText.object($0, option: "--patch") } ?? JSONObject()
        for text in set {
            guard let sign = text.firstIndex(of: "=") else { continue }
            let value = String(text[text.index(after: sign)...])
            // What reads as JSON is JSON; everything else is the text that it is.
            fields[String(text[..<sign])] =
                (try? JSONReader.read(Array(value.utf8))) ?? .string(value)
        }
        let change = fields
        try await write.correct(target, subject: subject) { found in
            .amendEvent(source: found.source, key: found.key, patch: change)
        }
    }
}
