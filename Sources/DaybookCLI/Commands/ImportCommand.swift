import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take in events, one JSON object per line.",
        discussion: """
            The whole file is checked first; then it is appended in batches. An interrupted import is finished by \
            running it again: what is there is skipped by its key.

            --as-recorded is possible where nothing was recorded later than the file's first line: into a ledger \
            without any event ("daybook init LEDGER --app APP") for a whole export, which brings its catalogs along, \
            or behind a catalog that was recorded before ("daybook init LEDGER --catalog FILE --at TIME") for a \
            recorded stream.

              daybook import events/dozzi/refund-after-two-stories.ndjson
              daybook import - < events/dozzi/two-stories-then-paywall.ndjson
              daybook import events/dozzi/two-stories-then-paywall.ndjson --dry-run
              daybook import datasets/webshop/orders.csv --map datasets/webshop/map.yaml
              daybook import month.ndjson --keep-going --refused refused.ndjson

            A line with a type, a member or a name of a meter, feature or entitlement that neither this build nor a \
            catalog knows is refused, with the nearest known name, because what is recorded stays for ever; \
            --allow-unknown keeps it. Names that are published anywhere in the file count. What stores say, and lines \
            with a recorded_at, are kept and counted.
            """)

    @Argument(help: "The file, or - for the standard input.")
    var file: String

    @Option(
        help: .value(
            "file",
            "The file is delimited text, and this says what its columns are (docs/import-maps.md).")
    )
    var map: String?

    @Flag(help: "Keep the recorded_at of each line; into an empty ledger, or later than all in it.")
    var asRecorded = false

    @Flag(help: "Check everything and append nothing.")
    var dryRun = false

    @Flag(
        help:
            "Append what is fine, write what is not to a file with the reasons; exits with 3 then.")
    var keepGoing = false

    @Flag(help: "Keep types, members and names that neither this build nor a catalog knows.")
    var allowUnknown = false

    @Option(
        help: .value("file", "Where refused lines go. Default: FILE.refused, or import.refused."))
    var refused: String?

    @OptionGroup var basic: BasicOptions

    mutating func validate() throws {
        try require(
            map == nil || !asRecorded,
            "Rows have no recorded_at; leave out --as-recorded or --map.")
    }

    mutating func run() async throws {
        let input = try InputFile(file)
        // Before anything is appended: nothing of the file may be lost.
        if keepGoing { try OutputFile.check(refusedPath) }
        let options = ImportOptions(
            isAsRecorded: asRecorded, isDryRun: dryRun, keepsGoing: keepGoing,
            refusesUnknown: !allowUnknown, map: try map.map(ImportMapFile.read))
        let byteCount = Int64(input.byteCount ?? 0)
        let (report, known) = try await basic.ledger.opening(
            isDryRun: dryRun, "import"
        ) { ledger, bar in
            do {
                let report = try await ledger.importLines(
                    { try input.next() }, options: options
                ) { progress in Self.show(progress, on: bar, byteCount: byteCount) }
                return (report, try KnownTypes(ledger))
            } catch LedgerError.badInput(let problems) where asRecorded {
                throw Self.misfit(problems, app: ledger.app)
            }
        }
        let path = try writeRefused(report.refused)
        try show(report, path, known)
        if let path {
            throw Failure.refused(
                report.refused.map(InputProblem.init), map == nil ? "line" : "row",
                isRestTaken: report.appended + report.duplicates > 0 && !dryRun,
                remedy: "see \(path)")
        }
    }

    /// What helps when the times of a file do not fit into a ledger.
    private static func misfit(_ problems: [InputProblem], app: String) -> any Error {
        let error = LedgerError.badInput(problems)
        let isMisfit = problems.contains {
            $0.reason.hasPrefix("recorded_at:") || $0.code == "idempotency_conflict"
        }
        guard isMisfit, var failure = Failure(error) else { return error }
        failure.remedy =
            "an export fits with its times into a ledger without events: daybook init LEDGER --app \(app)"
        return failure
    }

    private static func show(_ progress: ImportProgress, on bar: ProgressBar, byteCount: Int64) {
        switch progress.phase {
        case .reading:
            bar.show(
                Int64(progress.bytes), of: byteCount,
                note: "reading, \(Words.grouped(progress.lines)) lines")
        case .appending:
            bar.show(progress.appended, of: progress.total)
        }
    }

    private var refusedPath: String {
        refused ?? (file == "-" ? "import.refused" : file + ".refused")
    }

    /// Each refused line with its reason, as a line of its own; nothing is lost.
    private func writeRefused(_ problems: [LineProblem]) throws -> String? {
        guard !problems.isEmpty else { return nil }
        let path = refusedPath
        var bytes: [UInt8] = []
        for problem in problems {
            let object: JSONObject = [
                "line": .count(problem.line), "column": .count(problem.column),
                "code": .string(problem.code), "reason": .string(problem.reason),
                "text": .string(String(decoding: problem.bytes, as: UTF8.self)),
            ]
            bytes += object.canonicalBytes + [0x0A]
        }
        try OutputFile.write(bytes, to: path, access: .like(ledger: try basic.ledger.path()))
        return path
    }

    private func show(
        _ report: ImportReport, _ path: String?, _ known: KnownTypes
    ) throws {
        let more: JSONObject = ["refused_file": .orNull(path), "dry_run": .bool(dryRun)]
        try basic.output.show(report.json.adding(more)) { terminal in
            let name = file == "-" ? "the standard input" : file
            let events = Words.count(report.appended, "event")
            let mark = report.refused.isEmpty ? terminal.tick : terminal.paint("!", .warning)
            var text: HumanText =
                dryRun
                ? "\(mark) \(name): \(Words.count(report.lines, "line")) checked, nothing appended"
                : "\(mark) \(name): \(events) appended"
            if report.duplicates > 0 { text += ", \(report.duplicates) there before" }
            if let path { text += ", \(report.refused.count) refused, see \(path)" }
            text += "\n"
            func tell(_ count: Int?, _ what: String, _ hint: String = "") {
                let events = Words.count(Int64(count ?? 0), "event has", "events have")
                text +=
                    "\(terminal.paint("!", .warning)) \(events) the unknown \(what), kept as it came\(hint)\n"
            }
            for type in report.unknownTypes.keys.sorted() {
                tell(report.unknownTypes[type], "type \(type)", known.hint(type))
            }
            for name in report.unknownNames.keys.sorted() { tell(report.unknownNames[name], name) }
            for name in report.unknownTransactions {
                text += UnknownTransactionText.text(name, terminal)
            }
            return text
        }
    }
}
