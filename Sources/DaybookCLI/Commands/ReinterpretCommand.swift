import ArgumentParser
import Daybook
import DaybookEvents

struct ReinterpretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reinterpret",
        abstract: "Read the kept payloads again, and show what would differ.",
        discussion: """
            Runs the mapping code of this build over every payload that "ingest" kept, and compares the outcome with \
            what was recorded. Nothing is written without --apply; with it a difference becomes corrections: what is \
            signed is voided and recorded anew, what is not is amended. Applied twice, the second time finds nothing.

            No root is needed: what was believed when it came stays believed. What a person corrected stays so. \
            Dead letters are not touched: "daybook dead-letters retry" is for them. Events from a file of "export" \
            have no payloads and are counted. Exits with 1 when there are differences that were not applied.

              daybook reinterpret
              daybook reinterpret --subject ada --json
              daybook reinterpret --since 2026-03-01T00:00:00Z --apply --ticket OPS-7
            """)

    @Flag(help: "Record the differences as corrections.")
    var apply = false

    @Option(help: .value("time", "Only payloads taken in at this time or later."))
    var since: String?

    @Option(
        help: .value(
            "type",
            "Only payloads with an event recorded as this type, such as subscription.renewed."))
    var type: String?

    @Option(help: .value("subject", "Only payloads about this customer."))
    var subject: String?

    @Option(name: .customLong("env"), help: "Only this environment. Default: all.")
    var environment: Environment?

    @Option(help: .value("text", "Reason, for the audit."))
    var reason: String?

    @Option(help: .value("ticket", "Reference to the ticket, for the audit."))
    var ticket: String?

    @Option(help: .value("name", "Name of the operator, for the audit."))
    var actor: String?

    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        var options = ReinterpretOptions()
        options.environment = environment
        options.since = try InstantText.read(since, "--since")
        options.type = type.map(EventTypeName.init(rawValue:))
        options.subject = subject
        options.isApplied = apply
        if let reason { options.reason = reason }
        if let ticket { options.ticket = ticket }
        if let actor { options.actor = actor }
        let report = try await basic.ledger.opening(isDryRun: !apply, "reinterpret") {
            [options] ledger, bar in
            try await ledger.reinterpret(options) { progress in
                bar.show(
                    progress.events, of: progress.total,
                    note: Words.count(progress.payloads, "payload") + ", "
                        + Words.count(progress.differences, "difference"))
            }
        }
        try basic.output.show(report.json.adding(["applied": .bool(apply)])) {
            report.text($0, isApplied: apply)
        }
        if report.differenceCount > 0, !apply { throw ExitCode.no }
    }
}

extension ReinterpretationReport {
    fileprivate func text(_ terminal: Terminal, isApplied: Bool) -> HumanText {
        let isSame = differenceCount == 0
        let mark = isSame || isApplied ? terminal.tick : terminal.paint("!", .warning)
        var text: HumanText =
            "\(mark) \(Words.count(payloads, "payload")) read again, \(Words.count(events, "event"))"
        text +=
            isSame
            ? ": nothing differs\n" : ": \(Words.count(differenceCount, "difference"))\n"
        text += Table(differences.prefix(Self.listedMax)) { difference in
            [
                .init(difference.change.rawValue),
                .init(difference.position.map { "@\($0)" } ?? ""), .init(difference.type.rawValue),
                .init(difference.subject ?? ""), .init(difference.summary),
            ]
        }.text(terminal)
        if differenceCount > Self.listedMax {
            text += "  … and \(differenceCount - Self.listedMax) more; --json lists up to 1,000\n"
        }
        for unreadable in unreadable.prefix(Self.listedMax) {
            text +=
                "  unreadable  \(String(unreadable.sha256.prefix(12))) @\(unreadable.position): \(unreadable.reason)\n"
        }
        if settled > 0 {
            text += "  \(Words.count(settled, "event")) left as a person corrected them\n"
        }
        let without = withoutPayload.values.reduce(0, +)
        if without > 0 {
            let sources = withoutPayload.keys.sorted().map { "\($0) \(withoutPayload[$0] ?? 0)" }
            text +=
                "  \(Words.count(without, "event")) without a payload: \(sources.joined(separator: ", "))\n"
        }
        if isApplied, !isSame {
            text += "  \(Words.count(appended, "event")) appended\n"
        } else if !isSame {
            text += "  nothing is written; --apply records the differences as corrections\n"
        }
        return text
    }

    private static let listedMax = 20
}

extension ReinterpretedEvent {
    /// The fields that differ, from what to what, as far as that fits on a line.
    fileprivate var summary: String {
        guard change == .amended || change == .replaced else { return "\(source)/\(key)" }
        return fields.prefix(3).map { field in
            "\(field.name) \(Self.brief(field.recorded)) → \(Self.brief(field.now))"
        }.joined(separator: ", ") + (fields.count > 3 ? ", …" : "")
    }

    private static func brief(_ value: JSONValue?) -> String {
        guard let value else { return "–" }
        if let text = value.text { return String(text.prefix(40)) }
        if value.object != nil || value.array != nil { return "{…}" }
        return value.integer.map { String($0) } ?? value.bool.map { String($0) } ?? value.kindName
    }
}
