import ArgumentParser
import Daybook
import DaybookAudit
import DaybookDomain

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Fold everything from zero and compare.",
        discussion: """
            The outcome is compared with other computations: the same customers and lineages folded along the chains \
            of their streams, in a large ledger some of them; cached states; and the digest that the newest snapshot \
            was given when it was written. Exits with 1 when one differs. A file of events is folded in memory with \
            its own recorded times, and its digest is printed.

              daybook replay
              daybook replay --workers 7 --json
              daybook replay --source rows
              daybook replay events/dozzi/refund-after-two-stories.ndjson
              daybook replay bug.ndjson --catalog events/dozzi/catalog.yaml

            --digests writes the digest after each event into a file, with which "daybook bisect --against" finds the \
            first event that another build of Daybook folds differently.

              daybook replay --digests digests.json --every 1000

            With --catalog and no file, --drop or --insert it is a what-if: all customers are replayed under other \
            circumstances too, and what would be different is counted: the customers who gain or lose a feature or \
            reach a limit, what they have paid, and the customers who are affected most. Nothing is written; exits \
            with 0.

              daybook replay --catalog five-stories.yaml
              daybook replay --catalog five-stories.yaml \\
                --effective 2026-03-01T00:00:00Z --at 2026-03-31T23:59:59Z
              daybook replay --drop 2 --insert more.ndjson --json
              daybook replay --catalog five-stories.yaml --subject ada

            A bundle that "daybook capture" wrote is recognized by its content. Its answers are computed again; exits \
            with 1 when one differs.

              daybook replay bug.daybundle

            --step replays one customer event by event, forwards and backwards, and shows what each event changed: by \
            keys on a terminal, by lines of the standard input or of --script elsewhere. Nothing is written.

              daybook replay --step ada
              daybook replay --step ada --script steps.txt --json
              daybook replay --step ada --break "used:stories>=2"
              daybook replay --step u_1199 events/dozzi/refund-after-two-stories.ndjson
            """)

    @Argument(help: "A file of events, or - for the standard input. Default: the ledger.")
    var file: String?

    @Option(
        help: .value(
            "n",
            "Threads that fold; the outcome is the same for any number. Default: 1, of a what-if one for each core."
        ))
    var workers: Int?

    @Option(
        help: .value(
            "source", "Read sealed segments where there are any, or rows alone: segments or rows."))
    var source = ReplaySource.segments

    @Option(
        help: .value(
            "file",
            "With a file: its catalog. Default: the file's own, else catalog.yaml beside it. With a ledger: a what-if under this catalog."
        ))
    var catalog: String?

    @Option(help: .value("digest", "Exit with 1 unless the digest is this one."))
    var expect: String?

    @Option(
        help: .value(
            "file", "Write the digest after each event to this file instead of comparing."))
    var digests: String?

    @Option(
        help: .value(
            "n",
            "With --digests: events between two whole digests. Default: \(DigestTrace.everyDefault)."
        ))
    var every: Int64?

    @Option(
        help: .value(
            "time",
            "With --step or a what-if: only what had been recorded by then: a time, or @position."))
    var knownAt: String?

    @OptionGroup var whatIf: WhatIfOptions
    @OptionGroup var step: StepOptions
    @OptionGroup var common: CommonOptions

    mutating func validate() throws {
        try ValidationError.check("--workers", workers, in: 1...64)
        try require(
            step.subject == nil || !isWhatIf,
            "--step replays what was; it does not go with a what-if.")
        try require(
            knownAt == nil || isWhatIf || step.subject != nil,
            "--known-at goes with --step, and with a what-if.")
        try require(
            expect == nil || !isWhatIf, "--expect goes with a plain replay, not with a what-if.")
        guard digests == nil || file == nil && !isWhatIf && step.subject == nil && expect == nil
        else { throw ValidationError("--digests goes with a plain replay of a ledger.") }
        if let every {
            try require(
                digests != nil && DigestTrace.everyRange.contains(every),
                "--every goes with --digests; write \(DigestTrace.everyRange.lowerBound) to \(DigestTrace.everyRange.upperBound)."
            )
        }
        try whatIf.validate(isAsked: isWhatIf, catalog: file == nil && catalog != nil)
        try require(
            step.subject == nil || expect == nil,
            "--expect goes with a replay of everything, not with --step.")
        try step.validate()
    }

    mutating func run() async throws {
        let environment = common.environment
        if let subject = step.subject {
            return try await asking {
                try step.run(subject, $0, environment: environment, knownAt: knownAt, common.output)
            }
        }
        if isWhatIf {
            return try await asking {
                try whatIf.run(
                    $0, catalog: file == nil ? catalog : nil, environment: environment,
                    knownAt: knownAt, workers: workers, common.output)
            }
        }
        if let digests { return try await asking { try write(digests, $0) } }
        let report: ReplayReport
        var answers: BundleAnswers?
        if let file {
            let (stream, bundle) = try await StreamFile(path: file, catalog: catalog).read()
            report = try await LedgerOptions.using(stream) { ledger in
                answers = try bundle.map { try BundleAnswers($0, of: ledger) }
                return try replay(ledger)
            }
        } else {
            report = try await common.ledger.asking { try replay($0) }
        }
        let isExpected = expect.map { $0 == report.digest.description } ?? true
        let isSame =
            report.agrees && report.differences.isEmpty && isExpected && answers?.areSame ?? true
        try show(report, answers, isSame: isSame, isExpected: isExpected)
        if !isSame { throw ExitCode.no }
    }

    private func write(_ path: String, _ ledger: Ledger) throws {
        let events = try ledger.head().position
        let trace = try ProgressBar.during("digest") { bar in
            try ledger.digests(
                every: every ?? DigestTrace.everyDefault, workers: workers
            ) { bar.show($0, of: $1, events: events) }
        }
        try OutputFile.write(
            trace.json.canonicalBytes + [0x0A], to: path, access: .like(ledger: ledger.path))
        try common.output.show([
            "events": .integer(trace.events), "every": .integer(trace.every),
            "digest": .string((trace.digests.last ?? StateDigest()).description),
            "file": .string(path),
        ]) { terminal in
            "\(terminal.tick) \(Words.count(trace.events, "event")), a digest after each, in \(path)\n"
        }
    }

    private var isWhatIf: Bool { whatIf.isAsked(catalog: file == nil && catalog != nil) }

    /// Asks the file that is given, or the ledger.
    private func asking<Answer>(_ body: (Ledger) throws -> Answer) async throws -> Answer {
        guard let file else { return try await common.ledger.asking(body) }
        let stream = try await StreamFile(path: file, catalog: catalog).load()
        return try await LedgerOptions.using(stream, body)
    }

    private func replay(_ ledger: Ledger) throws -> ReplayReport {
        let events = try ledger.head().position
        return try ProgressBar.during("replay") { bar in
            try ledger.replay(workers: workers ?? 1, source: source) { done, total in
                bar.show(done, of: total, events: events)
            }
        }
    }

    private func show(
        _ report: ReplayReport, _ answers: BundleAnswers?, isSame: Bool, isExpected: Bool
    ) throws {
        var json = report.json
        json["agrees"] = .bool(isSame)
        json["expected_digest"] = .orNull(expect)
        if let answers { json["bundle"] = .object(answers.json) }
        let count =
            "\(Words.count(report.events, "event")), \(Words.count(report.aggregates, "aggregate"))"
        var table = Table()
        table.add(label: "replayed", report.digest.description)
        table.add(label: "live", report.liveDigest.description)
        table.add(label: "compared", Self.sentence(report.comparison))
        if let expect, !isExpected { table.add(label: "expected", expect) }
        for name in report.differences { table.add(Table.Cell("differs", .bad), .init(name)) }
        if report.differencesOmitted > 0 {
            table.add(Table.Cell("differs", .bad), .init("and \(report.differencesOmitted) more"))
        }
        try common.output.show(json) { terminal in
            let mark = isSame ? terminal.tick : terminal.paint("✗", .bad)
            return "\(mark) \(count), \(Words.duration(report.milliseconds))\n"
                + table.text(terminal) + (answers?.text(terminal) ?? "")
        }
    }

    /// What the outcome was compared with, in one line.
    private static func sentence(_ comparison: ReplayComparison) -> String {
        var parts = [
            "\(Words.count(comparison.chainAggregates, "aggregate")) by chains in \(comparison.chainSource.rawValue)"
        ]
        if comparison.chainStep > 1 { parts[0] += ", one of \(comparison.chainStep)" }
        if let cut = comparison.snapshotCut { parts.append("the snapshot of position \(cut)") }
        return parts.joined(separator: "; ")
    }
}
