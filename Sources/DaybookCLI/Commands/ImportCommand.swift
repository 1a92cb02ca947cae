import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take in events, one JSON object a line.",
        discussion: """
            The whole file is checked first; then it is appended in batches. An interrupted import is finished by \
            running it again: what is there is skipped by its key.

              daybook import events/dozzi/refund-after-two-stories.ndjson --as-recorded
              daybook import - < month.ndjson
              daybook import month.ndjson --dry-run
              daybook import month.ndjson --keep-going   # refused lines go to month.ndjson.refused
            """)

    @Argument(help: "The file, or - for the standard input.")
    var file: String

    @Flag(help: "Keep the recorded_at of each line; into an empty ledger, or later than all in it.")
    var asRecorded = false

    @Flag(help: "Check everything and append nothing.")
    var dryRun = false

    @Flag(
        help:
            "Append what is fine, write what is not to a file with the reasons; exits with 3 then.")
    var keepGoing = false

    @Option(
        help: ArgumentHelp(
            "Where refused lines go. Default: FILE.refused, or import.refused.", valueName: "file"))
    var refused: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let input = try InputFile(file)
        let options = ImportOptions(
            isAsRecorded: asRecorded, isDryRun: dryRun, keepsGoing: keepGoing)
        let bar = ProgressBar("import")
        let byteCount = Int64(input.byteCount ?? 0)
        defer { bar.finish() }
        let report = try await ledger.writing { ledger in
            try await ledger.importLines({ try input.next() }, options: options) { progress in
                Self.show(progress, on: bar, byteCount: byteCount)
            }
        }
        bar.finish()
        let path = try writeRefused(report.refused)
        show(report, path)
        if !report.refused.isEmpty { throw ExitCode.badInput }
    }

    private static func show(_ progress: ImportProgress, on bar: ProgressBar, byteCount: Int64) {
        switch progress.phase {
        case .reading:
            bar.show(
                Int64(progress.bytes), of: byteCount,
                note: "reading, \(Words.grouped(Int64(progress.lines))) lines")
        case .appending:
            bar.show(
                Int64(progress.appended), of: Int64(progress.total),
                note:
                    "\(Words.grouped(Int64(progress.appended))) of \(Words.grouped(Int64(progress.total)))"
            )
        }
    }

    /// Each refused line with its reason, as a line of its own; nothing is lost.
    private func writeRefused(_ problems: [LineProblem]) throws -> String? {
        guard !problems.isEmpty else { return nil }
        let path = refused ?? (file == "-" ? "import.refused" : file + ".refused")
        var bytes: [UInt8] = []
        for problem in problems {
            let object: JSONObject = [
                "line": .integer(Int64(problem.line)), "column": .integer(Int64(problem.column)),
                "code": .string(problem.code), "reason": .string(problem.reason),
                "text": .string(String(decoding: problem.bytes, as: UTF8.self)),
            ]
            bytes += object.canonicalBytes + [0x0A]
        }
        try OutputFile.write(bytes, to: path)
        return path
    }

    private func show(_ report: ImportReport, _ path: String?) {
        guard !output.json else {
            return Terminal.output.write([
                "lines": .integer(Int64(report.lines)),
                "appended": .integer(Int64(report.appended)),
                "duplicates": .integer(Int64(report.duplicates)),
                "refused": .integer(Int64(report.refused.count)), "refused_file": .orNull(path),
                "dry_run": .bool(dryRun),
            ])
        }
        let name = file == "-" ? "the standard input" : file
        let events = Words.count(Int64(report.appended), "event")
        let mark = Terminal.output.paint(report.refused.isEmpty ? "✓" : "!", .good)
        var text =
            dryRun
            ? "\(mark) \(name): \(Words.count(Int64(report.lines), "line")) checked, nothing appended"
            : "\(mark) \(name): \(events) appended"
        if report.duplicates > 0 { text += ", \(report.duplicates) there before" }
        if let path { text += ", \(report.refused.count) refused, see \(path)" }
        Terminal.output.write(text + "\n")
    }
}
