import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// An event of a file that passed the rehearsal and waits to be appended.
struct RehearsedEvent: Sendable {
    /// 1-based.
    var line: Int
    var report: PreparedReport
    /// The line as it came, which a refusal gives back; empty where one bad line refuses the whole file.
    var bytes: [UInt8]
}

/// What the rehearsal of a file came to.
struct RehearsedFile: Sendable {
    /// What may be appended, in the order of the lines, in batches of one commit each: a commit of an import holds no
    /// more, so that others get their turn.
    private(set) var batches: [[RehearsedEvent]] = []
    private(set) var eventCount = 0
    /// Events that are in the ledger already, or stood further up in the file.
    var duplicates = 0
    /// In the order of the lines, once the rehearsal is done.
    var refused: [LineProblem] = []
    var byteCount = 0
    /// How many events of each type that this build does not know; no more types than can be told.
    private(set) var unknownTypes: [String: Int] = [:]
    /// How many events have something else that nobody knows, by kind and name.
    private(set) var unknownNames: [String: Int] = [:]
    private static let unknownTypesMax = 64
    /// Most events have the type of the one before.
    private var lastKnownType = ""

    /// Events of a batch, and events whose keys are looked up in one turn: about 10 ms.
    static let batchCount = 4_096

    /// Lines that were looked at; blank ones do not count.
    var lineCount = 0

    /// - Parameter index: 0-based, in the order of the lines.
    subscript(index: Int) -> RehearsedEvent {
        batches[index / Self.batchCount][index % Self.batchCount]
    }

    mutating func append(_ event: RehearsedEvent) {
        if eventCount % Self.batchCount == 0 {
            batches.append([])
            batches[batches.count - 1].reserveCapacity(Self.batchCount)
        }
        noteType(event.report.report.draft.type)
        batches[batches.count - 1].append(event)
        eventCount += 1
    }

    private mutating func noteType(_ type: String) {
        if type == lastKnownType { return }
        if Vocabulary.names.contains(type) { return lastKnownType = type }
        if unknownTypes.count < Self.unknownTypesMax || unknownTypes[type] != nil {
            unknownTypes[type, default: 0] += 1
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
        lastKnownType = ""
        for event in events { append(event) }
    }

    /// Gives a batch away: what is in the ledger need not be in memory twice.
    mutating func takeBatch(_ index: Int) -> [RehearsedEvent] {
        defer { batches[index] = [] }
        return batches[index]
    }
}

/// Everything that is checked of a file before anything of it is appended: the events themselves, their keys against
/// the ledger's and against one another, their recorded times.
///
/// Only reads, so no other process has to wait; within this process the state is held for the look-ups of one chunk at
/// a time. What it found out (canonical form, digest, document) goes along to the append.
struct ImportRehearsal {
    private let ledger: Ledger
    private let options: ImportOptions
    private(set) var file = RehearsedFile()
    /// Where the event of a key stands among those of this file that may be appended. Sources have numbers of this
    /// file's own.
    private var seen: [EventKey: Int] = [:]
    private var sources = NameTable()
    private var source = NameMemo.Last()
    private var meters = StructureRules.MeterMemo()
    private var names = AppEventNames()
    private var lastRecordedAt: Int64
    private let time: LedgerClock
    private var catalogs: CatalogReports
    private var bound: UnitBound
    /// Events with something that no catalog knew by then; one further down may.
    private var strange: [(line: Int, bytes: [UInt8], draft: EventDraft)] = []
    private var known: UnknownNames?
    /// Lines of orders of which one item was refused after others were kept.
    private var broken: Set<Int> = []

    init(_ ledger: Ledger, _ options: ImportOptions) throws {
        self.ledger = ledger
        self.options = options
        let head = try ledger.head()
        try ledger.readKeys()
        lastRecordedAt = head.recordedAt
        time = LedgerClock(wall: ledger.clock(), last: head.recordedAt)
        catalogs = CatalogReports(
            app: ledger.app, catalogs: try ledger.catalogs(), position: head.position + 1,
            shelf: ledger.shelf)
        bound = UnitBound(ledger.bounds)
    }

