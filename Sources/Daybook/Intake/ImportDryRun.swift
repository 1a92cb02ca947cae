import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// An event of a file that passed the dry run and waits to be appended.
struct FileEvent: Sendable {
    /// 1-based.
    var line: Int
    var prepared: PreparedEvent
    /// The line as it came, which a refusal gives back; empty where one bad line refuses the whole file.
    var bytes: [UInt8]
}

/// What the dry run of a file came to.
struct CheckedFile: Sendable {
    /// What may be appended, in the order of the lines, in batches of one commit each: a commit of an import holds no
    /// more, so that others get their turn. All events of a line are in one batch, so a batch need not be full.
    private(set) var batches: [[FileEvent]] = []
    private(set) var eventCount = 0
    /// Events that are in the ledger already, or stood further up in the file.
    var duplicates = 0
    /// In the order of the lines, once the dry run is done.
    var refused: [LineProblem] = []
    var byteCount = 0
    /// How many events of each type that this build does not know; no more types than can be told.
    private(set) var unknownTypes: [String: Int] = [:]
    /// How many events have something else that no catalog and no schema knows, by kind and name.
    private(set) var unknownNames: [String: Int] = [:]
    private static let unknownTypesMax = 64
    /// Most events have the type of the one before.
    private var lastKnownType = EventTypeName(rawValue: "")
    /// The line of the newest event; 0 before there is one.
    private var lastLine = 0

    /// Events of a batch, and events whose keys are looked up in one turn: about 10 ms.
    static let batchCount = 4_096

    /// Lines that were looked at; blank ones do not count.
    var lineCount = 0

    /// - Parameter place: As `append` gave it.
    subscript(place: Int) -> FileEvent {
        batches[place / Self.batchCount][place % Self.batchCount]
    }

    /// Keeps an event.
    /// - Parameter count: Events of its line, at most `batchCount`; they are kept in one batch.
    /// - Returns: Where it stands: the batch times `batchCount`, and its place there.
    @discardableResult
    mutating func append(_ event: FileEvent, amongEvents count: Int) -> Int {
        if batches.isEmpty
            || event.line != lastLine
                && batches[batches.count - 1].count + count > Self.batchCount
        {
            batches.append([])
            batches[batches.count - 1].reserveCapacity(Self.batchCount)
        }
        lastLine = event.line
        noteType(event.prepared.draft.type)
        let batch = batches.count - 1
        batches[batch].append(event)
        eventCount += 1
        return batch * Self.batchCount + batches[batch].count - 1
    }

    /// What a file came to before one of its lines.
    struct Mark {
        fileprivate var eventCount: Int
        fileprivate var duplicates: Int
        fileprivate var unknownNames: [String: Int]
    }

    var mark: Mark {
        Mark(eventCount: eventCount, duplicates: duplicates, unknownNames: unknownNames)
    }

    /// Forgets the events of the newest line, which stand at the end of the newest batch.
    /// - Parameter mark: From before that line.
    mutating func rollBack(to mark: Mark) {
        let count = eventCount - mark.eventCount
        if count > 0 { batches[batches.count - 1].removeLast(count) }
        // Without one there is nothing to commit.
        if batches.last?.isEmpty == true { batches.removeLast() }
        eventCount = mark.eventCount
        duplicates = mark.duplicates
        unknownNames = mark.unknownNames
    }

    private mutating func noteType(_ type: EventTypeName) {
        if type == lastKnownType { return }
        if Vocabulary.isKnown(type) { return lastKnownType = type }
        if unknownTypes.count < Self.unknownTypesMax || unknownTypes[type.rawValue] != nil {
            unknownTypes[type.rawValue, default: 0] += 1
        }
    }

    mutating func noteUnknown(_ finding: UnknownNames.Finding) {
        let name = "\(finding.kind) \(finding.name)"
        if unknownNames.count < Self.unknownTypesMax || unknownNames[name] != nil {
            unknownNames[name, default: 0] += 1
        }
    }

    /// Leaves out events after all.
    mutating func remove(lines: Set<Int>) {
        let events = batches.flatMap { $0 }.filter { !lines.contains($0.line) }
        batches = []
        eventCount = 0
        unknownTypes = [:]
        lastKnownType = EventTypeName(rawValue: "")
        lastLine = 0
        var start = 0
        while start < events.count {
            let line = events[start].line
            let end = events[start...].firstIndex { $0.line != line } ?? events.count
            for event in events[start..<end] { append(event, amongEvents: end - start) }
            start = end
        }
    }

