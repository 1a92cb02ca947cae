import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Fold everything from zero and compare.",
        discussion: """
            A ledger is compared with its live state; exits with 1 when they differ. A file of events is folded in \
            memory with its own recorded times, and its digest is printed.

              daybook replay
              daybook replay --workers 7 --json
              daybook replay --source rows
              daybook replay events/dozzi/refund-after-two-stories.ndjson
              daybook replay bug.ndjson --catalog events/dozzi/catalog.yaml

            A bundle that daybook capture wrote is known by what it says. Its answers are given again; exits with 1 \
            when one is another.

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

    @Option(help: "Threads that fold; the digest is the same for any number.")
    var workers: Int = 1

    @Option(
        help: ArgumentHelp(
            "Read sealed segments where there are any, or rows alone: segments or rows.",
            valueName: "source"))
    var source = ReplaySource.segments

    @Option(
        help: ArgumentHelp(
            "With a file: the catalog. Default: the file's own, else catalog.yaml beside it.",
            valueName: "file"))
    var catalog: String?

    @Option(help: ArgumentHelp("Exit with 1 unless this is the digest.", valueName: "digest"))
    var expect: String?

    @OptionGroup var step: StepOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        guard (1...64).contains(workers) else {
            throw ValidationError("--workers \(workers): write 1 to 64.")
        }
        guard file != nil || catalog == nil else {
            throw ValidationError("--catalog goes with a file of events.")
        }
        guard step.subject == nil || expect == nil else {
            throw ValidationError("--expect goes with a replay of everything, not with --step.")
        }
        try step.validate()
    }

    mutating func run() async throws {
        if let subject = step.subject {
            if let file {
                let ledger = try await StreamFile(path: file, catalog: catalog).load()
                return try await LedgerOptions.using(ledger) { try step.run(subject, $0, output) }
            }
            return try await ledger.asking { try step.run(subject, $0, output) }
        }
        let report: ReplayReport
        var answers: BundleAnswers?
        if let file {
            let (ledger, bundle) = try await StreamFile(path: file, catalog: catalog).read()
            report = try await LedgerOptions.using(ledger) {
                answers = try bundle.map { bundle in try BundleAnswers(bundle, of: ledger) }
                return try replay($0)
            }
        } else {
            report = try await ledger.asking { try replay($0) }
        }
        let isExpected = expect.map { $0 == report.digest.description } ?? true
        let isSame =
            report.agrees && report.differences.isEmpty && isExpected && answers?.areSame ?? true
        try show(report, answers, isSame: isSame, isExpected: isExpected)
        if !isSame { throw ExitCode.no }
    }

    private func replay(_ ledger: Ledger) throws -> ReplayReport {
        let bar = ProgressBar("replay")
        defer { bar.finish() }
        let events = try ledger.head().position
        return try ledger.replay(workers: workers, source: source) { done, total in
            bar.show(done, of: total, events: events)
        }
    }

    private func show(
        _ report: ReplayReport, _ answers: BundleAnswers?, isSame: Bool, isExpected: Bool
    ) throws {
        var json: JSONObject = [
            "agrees": .bool(isSame), "events": .integer(report.events),
            "segment_events": .integer(report.segmentEvents),
            "units": .integer(Int64(report.units)), "digest": .string(report.digest.description),
            "live_digest": .string(report.liveDigest.description),
            "expected_digest": .orNull(expect), "differences": .texts(report.differences),
            "milliseconds": .integer(report.milliseconds),
        ]
        if let answers { json["bundle"] = .object(answers.json) }
        let count =
            "\(Words.count(report.events, "event")), \(Words.count(Int64(report.units), "unit"))"
        var table = Table()
        table.add(Table.Cell("replayed", .dim), .init(report.digest.description))
        table.add(Table.Cell("live", .dim), .init(report.liveDigest.description))
        if let expect, !isExpected { table.add(Table.Cell("expected", .dim), .init(expect)) }
        for name in report.differences { table.add(Table.Cell("differs", .bad), .init(name)) }
        try output.show(json) { terminal in
            let mark = isSame ? terminal.tick : terminal.paint("✗", .bad)
            return "\(mark) \(count), \(Words.duration(report.milliseconds))\n"
                + table.text(terminal) + (answers?.text(terminal) ?? "")
        }
    }
}