    /// Takes lines that were read, in their order.
    mutating func take(_ lines: [Result<[RehearsedEvent], LineProblem>]) throws {
        let check = ReportCheck(store: ledger.store)
        file.lineCount += lines.count
        for case .success(let events) in lines {
            for event in events { try ledger.shelf.take(from: event.report, ledger.store) }
        }
        try ledger.state.withLock { state in
            // Nothing is ever added to it: it only looks up, as the group of a commit does.
            let group = GroupDecision(
                store: ledger.store, state: state, time: time, bounds: ledger.bounds)
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

    mutating func finish() -> RehearsedFile {
        refuseUnknown()
        if !broken.isEmpty { file.remove(lines: broken) }
        file.refused.sort { $0.line < $1.line }
        return file
    }

    /// Looks at the events of one line, which is taken wholly or not at all.
    private mutating func take(
        _ events: [RehearsedEvent], _ check: ReportCheck, _ group: GroupDecision,
        _ state: LedgerState
    ) throws {
        let duplicates = file.duplicates
        for (index, event) in events.enumerated() {
            do {
                try take(event, check, group, state)
            } catch let problem as EventProblem {
                file.refused.append(
                    LineProblem(line: event.line, bytes: event.bytes, problem))
                // Other items of the order stand in the file already: they are taken out at its end, when no place
                // changes any more.
                file.duplicates = duplicates
                if index > 0 { broken.insert(event.line) }
                return
            }
        }
    }

    /// Looks at the event beside those before it, in the file and in the ledger, and keeps it when it is new and fits.
    private mutating func take(
        _ sent: RehearsedEvent, _ check: ReportCheck, _ group: GroupDecision, _ state: LedgerState
    ) throws {
        var event = sent
        do throws(EventProblem) {
            event.report = try names.canonical(
                sent.report, catalogs.catalogs, ledger.store.header.secret)
        } catch {
            // What was recorded before the catalog had the name need not hold what the name asks for.
            guard let source = state.names.id(of: sent.report.report.draft.source.kind),
                try check.isRecorded(
                    sent.report,
                    EventKey(sent.report.stream.environment, source, sent.report.key), group,
                    state)
            else { throw error }
            file.duplicates += 1
            return
        }
        let report = event.report.report
        let draft = report.draft
        let environment = event.report.stream.environment
        let key = event.report.key
        let own = EventKey(environment, source.intern(draft.source.kind, &sources), key)
        if let other = seen[own] {
            guard ReportCheck.isSame(file[other].report.report, report) else {
                throw ReportCheck.conflict(draft, "on line \(file[other].line)")
            }
            file.duplicates += 1
            return
        }
        // A source that no event has yet has no keys either.
        if let source = state.names.id(of: draft.source.kind),
            try check.isRecorded(
                event.report, EventKey(environment, source, key), group, state)
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
        if !event.report.isPlain {
            try check.checkCorrection(draft, neighbour: neighbour(draft), group, state)
        }
        if options.isAsRecorded {
            try ReportCheck.checkRecordedAt(draft, &lastRecordedAt, wall: time.wall)
        }
        if event.report.isPlain {
            catalogs.pass()
        } else {
            try catalogs.take(draft, report.document, ledger.store)
            meters.forget()
            names.forget()
        }
        try bound.take(draft, in: event.report.stream, group, state)
        seen[own] = file.eventCount
        let names = known ?? UnknownNames(catalogs.catalogs.versions.map(\.catalog))
        known = event.report.isPlain ? names : nil
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
        if !options.keepsGoing { event.bytes = [] }
        file.append(event)
    }

    /// Names that are published anywhere in the file count, so this waits for its end.
    private mutating func refuseUnknown() {
        guard !strange.isEmpty else { return }
        let names = UnknownNames(catalogs.catalogs.versions.map(\.catalog))
        var lines: Set<Int> = []
        for (line, bytes, draft) in strange {
            guard let first = names.findings(in: draft).first else { continue }
            file.refused.append(LineProblem(line: line, bytes: bytes, names.problem(first)))
            lines.insert(line)
        }
        if !lines.isEmpty { file.remove(lines: lines) }
    }

    /// What a correction corrects, where that stands further up in the file.
    private func neighbour(_ draft: EventDraft) -> EventDraft? {
        guard let target = ReportCheck.target(of: draft),
            let source = sources.id(of: target.source)
        else { return nil }
        return seen[EventKey(draft.environment, source, target.key)].map {
            file[$0].report.report.draft
        }
    }
}
