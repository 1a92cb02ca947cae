import CDaybook
import DaybookDomain
import DaybookEvents
public import DaybookIngest

/// Takes in files of events.
struct Import {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// Takes in newline-delimited events: the whole input is checked first, then appended in batches; an interrupted
    /// import is finished by running it again, because keys skip what is there (rule 28).
    func importLines(
        _ next: () throws -> [UInt8]?, options: ImportOptions = ImportOptions(),
        progress: @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws -> ImportReport {
        let (file, reader) = try await dryRun(next, options, progress)
        guard file.refused.isEmpty || options.keepsGoing else {
            throw LedgerError.badInput(file.refused.map(InputProblem.init))
        }
        var report = ImportReport(
            lines: file.lineCount, appended: 0, duplicates: file.duplicates, refused: file.refused,
            unknownTypes: file.unknownTypes, unknownNames: file.unknownNames)
        report.unknownTransactions = try core.unknownTransactions(of: file.unmetRefunds)
        guard !options.isDryRun else { return report }
        // The places of all keys.
        daybook_give_back_memory()
        var done = 0
        var turn = WriteTurn()
        var batch = try await events(of: file.batches.first, file, reader)
        for index in file.batches.indices {
            try await turn.giveWay()
            // Read while the one before it is written.
            async let next = events(of: file.batches.dropFirst(index + 1).first, file, reader)
            if !batch.isEmpty {
                let receipt = try await append(batch, options, &report)
                report.appended += receipt.appended
                report.duplicates += receipt.duplicates
                done += batch.count
                progress(
                    ImportProgress(
                        phase: .appending, lines: report.lines, appended: done,
                        bytes: file.byteCount, total: file.eventCount))
            }
            batch = try await next
        }
        return report
    }

    /// The events of a batch that may be appended, read once more; none of no batch.
    private func events(
        of batch: CheckedFile.Batch?, _ file: CheckedFile, _ reader: any LineReader
    ) async throws -> [FileEvent] {
        guard let batch else { return [] }
        let lines = try core.translating { try file.lines(of: batch) }
        let read = try await read(lines.map(\.line), reader, isAppended: true)
        var events: [FileEvent] = []
        events.reserveCapacity(batch.eventCount)
        for (line, read) in zip(lines, read) {
            guard case .success(let all) = read, let last = line.kept.last, last < all.count else {
                throw LedgerError.store(
                    StoreError(
                        .failed, "line \(line.line.number) says something else than before"))
            }
            for index in line.kept { events.append(all[index]) }
        }
        return events
    }

    /// Appends one batch. With `keepsGoing`, lines whose keys were taken by other requests since the dry run are left
    /// out and told.
    private func append(
        _ batch: [FileEvent], _ options: ImportOptions, _ report: inout ImportReport
    ) async throws -> ReportReceipt {
        do {
            return try await writer.record(
                batch.map(\.prepared),
                ReportOptions(isAsRecorded: options.isAsRecorded, lines: batch.map(\.line)))
        } catch LedgerError.badInput(let problems) where options.keepsGoing {
            let reasons = Dictionary(
                problems.map { ($0.line, $0) }, uniquingKeysWith: { first, _ in first })
            let rest = batch.filter { reasons[$0.line] == nil }
            guard rest.count < batch.count else { throw LedgerError.badInput(problems) }
            var told: Set<Int> = []
            for event in batch {
                // The items of an order share a line, which is given back once.
                guard let reason = reasons[event.line], told.insert(event.line).inserted else {
                    continue
                }
                report.refused.append(
                    LineProblem(
                        line: event.line, column: 1, code: reason.code, reason: reason.reason,
                        bytes: event.bytes))
            }
            return try await append(rest, options, &report)
        }
    }

    /// Takes in lines that were read: wholly, or not at all.
    func record(
        _ events: [ReadEvent], options: ReportOptions = ReportOptions()
    ) async throws -> ReportReceipt {
        var options = options
        options.lines = events.map(\.line)
        do {
            return try await writer.record(events.map(\.draft), options)
        } catch LedgerError.badInput(let problems) {
            let texts = Dictionary(
                events.map { ($0.line, $0.bytes) }, uniquingKeysWith: { first, _ in first })
            // A mistake of an order is a mistake of each of its items, and is told once.
            var told: Set<String> = []
            let distinct = problems.filter {
                told.insert("\($0.line ?? 0) \($0.code) \($0.reason)").inserted
            }
            throw LedgerError.badInput(
                distinct.map { problem in
                    var problem = problem
                    if let line = problem.line, let text = texts[line], let member = problem.member
                    {
                        problem.column =
                            problem.column ?? MemberPlace.column(of: member, in: text)
                    }
                    return problem
                })
        }
    }

    /// Lines that one task reads: a millisecond or two.
    private static let linesPerTask = 256

    private func dryRun(
        _ next: () throws -> [UInt8]?, _ options: ImportOptions,
        _ progress: @Sendable (ImportProgress) -> Void
    ) async throws -> (CheckedFile, any LineReader) {
        guard let map = options.map else {
            let reader = NDJSONReader(app: core.app, defaultTrust: options.defaultTrust)
            return try await dryRun(next, reader, options, progress)
        }
        guard let zone = core.zoneTables.table(named: map.zone) else {
            throw LedgerError.bad(
                "unknown_time_zone", "the map's zone \"\(map.zone)\" does not exist")
        }
        let reader = RowReader(map, in: zone, defaultTrust: options.defaultTrust)
        return try await dryRun(next, reader, options, progress)
    }

    private func dryRun(
        _ next: () throws -> [UInt8]?, _ reader: some LineReader, _ options: ImportOptions,
        _ progress: @Sendable (ImportProgress) -> Void
    ) async throws -> (CheckedFile, any LineReader) {
        var dryRun = try ImportDryRun(core, options, reader)
        var reader = reader
        var waiting: [InputLine] = []
        var waitingByteCount = 0
        // The lines that were read last, which are looked at while the next ones are read.
        var before = ReadLines()
        while let piece = try next() {
            let lines = reader.split(piece)
            waiting += lines
            waitingByteCount += lines.reduce(0) { $0 + $1.bytes.count }
            dryRun.count(bytes: piece.count)
            if waiting.count >= CheckedFile.batchCount
                || waitingByteCount >= CheckedFile.batchByteCount
            {
                let (batch, current) = (waiting, reader)
                async let ahead = read(batch, current, isAppended: false)
                try core.translating { try dryRun.take(before.lines, before.read) }
                before = ReadLines(lines: batch, read: try await ahead)
                dryRun.reader = current
                waiting = []
                waitingByteCount = 0
            }
            progress(
                ImportProgress(
                    phase: .reading,
                    lines: dryRun.file.lineCount + before.lines.count + waiting.count, appended: 0,
                    bytes: dryRun.file.byteCount, total: 0))
        }
        try core.translating { try dryRun.take(before.lines, before.read) }
        waiting += reader.lastLine()
        let read = try await read(waiting, reader, isAppended: false)
        dryRun.reader = reader
        return try core.translating {
            try dryRun.take(waiting, read)
            return (try dryRun.finish(), reader)
        }
    }

    private struct ReadLines {
        var lines: [InputLine] = []
        var read: [Result<[FileEvent], LineProblem>] = []
    }

    /// Reads lines and checks what can be said of each by itself, on as many cores as there are.
    private func read(
        _ lines: [InputLine], _ reader: some LineReader, isAppended: Bool
    ) async throws -> [Result<[FileEvent], LineProblem>] {
        let check = ReportCheck(store: core.store)
        let starts = stride(from: 0, to: lines.count, by: Self.linesPerTask)
        let parts = try await withThrowingTaskGroup(
            of: (Int, [Result<[FileEvent], LineProblem>]).self
        ) { group in
            for (part, start) in starts.enumerated() {
                let own = lines[start..<min(start + Self.linesPerTask, lines.count)]
                group.addTask {
                    let read = try self.core.translating {
                        try own.map {
                            try FileEvent.reading($0, reader, check, isAppended: isAppended)
                        }
                    }
                    return (part, read)
                }
            }
            var parts = [[Result<[FileEvent], LineProblem>]](
                repeating: [], count: starts.underestimatedCount)
            for try await (part, read) in group { parts[part] = read }
            return parts
        }
        return parts.flatMap { $0 }
    }
}

extension InputProblem {
    /// A line that was refused, without its text.
    public init(_ problem: LineProblem) {
        self.init(
            line: problem.line, column: problem.column, code: problem.code,
            reason: problem.reason, member: problem.member)
    }
}
