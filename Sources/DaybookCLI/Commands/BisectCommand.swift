import ArgumentParser
import Daybook
import DaybookAudit
import DaybookEvents

struct BisectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect", abstract: "Find the event since which a condition holds.",
        discussion: """
            A condition is evaluated as of one time, as known at one position after another, halving what is left: \
            allowed:NAME, denied:NAME or used:METER>=N, for one customer or for any. Where it turned more than once, \
            narrow the search with --from and --through. Exits with 0 when the event is found, with 1 when the \
            condition always held or never does.

              daybook bisect denied:premiumVoices ada
              daybook bisect "used:stories>=1" ada --at 2026-03-31T00:00:00Z
              daybook bisect allowed:premiumVoices ada --fails --from 2
              daybook bisect "used:stories>2" --json

            --against finds the first event after which this build folds differently from the build that wrote the \
            digests; the ledger must be the same. Exits with 0 when they agree everywhere and with 1 when they do not.

              daybook replay --digests digests.json
              daybook bisect --against digests.json
            """)

    @Argument(help: "allowed:NAME, denied:NAME or used:METER>=N (also >, =, !=, <, <=).")
    var condition: String?

    @Argument(help: "ID of the customer. Default: any customer.")
    var subject: String?

    @Flag(help: "Find the event since which the condition no longer holds.")
    var fails = false

    @Option(help: .value("time", "Evaluate as of this time. Default: now."))
    var at: String?

    @Option(
        help: .value(
            "position",
            "A position at which it does not hold yet. Default: 0, before the first event."))
    var from: String?

    @Option(help: .value("position", "A position at which it holds. Default: the last."))
    var through: String?

    @Option(help: .value("profile", "Answer for this profile of the customer."))
    var profile: String?

    @Option(help: .value("file", "A file of digests that another build wrote of the same ledger."))
    var against: String?

    @OptionGroup var common: CommonOptions

    mutating func validate() throws {
        try require(
            (condition == nil) != (against == nil),
            "Say what is searched: a condition, or --against FILE.")
        try require(
            against == nil,
            for: [
                ("--fails", fails), ("--at", at != nil), ("--from", from != nil),
                ("--through", through != nil), ("--profile", profile != nil),
            ], "a condition.")
        try require(profile == nil || subject != nil, "--profile goes with a customer.")
    }

    mutating func run() async throws {
        if let against { return try await compare(against) }
        guard let condition else { return }
        let asked = try StepWord.condition(condition)
        let instant = try InstantText.read(at, "--at")
        let first = try from.map { try position($0, "--from") }
        let last = try through.map { try position($0, "--through") }
        let found = try await common.ledger.asking("bisect") { ledger, bar in
            if let subject { try known(subject, ledger) }
            return try ledger.bisect(
                asked, holds: !fails, of: subject, profile: profile,
                environment: common.environment, at: instant, from: first, through: last
            ) { done, most in
                bar.show(Int64(done), of: Int64(most), note: Words.count(done, "fold"))
            }
        }
        try common.output.show(found.json(of: subject)) { found.text($0, subject) }
        guard case .turned = found.outcome else { throw ExitCode.no }
    }

    private func position(_ text: String, _ option: String) throws -> Int64 {
        let digits = text.hasPrefix("@") ? text.dropFirst() : Substring(text)
        guard let position = Int64(digits), position >= 0 else {
            throw Failure(
                .badInput, "bad_position", "\(option): \(text) is no position; write 1042 or @1042")
        }
        return position
    }

    private func known(_ subject: String, _ ledger: Ledger) throws {
        let environment = common.environment
        let (status, _) = try ledger.status(of: subject, environment: environment)
        try Failure.require(
            status.isKnown, .badInput, "unknown_subject",
            "nothing is known of \(subject) in \(environment.name); check the name and --env")
    }

    private func compare(_ path: String) async throws {
        let bytes = try InputFile(path).all(byteCountMax: 2 << 30)
        let trace = try DigestTrace(bytes)
        let result = try await common.ledger.asking("bisect") { ledger, bar in
            try ledger.bisect(against: trace) { done, total in
                bar.show(done, of: total, events: trace.events)
            }
        }
        try common.output.show(result.json) { result.text($0) }
        if result.found != nil { throw ExitCode.no }
    }
}

extension RecordedEvent {
    /// `@1042  2026-03-05T09:00:00Z  subscription.expired  u_1042`.
    fileprivate func place(_ terminal: Terminal) -> HumanText {
        "@\(position)  \(Words.time(draft.occurredAt))  \(terminal.paint(draft.type.rawValue, .bold))  \(stream.name)\n"
    }
}

extension Bisection {
    fileprivate func text(_ terminal: Terminal, _ subject: String?) -> HumanText {
        let verb = holds ? "holds" : "fails"
        let ofCustomer = subject.map { " of \($0)" } ?? ""
        var text: HumanText
        switch outcome {
        case .turned(let entry):
            text = "\(terminal.paint("\(condition) \(verb)\(ofCustomer) since", .heading))\n  "
            text += entry.event.place(terminal)
            if !subjects.isEmpty {
                let more = subjectsOmitted > 0 ? " and \(subjectsOmitted) more" : ""
                text += "  of \(subjects.joined(separator: ", "))\(more)\n"
            }
        case .always:
            text = "\(condition) \(verb)\(ofCustomer) at every position that was looked at\n"
        case .never:
            text = "\(condition) does not \(holds ? "hold" : "fail")\(ofCustomer) at @\(through)\n"
        }
        let note =
            "as of \(Words.time(at)), known at positions \(from) to \(through), \(Words.count(folds, "fold"))"
        return text + "  \(terminal.paint(note, .dim))\n"
    }
}

extension DigestBisection {
    fileprivate func text(_ terminal: Terminal) -> HumanText {
        let count = Words.count(events, "event")
        guard let found else {
            return "\(terminal.tick) the builds agree after each of \(count)\n"
        }
        var text: HumanText = "\(terminal.paint("the builds disagree since", .heading))\n  "
        if let event = found.event { text += event.place(terminal) }
        if found.range.count > 1 {
            text +=
                "  or an event since @\(found.range.lowerBound) of the same customer or lineage, which has too many events to be tried one by one\n"
        }
        var table = Table()
        table.add(label: "this build", found.ours.description)
        table.add(label: "the other", found.theirs.description)
        return text + table.text(terminal)
            + "  \(terminal.paint("\(count), \(Words.count(folds, "fold"))", .dim))\n"
    }
}