    /// Gives a batch away: what is in the ledger need not be in memory twice.
    mutating func takeBatch(_ index: Int) -> [FileEvent] {
        defer { batches[index] = [] }
        return batches[index]
    }
}

/// Everything that is checked of a file before anything of it is appended: the events themselves, their keys against
/// the ledger's and against one another, their recorded times.
///
/// Only reads, so no other process has to wait; within this process the state is held for the look-ups of one chunk at
/// a time. The prepared events go along to the append.
struct ImportDryRun {
    private let core: LedgerCore
    private let options: ImportOptions
    private(set) var file = CheckedFile()
    /// At which place of the file (`CheckedFile.append`) the event of a key stands, of those that may be appended.
    /// Sources have numbers of this file's own.
    private var seen: [EventKey: Int] = [:]
    private var sources = NameTable()
    private var source = NameMemo.Last()
    private var meters = StructureRules.MeterMemo()
    private var names = AppEventNames()
    private var lastRecordedAt: Int64
    private let time: LedgerClock
    private var catalogs: CatalogReports
    private var bound: AggregateBound
    /// Events with something that no catalog knew by then; one further down may.
    private var strange: [(line: Int, bytes: [UInt8], draft: EventDraft)] = []
    /// Lines of such events, with the line further down that says the same key otherwise: mended, so that one counts.
    private var mended: [Int: Int] = [:]
    private var known: UnknownNames?
    /// Events of the line at hand that are new, where it has several.
    private var kept: [(key: EventKey, stream: StreamName)] = []

    init(_ core: LedgerCore, _ options: ImportOptions) throws {
        self.core = core
        self.options = options
        let head = try core.head()
        try core.readKeys()
        lastRecordedAt = head.recordedAt
        time = LedgerClock(wall: core.clock(), last: head.recordedAt)
        catalogs = CatalogReports(
            app: core.app, catalogs: try core.catalogs(), position: head.position + 1,
            catalogCache: core.catalogCache)
        bound = AggregateBound(core.bounds)
    }

    /// Takes lines that were read, in their order; the state is held for as many events as a batch has, or a line more.
    mutating func take(_ lines: [Result<[FileEvent], LineProblem>]) throws {
        let counts = lines.map { line in
            // A line that was refused takes no time.
            if case .success(let events) = line { events.count } else { 0 }
        }
        for turn in ImportTurns.ranges(counts, of: CheckedFile.batchCount) {
            try take(lines[turn])
        }
    }

    private mutating func take(
        _ lines: ArraySlice<Result<[FileEvent], LineProblem>>
    ) throws {
        let check = ReportCheck(store: core.store)
        file.lineCount += lines.count
        for case .success(let events) in lines {
            for event in events { try core.catalogCache.take(from: event.prepared, core.store) }
        }
        try core.state.withLock { state in
            // Nothing is ever added to it: it only looks up, as the group of a commit does.
            let group = GroupDecision(
                store: core.store, state: state, time: time, bounds: core.bounds)
            for line in lines {
                switch line {
                case .failure(let problem): file.refused.append(problem)
                case .success(let events): try take(events, check, group, state)
                }
            }
        }
    }

    /// Counts bytes of the file that were read.
    mutating func count(bytes: Int) { file.byteCount += bytes }

    mutating func finish() -> CheckedFile {
        refuseUnknown()
        file.refused.sort { $0.line < $1.line }
        return file
    }

    /// Looks at the events of one line, which is taken wholly or not at all.
    private mutating func take(
        _ events: [FileEvent], _ check: ReportCheck, _ group: GroupDecision,
        _ state: LedgerState
    ) throws {
        // One event that is refused has left nothing.
        let mark = events.count > 1 ? file.mark : nil
        let before = (recordedAt: lastRecordedAt, strange: strange.count)
        kept.removeAll(keepingCapacity: true)
        for event in events {
            do {
                try take(event, of: events.count, check, group, state)
            } catch let problem as EventProblem {
                // As if the line had never been: a later one may bring the same order mended.
                for event in kept {
                    seen[event.key] = nil
                    bound.giveBack(in: event.stream, state)
                }
                if let mark { file.rollBack(to: mark) }
                strange.removeSubrange(before.strange...)
                lastRecordedAt = before.recordedAt
                file.refused.append(
                    LineProblem(line: event.line, bytes: event.bytes, problem))
                return
            }
        }
    }

