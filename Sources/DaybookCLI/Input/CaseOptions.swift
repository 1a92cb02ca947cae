import ArgumentParser
import Daybook
import DaybookEvents
import Foundation

/// Writing a ledger case by case, to be folded elsewhere.
struct CaseOptions: ParsableArguments {
    @Option(help: .value("n", "Write all events case by case into this many files of a folder."))
    var partitions: Int?

    @Option(help: .value("n", "With --partitions: threads that write. Default: one for each core."))
    var workers: Int?

    @Option(help: "With --partitions: compress each file by the program of this name.")
    var compress: Compression?

    @OptionGroup var moment: MomentOptions

    private static let partitionsMax = 10_000
    static let contextName = "context.ndjson"

    var isAsked: Bool { partitions != nil }

    func validate(output: String?) throws {
        guard let partitions else {
            try require(
                workers == nil && compress == nil && moment.knownAt == nil && moment.at == nil,
                "--workers, --compress, --known-at and --at go with --partitions.")
            return
        }
        try ValidationError.check("--partitions", partitions, in: 1...Self.partitionsMax)
        guard let output, output != "-" else {
            throw ValidationError("--partitions writes files: name a folder with --output.")
        }
        try ValidationError.check("--workers", workers, in: 1...64)
    }

    /// Writes the files of a folder that are not there yet.
    func write(_ ledger: Ledger, into folder: String, json: Bool) throws {
        let count = partitions ?? 1
        try OutputFile.makeFolder(folder)
        try compress?.confirm()
        let export = try export(ledger, folder)
        let context = export.context
        let names = (0..<count).map { name($0, count, context) }
        try Self.confirm(folder, holdsOnly: names)
        let access = OutputFile.Access.like(ledger: ledger.path)
        try OutputFile.write(context.bytes, to: "\(folder)/\(Self.contextName)", access: access)
        let partitions = export.partitions(count)
        let missing = (0..<count).filter {
            !FileManager.default.fileExists(atPath: "\(folder)/\(names[$0])")
        }
        let bar = ProgressBar("export")
        let done = try Parallel.run(
            workers: min(workers ?? Parallel.processorCount, max(1, missing.count)),
            turns: missing.count, workspace: { _ in Int64(0) }
        ) { events, number, _ in
            let partition = missing[number]
            let file = try OutputFile("\(folder)/\(names[partition])", access: access)
            events += try write(partitions[partition], of: export, to: file)
            try file.finish()
            bar.show(
                Int64(number + 1), of: Int64(missing.count),
                note: "\(number + 1) of \(missing.count) files")
        }
        bar.finish()
        try tell(context, files: missing.count, events: done.reduce(0, +), json: json)
    }

    /// - Returns: How many events were written.
    private func write(
        _ partition: CasePartition, of export: CaseExport, to file: OutputFile
    ) throws -> Int64 {
        guard let compress else { return try export.write(partition) { try file.write($0) } }
        let filter = try CompressingFilter(compress, to: file)
        let events = try export.write(partition) { try filter.write($0) }
        try filter.finish()
        return events
    }

    /// A fold of all files of the folder must not meet an event twice.
    private static func confirm(_ folder: String, holdsOnly names: [String]) throws {
        let known = Set(names)
        let found = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        guard let other = found.first(where: { $0.hasPrefix("cases-") && !known.contains($0) })
        else { return }
        throw Failure(
            .badInput, "other_context",
            "\(folder) has \(other) of another export; name an empty folder, or the same --partitions and --compress"
        )
    }

    /// As of the place that a run before began with, where one did.
    private func export(_ ledger: Ledger, _ folder: String) throws -> CaseExport {
        let path = "\(folder)/\(Self.contextName)"
        let moment = try moment.moment()
        guard FileManager.default.fileExists(atPath: path) else {
            return try ledger.caseExport(moment)
        }
        let former = try FoldContext(
            reading: try InputFile(path).context(), zones: ledger.zoneTables)
        let export = try ledger.caseExport(
            Moment(at: former.at, knownAt: .position(former.position)))
        let asked = moment == .now ? former : try ledger.caseExport(moment).context
        try Failure.require(
            export.context == former && asked == former, .badInput, "other_context",
            "\(folder) has the export of another ledger or another moment; name an empty folder")
        return export
    }

    private func name(_ partition: Int, _ count: Int, _ context: FoldContext) -> String {
        func padded(_ number: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, 5 - text.count)) + text
        }
        return
            "cases-\(padded(partition))-of-\(padded(count))-\(context.place).ndjson\(compress?.suffix ?? "")"
    }

    private func tell(_ context: FoldContext, files: Int, events: Int64, json: Bool) throws {
        let words =
            "\(Words.count(context.caseCount, "case")), \(Words.count(context.eventCount, "event")) as of position \(context.position); \(Words.count(files, "file")) written"
        let object: JSONObject = [
            "cases": .integer(context.caseCount), "events": .integer(context.eventCount),
            "position": .integer(context.position), "place": .string(context.place),
            "context": .string(context.digest), "files_written": .count(files),
            "events_written": .integer(events),
        ]
        let text = json ? String(decoding: object.canonicalBytes, as: UTF8.self) : words
        try Terminal.output.write(bytes: Array((text + "\n").utf8))
    }
}
