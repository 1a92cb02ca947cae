import DaybookDomain
public import DaybookEvents
public import DaybookIngest

/// How a file is taken in (rule 28).
public struct ImportOptions: Sendable, Equatable {
    /// Keep the file's `recorded_at`.
    public var isAsRecorded: Bool
    /// Check everything, append nothing.
    public var isDryRun: Bool
    /// Append what is fine and report the rest, instead of refusing the whole file.
    public var keepsGoing: Bool
    /// The trust of lines that name none.
    public var defaultTrust: Trust

    public init(
        isAsRecorded: Bool = false, isDryRun: Bool = false, keepsGoing: Bool = false,
        defaultTrust: Trust = .imported
    ) {
        self.isAsRecorded = isAsRecorded
        self.isDryRun = isDryRun
        self.keepsGoing = keepsGoing
        self.defaultTrust = defaultTrust
    }
}

/// How far an import is.
public struct ImportProgress: Sendable, Equatable {
    public enum Phase: String, Sendable { case reading, appending }
    public var phase: Phase
    public var lines: Int
    public var appended: Int
    public var bytes: Int
    /// Events that wait to be appended; 0 while reading.
    public var total: Int
}

/// What became of a file.
public struct ImportReport: Sendable, Equatable {
    public var lines: Int
    public var appended: Int
    public var duplicates: Int
    public var refused: [LineProblem]
}

extension Ledger {
    /// Takes in newline-delimited events: the whole input is checked first, then appended in batches; an interrupted
    /// import is finished by running it again, because keys skip what is there (rule 28).
    /// - Parameter next: Gives the next bytes, `nil` at the end; chunks may end anywhere.
    /// - Throws: `LedgerError.badInput` with every refused line unless `keepsGoing`; then nothing was appended.
    public func importLines(
        _ next: () throws -> [UInt8]?, options: ImportOptions = ImportOptions(),
        progress: @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws -> ImportReport {
        var (events, problems, lineCount, byteCount) = try read(next, options, progress)
        try refresh()
        guard problems.isEmpty || options.keepsGoing else {
            throw LedgerError.badInput(
                problems.map {
                    InputProblem(line: $0.line, column: $0.column, code: $0.code, reason: $0.reason)
                })
        }
        var report = ImportReport(lines: lineCount, appended: 0, duplicates: 0, refused: problems)
        // A dry run of the whole comes first: a conflict in the last line must not leave the first half behind.
        let lines = events.map(\.line)
        let drafts = events.map(\.draft)
        let rehearsal = ReportOptions(
            isAsRecorded: options.isAsRecorded, lines: lines, isDryRun: true)
        do {
            report.duplicates = try await record(drafts, options: rehearsal).duplicates
        } catch LedgerError.badInput(let found) where options.keepsGoing {
            let bad = Set(found.compactMap(\.line))
            report.refused += found.map {
                LineProblem(
                    line: $0.line ?? 0, column: 1, code: $0.code, reason: $0.reason,
                    bytes: rest(of: $0.line, events))
            }
            events.removeAll { bad.contains($0.line) }
        }
        guard !options.isDryRun else { return report }
        report.duplicates = 0
        try await append(events, options, &report, byteCount, progress)
        return report
    }

    private static let batchCount = 4_096

    private func append(
        _ events: [ReadEvent], _ options: ImportOptions, _ report: inout ImportReport,
        _ byteCount: Int, _ progress: @Sendable (ImportProgress) -> Void
    ) async throws {
        var start = 0
        while start < events.count {
            let end = min(start + Self.batchCount, events.count)
            let batch = events[start..<end]
            let receipt = try await record(
                batch.map(\.draft),
                options: ReportOptions(
                    isAsRecorded: options.isAsRecorded, lines: batch.map(\.line)))
            report.appended += receipt.appended
            report.duplicates += receipt.duplicates
            start = end
            progress(
                ImportProgress(
                    phase: .appending, lines: report.lines, appended: end, bytes: byteCount,
                    total: events.count))
        }
    }

    private func read(
        _ next: () throws -> [UInt8]?, _ options: ImportOptions,
        _ progress: @Sendable (ImportProgress) -> Void
    ) throws -> ([ReadEvent], [LineProblem], Int, Int) {
        var reader = NDJSONReader(app: app, defaultTrust: options.defaultTrust)
        var events: [ReadEvent] = []
        var problems: [LineProblem] = []
        var rest: [UInt8] = []
        var bytes = 0
        while let chunk = try next() {
            bytes += chunk.count
            rest += chunk
            // A line that never ends must not fill the memory.
            guard rest.count < 64 << 20 || rest.contains(0x0A) else { break }
            guard let last = rest.lastIndex(of: 0x0A) else { continue }
            let found = reader.read(Array(rest[...last]))
            events += found.events
            problems += found.problems
            rest = Array(rest[(last + 1)...])
            progress(
                ImportProgress(
                    phase: .reading, lines: events.count + problems.count, appended: 0,
                    bytes: bytes, total: 0))
        }
        let found = reader.read(rest)
        events += found.events
        problems += found.problems
        return (events, problems, events.count + problems.count, bytes)
    }

    private func rest(of line: Int?, _ events: [ReadEvent]) -> [UInt8] {
        guard let event = events.first(where: { $0.line == line }) else { return [] }
        return EventJSON.object(of: event.draft).canonicalBytes
    }
}