    /// Looks at the event beside those before it, in the file and in the ledger, and keeps it when it is new and fits.
    /// - Parameter lineCount: Events of its line.
    private mutating func take(
        _ sent: FileEvent, of lineCount: Int, _ check: ReportCheck, _ group: GroupDecision,
        _ state: LedgerState
    ) throws {
        var event = sent
        do throws(EventProblem) {
            event.prepared = try names.canonical(
                sent.prepared, catalogs.catalogs, core.store.header.secret)
        } catch {
            // What was recorded before the catalog had the name need not hold what the name asks for.
            guard let source = state.names.id(of: sent.prepared.draft.source.kind),
                try check.isRecorded(
                    sent.prepared,
                    EventKey(sent.prepared.stream.environment, source, sent.prepared.key), group,
                    state)
            else { throw error }
            file.duplicates += 1
            return
        }
        let report = event.prepared
        let draft = report.draft
        let environment = report.stream.environment
        let key = report.key
        let own = EventKey(environment, source.intern(draft.source.kind, &sources), key)
        let other = seen[own].map { file[$0] }
        if let other, try isSame(other, report) {
            file.duplicates += 1
            return
        }
        // A source that no event has yet has no keys either.
        if let source = state.names.id(of: draft.source.kind),
            try check.isRecorded(
                event.prepared, EventKey(environment, source, key), group, state)
        {
            file.duplicates += 1
            return
        }
        try StructureRules.check(draft) { meters.meter($0, in: catalogs.catalogs) }
        // No catalog brings members: what is refused here publishes nothing.
        if options.refusesUnknown, !UnknownNames.isKept(draft),
            let member = UnknownNames.unknownMembers(of: draft).first
        {
            throw UnknownNames([]).problem(member)
        }
        if !event.prepared.isPlain {
            try check.checkCorrection(draft, neighbour: neighbour(draft), group, state)
        }
        if options.isAsRecorded {
            try ReportCheck.checkRecordedAt(draft, &lastRecordedAt, wall: time.wall)
        }
        if event.prepared.isPlain {
            catalogs.pass()
        } else {
            try catalogs.take(draft, report.document, core.store)
            meters.forget()
            names.forget()
        }
        try bound.take(draft, in: event.prepared.stream, group, state)
        if lineCount > 1 { kept.append((own, event.prepared.stream)) }
        let names = known ?? UnknownNames(catalogs.catalogs.versions.map(\.catalog))
        known = event.prepared.isPlain ? names : nil
        let findings = names.findings(in: draft)
        if !findings.isEmpty {
            if options.refusesUnknown, !UnknownNames.isKept(draft) {
                strange.append((event.line, event.bytes, draft))
            } else {
                for finding in findings where finding.code != .unknownType {
                    file.noteUnknown(finding)
                }
            }
        }
        if let other { mended[other.line] = event.line }
        if !options.keepsGoing { event.bytes = [] }
        seen[own] = file.append(event, amongEvents: lineCount)
    }

    /// Names that are published anywhere in the file count, so this waits for its end.
    private mutating func refuseUnknown() {
        guard !strange.isEmpty else { return }
        let names = UnknownNames(catalogs.catalogs.versions.map(\.catalog))
        var lines: Set<Int> = []
        for (line, bytes, draft) in strange {
            let problem: EventProblem
            if let first = names.findings(in: draft).first {
                problem = names.problem(first)
            } else if let later = mended[line] {
                // A catalog behind both has the name after all: two events with one key.
                problem = ReportCheck.conflict(draft, "on line \(later)")
            } else {
                continue
            }
            file.refused.append(LineProblem(line: line, bytes: bytes, problem))
            lines.insert(line)
        }
        if !lines.isEmpty { file.remove(lines: lines) }
    }

    /// Whether two events with one key are the same.
    /// - Parameter other: Further up in the file.
    /// - Returns: `false`: no, and the other one is going to be refused, because it has something that no catalog since
    ///   knows.
    /// - Throws: `EventProblem` `idempotency_conflict`: no.
    private func isSame(
        _ other: FileEvent, _ report: PreparedEvent
    ) throws(EventProblem) -> Bool {
        if ReportCheck.isSame(other.prepared, report) { return true }
        if let event = strange.last(where: { $0.line == other.line }) {
            let names = UnknownNames(catalogs.catalogs.versions.map(\.catalog))
            if !names.findings(in: event.draft).isEmpty { return false }
        }
        throw ReportCheck.conflict(report.draft, "on line \(other.line)")
    }

    /// What a correction corrects, where that stands further up in the file.
    private func neighbour(_ draft: EventDraft) -> EventDraft? {
        guard let target = ReportCheck.target(of: draft),
            let source = sources.id(of: target.source)
        else { return nil }
        return seen[EventKey(draft.environment, source, target.key)].map {
            file[$0].prepared.draft
        }
    }
}
