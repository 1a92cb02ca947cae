import ArgumentParser
import Daybook
import DaybookAudit

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what is different between two moments, or two ledgers.",
        discussion: """
            Compares one customer, or all customers in every environment unless --env names one. A moment is what was \
            true then, as known then; without --to it is now. \
            With --against it compares two ledgers at one moment: only what their digests tell apart is examined. \
            Changes nothing. Exits with 0 when nothing is different and with 1 when something is.

              daybook diff ada --from 2026-03-01T00:00:00Z
              daybook diff ada --from 2026-03-01T00:00:00Z --to 2026-04-01T00:00:00Z
              daybook diff ada --from-known-at @1
              daybook diff --from 2026-03-01T00:00:00Z --json
            """)

    @Argument(help: "ID of the customer. Default: all customers.")
    var subject: String?

    @Option(
        help: .value("time", "The first moment: its time. Default: the time of the second moment."))
    var from: String?

    @Option(
        help: .value(
            "time", "The first moment: only what had been recorded by then: a time, or @position."))
    var fromKnownAt: String?

    @Option(help: .value("time", "The second moment: its time. Default: now."))
    var to: String?

    @Option(
        help: .value(
            "time",
            "The second moment: only what had been recorded by then: a time, or @position."))
    var toKnownAt: String?

    @Option(
        help: .value(
            "ledger", "Another ledger of the app; changes are shown from that one to this one."))
    var against: String?

    @Option(help: .value("profile", "Answer for this profile of the customer."))
    var profile: String?

    @OptionGroup private var environmentOption: EnvironmentOption
    @OptionGroup var basic: BasicOptions

    mutating func validate() throws {
        if against != nil {
            try require(
                subject == nil && profile == nil && from == nil && fromKnownAt == nil
                    && toKnownAt == nil,
                "--against compares all customers of two ledgers at one time; say that with --to.")
            return
        }
        try require(
            from != nil || fromKnownAt != nil,
            "Say --from, --from-known-at or both: what is compared with?")
        try require(subject != nil || profile == nil, "--profile goes with a customer.")
    }

    mutating func run() async throws {
        let isSame =
            if let against { try await compare(with: against) } else { try await moments() }
        if !isSame { throw ExitCode.no }
    }

    private func moments() async throws -> Bool {
        let second = Moment(
            at: try InstantText.read(to, "--to") ?? SystemClock.now(),
            knownAt: try InstantText.knowledge(toKnownAt, "--to-known-at"))
        let first = Moment(
            at: try InstantText.read(from, "--from") ?? second.at,
            knownAt: try InstantText.knowledge(fromKnownAt, "--from-known-at"))
        return try await basic.ledger.asking { ledger in
            try subject.map { try one($0, ledger, first, second) }
                ?? customers(ledger, first, second)
        }
    }

    /// Compares with another ledger; of JSON the last line says how far was looked.
    private func compare(with path: String) async throws -> Bool {
        let at = try InstantText.read(to, "--to")
        return try await basic.ledger.asking("diff") { ledger, bar in
            try await LedgerOptions.using(try Ledger.open(path, readOnly: true)) { other in
                let found = try ledger.differences(
                    from: other, in: environmentOption.named, at: at,
                    progress: { bar.show($0, of: $1, note: "") },
                    { found in try basic.output.show(found.json) { found.text($0) } })
                try basic.output.show(found.json) { _ in found.text }
                return found.differing == 0
            }
        }
    }

    private func one(
        _ subject: String, _ ledger: Ledger, _ first: Moment, _ second: Moment
    ) throws -> Bool {
        let (found, from, to) = try ledger.difference(
            of: subject, profile: profile, environment: environmentOption.environment,
            from: first, to: second)
        try basic.output.show(found.json(from: from, to: to)) { terminal in
            found.text(terminal)
                + "  \(terminal.paint("from \(from.sentence)", .dim))\n"
                + "  \(terminal.paint("to   \(to.sentence)", .dim))\n"
        }
        return found.changes.isEmpty
    }

    /// One line of JSON for each customer, so that nothing has to be held.
    private func customers(_ ledger: Ledger, _ first: Moment, _ second: Moment) throws -> Bool {
        let bar = ProgressBar("diff")
        defer { bar.finish() }
        var different = 0
        let people = try ledger.differences(
            in: environmentOption.named, from: first, to: second,
            progress: { bar.show(Int64($0), of: Int64($1), note: Words.count($0, "name")) },
            { found in
                different += 1
                try basic.output.show(found.json) { found.text($0) }
            })
        if !basic.output.json {
            let count = Words.count(different, "customer")
            try Terminal.output.write("\(count) of \(Words.grouped(people)) differ\n")
        }
        return different == 0
    }
}
