import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import DaybookServer

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record facts that another system established.",
        discussion: """
            One event from its parts, or whole events as JSON, one per line, all or none. With --stream each \
            line is its own commit, and its receipt is printed as soon as it is on disk.

              daybook record paywall.shown ada --data '{"context":"usageLimitReached"}'
              daybook record usage.recorded ada --key story-9 \\
                --data '{"meter":"stories","amount":1,"ref":"story-9"}'
              daybook record \\
                '{"type":"app.launched","subject":"ada","source":{"key":"launch-1"}}'
              cat app.ndjson | daybook record - --stream

            A purchase or a refund of several products in one order has "items" in its data, a list of what is said of \
            each product; it becomes one event for each, of which all are recorded or none.

            A type, a member or a name of a meter, feature or entitlement that neither this build nor a catalog \
            knows is refused, because what is recorded stays for ever; with --allow-unknown it is kept as it is, \
            shown, and skipped by every answer.
            """)

    @Argument(help: "An event type, an event as JSON, or - for JSON lines from the standard input.")
    var event: String

    @Argument(help: "ID of the customer, when a type is given.")
    var subject: String?

    @Option(help: .value("json", "Data of the event, as a JSON object."))
    var data: String?

    @Option(help: .value("key", "Key of the event in its source; the same key again adds nothing."))
    var key: String?

    @Option(help: .value("kind", "Kind of the source."))
    var source = "native"

    @Option(help: .value("time", "Time at which it happened. Default: now."))
    var at: String?

    @Option(help: .value("profile", "ID of the profile, such as a dog or a child."))
    var profile: String?

    @Option(
        help: .value(
            "trust", "How far it is believed: verified, imported, admin, system, client_asserted."))
    var trust: String?

    @Flag(help: "One commit and one receipt for each line.")
    var stream = false

    @Flag(help: "Keep types, members and names that neither this build nor a catalog knows.")
    var allowUnknown = false

    @OptionGroup var common: CommonOptions

    private var isLines: Bool { event == "-" }
    private var isJSON: Bool { event.drop { $0.isWhitespace }.hasPrefix("{") }

    mutating func validate() throws {
        if isLines || isJSON {
            try require(
                subject == nil && data == nil && key == nil && at == nil,
                "An event as JSON says everything itself; leave the rest out.")
        }
        try require(
            !stream || isLines, "--stream reads the standard input: daybook record - --stream")
    }

    mutating func run() async throws {
        let input = isLines ? try InputFile("-") : nil
        try await common.ledger.writing { ledger in
            if let input, stream { return try await record(each: input, in: ledger) }
            let bytes =
                if let input { try input.all() } else if isJSON { Array(event.utf8) } else {
                    try assembled().canonicalBytes
                }
            do {
                try await record(bytes, in: ledger)
            } catch LedgerError.badInput(let problems) where !isLines && !isJSON {
                throw LedgerError.badInput(problems.map(Self.placed))
            }
        }
    }

    private func record(_ bytes: [UInt8], in ledger: Ledger) async throws {
        var reader = NDJSONReader(app: ledger.app)
        let (events, problems) = reader.read(bytes)
        try LedgerError.refuse(problems)
        try await record(events, known: try ledger.unknownNames(beside: events), in: ledger)
    }

    /// An event that was put together from options has no lines and columns: the option is named.
    private static func placed(_ problem: InputProblem) -> InputProblem {
        var problem = problem
        problem.line = nil
        problem.column = nil
        guard let member = problem.member else { return problem }
        let options = [
            "type": "the event type", "subject": "the customer", "profile": "--profile",
            "trust": "--trust", "occurred_at": "--at", "key": "--key", "source.key": "--key",
            "kind": "--source", "source.kind": "--source", "source": "--source", "data": "--data",
        ]
        let place =
            options[member]
            ?? (member.hasPrefix("data.") ? "--data, \(member.dropFirst(5))" : member)
        if problem.reason.hasPrefix("\(member): ") {
            problem.reason = String(problem.reason.dropFirst(member.count + 2))
        }
        problem.reason = "\(place): \(problem.reason)"
        return problem
    }

    /// Reads lines as they come; the receipt of each is out before the next one is decided.
    private func record(each input: InputFile, in ledger: Ledger) async throws {
        var reader = NDJSONReader(app: ledger.app)
        var known = try ledger.unknownNames(beside: [])
        while let piece = try input.next() {
            try await record(each: reader.take(piece), &known, in: ledger)
        }
        try await record(each: reader.finish(), &known, in: ledger)
    }

    /// What stands before a bad line is recorded; the bad line ends it.
    private func record(
        each found: NDJSONReader.Found, _ known: inout UnknownNames, in ledger: Ledger
    ) async throws {
        let firstBad = found.problems.first?.line ?? Int.max
        var rest = found.events.prefix { $0.line < firstBad }
        while let event = rest.first {
            // An order with items is one line and several events.
            let events = Array(rest.prefix { $0.line == event.line })
            rest = rest.dropFirst(events.count)
            // Only a catalog brings names, so a stream does not ask for them with every line.
            if event.draft.type.isOf(.catalog) {
                known = try ledger.unknownNames(beside: events)
            }
            try await record(events, known: known, in: ledger)
        }
        try LedgerError.refuse(Array(found.problems.prefix(1)))
    }

    private func record(
        _ events: [ReadEvent], known: UnknownNames, in ledger: Ledger
    ) async throws {
        var options = ReportOptions(isRestating: true)
        if !allowUnknown { options.names = known }
        let receipt = try await ledger.record(events, options: options)
        try show(receipt, of: events, known, ledger)
    }

    /// The event from its parts, which is then read like any other.
    private func assembled() throws -> JSONObject {
        var object: JSONObject = [
            "type": .string(event), "environment": .string(common.environment.name),
        ]
        var source: JSONObject = ["kind": .string(self.source)]
        if let key { source["key"] = .string(key) }
        object["source"] = .object(source)
        if let subject { object["subject"] = .string(subject) }
        if let profile { object["profile"] = .string(profile) }
        if let trust { object["trust"] = .string(trust) }
        if let instant = try InstantText.read(at, "--at") {
            object["occurred_at"] = .integer(instant)
        } else if key == nil {
            // Without a key the time is what tells one event from the next; with one, the ledger's clock says it, so
            // that trying again is the same request.
            object["occurred_at"] = .integer(SystemClock.now())
        }
        if let data { object["data"] = .object(try JSONText.object(data, option: "--data")) }
        return object
    }

    /// What is recorded stays for ever, so it is said where a type is not known, also of lines.
    private func show(
        _ receipt: ReportReceipt, of events: [ReadEvent], _ known: UnknownNames, _ ledger: Ledger
    ) throws {
        let unknown = try KnownTypes.unknown(events, ledger)
        var json = ledger.json(of: receipt)
        if !unknown.isEmpty { json["unknown_types"] = .texts(unknown.map(\.type)) }
        let names = Set(
            events.flatMap { known.findings(in: $0.draft) }.filter { $0.code != .unknownType }
                .map { "\($0.kind) \($0.name)" }
        ).sorted()
        if !names.isEmpty { json["unknown_names"] = .texts(names) }
        let refunded = try ledger.unknownTransactions(takenBackBy: events.map(\.draft))
        if !refunded.isEmpty { json["unknown_transactions"] = .texts(refunded) }
        try common.output.show(json) { terminal in
            var notes =
                unknown.map {
                    "\(terminal.paint("!", .warning)) \($0.type) is a type that this build does not know, kept as it came\($0.hint)\n"
                        as HumanText
                }
                + names.map {
                    "\(terminal.paint("!", .warning)) the \($0) is unknown, kept as it came\n"
                }
            notes += refunded.map { UnknownTransactionText.text($0, terminal) }
            guard receipt.appended > 0, let first = receipt.firstPosition,
                let last = receipt.lastPosition
            else {
                let nothing: HumanText =
                    events.isEmpty
                    ? "\(terminal.paint("!", .warning)) there is no event in it, nothing to record\n"
                    : "\(terminal.tick) recorded before, nothing to add\n"
                return notes.reduce(nothing, +)
            }
            let place = first == last ? "position \(first)" : "positions \(first) to \(last)"
            let before = receipt.duplicates > 0 ? ", \(receipt.duplicates) there before" : ""
            let text: HumanText =
                "\(terminal.tick) recorded at \(place)\(before), \(receipt.durability)\n"
                + RestatementText.text(
                    receipt.restatements, omitted: receipt.restatementsOmitted)
            return notes.reduce(text, +)
        }
    }
}
