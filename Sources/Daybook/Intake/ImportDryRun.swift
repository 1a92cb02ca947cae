import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Everything that is checked of a file before anything of it is appended: the events themselves, their keys against
/// the ledger's and against one another, their recorded times.
///
/// Only reads, so no other process has to wait; within this process the state is held for the look-ups of one chunk at
/// a time.
struct ImportDryRun {
    private let core: LedgerCore
    private let options: ImportOptions
    private let check: ReportCheck
    /// What reads a line once more.
    var reader: any LineReader
    private(set) var file = CheckedFile()
    /// Where the lines with the events of a key stand (`CheckedFile.append`), of those that may be appended. Sources
    /// have numbers of this file's own.
    private var places = HashedPlaces()
    private var sources = NameTable()
    private var source = NameMemo.Last()
    private var meters = StructureRules.MeterMemo()
    private var names = AppEventNames()
    private var lastRecordedAt: Int64
    private let time: LedgerClock
    private var catalogs: CatalogReports
    /// The position by which the catalogs are known that hold for the lines from a place on, ascending.
    private var published: [(place: Int, position: Int64)]
    /// The line that was read again last.
    private var recent: (place: Int, line: LineSpool.Line, events: [FileEvent])?
    private var bound: AggregateBound
    /// Events with something that no catalog knew by then; one further down may. In the order of the lines.
    private var strange: [(line: Int, place: Int, index: Int)] = []
    /// Lines of such events, with the line further down that says the same key otherwise: mended, so that one counts.
    private var mended: [Int: Int] = [:]
    private var known: UnknownNames?

    init(_ core: LedgerCore, _ options: ImportOptions, _ reader: any LineReader) throws {
        self.core = core
        self.options = options
        self.reader = reader
        check = ReportCheck(store: core.store)
        let head = try core.head()
        try core.readKeys()
        lastRecordedAt = head.recordedAt
        time = LedgerClock(wall: core.clock(), last: head.recordedAt)
        let catalogs = try core.catalogs()
        self.catalogs = CatalogReports(
            app: core.app, catalogs: catalogs, position: head.position + 1,
            catalogCache: core.catalogCache)
        published = [(0, head.position + 1)]
        bound = AggregateBound(core.bounds)
    }

    /// Takes lines that were read, in their order; the state is held for as many events as a batch has, or a line more.
    /// - Parameter read: What each of the lines came to.
    mutating func take(
        _ lines: [InputLine], _ read: [Result<[FileEvent], LineProblem>]
    ) throws {
        let counts = read.map { line in
            // A line that was refused takes no time.
            if case .success(let events) = line { events.count } else { 0 }
        }
        for turn in ImportTurns.ranges(counts, of: CheckedFile.batchCount) {
            try take(lines[turn], read[turn])
        }
    }

    private mutating func take(
        _ lines: ArraySlice<InputLine>, _ read: ArraySlice<Result<[FileEvent], LineProblem>>
    ) throws {
        file.lineCount += lines.count
        for case .success(let events) in read {
            for event in events { try core.catalogCache.take(from: event.prepared, core.store) }
        }
        try core.state.withLock { state in
            // Nothing is ever added to it: it only looks up, as the group of a commit does.
            let group = GroupDecision(
                store: core.store, head: state.head.position, time: time, bounds: core.bounds)
            for (line, events) in zip(lines, read) {
                switch events {
                case .failure(let problem): file.refused.append(problem)
                case .success(let events): try take(line, events, group, state)
                }
            }
        }
    }

    /// Counts bytes of the file that were read.
    mutating func count(bytes: Int) { file.byteCount += bytes }

    mutating func finish() throws -> CheckedFile {
        try refuseUnknown()
        file.refused.sort { $0.line < $1.line }
        return file
    }

    /// What a line has come to so far.
    private struct LineAtHand {
        struct Kept {
            var index: Int
            var key: EventKey
            var event: FileEvent
            var isStrange: Bool
            /// The line further up whose event it mends; its place, unless it is this line.
            var mends: (line: Int, place: Int?)?
        }

        var kept: [Kept] = []
        var duplicates = 0
        var unknown: [UnknownNames.Finding] = []
    }

    /// Looks at the events of one line, which is taken wholly or not at all.
    private mutating func take(
        _ line: InputLine, _ events: [FileEvent], _ group: GroupDecision, _ state: LedgerState
    ) throws {
        let lastBefore = lastRecordedAt
        var own = LineAtHand()
        for index in events.indices {
            do {
                try take(events[index], index, &own, group, state)
            } catch let problem as EventProblem {
                // As if the line had never been: a later one may bring the same order mended.
                for kept in own.kept { bound.giveBack(in: kept.event.prepared.stream, state) }
                lastRecordedAt = lastBefore
                return file.refused.append(
                    LineProblem(line: events[index].line, bytes: events[index].bytes, problem))
            }
        }
        file.duplicates += own.duplicates
        for finding in own.unknown { file.noteUnknown(finding) }
        guard !own.kept.isEmpty else { return }
        let place = try file.append(
            line, eventCount: events.count, kept: own.kept.map { ($0.index, $0.event.prepared) },
            isSure: !own.kept.contains(where: \.isStrange))
        for kept in own.kept {
            if let mends = kept.mends, let former = mends.place {
                places.move(hash(kept.key), from: former, to: place)
            } else {
                places.note(hash(kept.key), at: place)
            }
            if kept.isStrange { strange.append((kept.event.line, place, kept.index)) }
            if let mends = kept.mends { mended[mends.line] = kept.event.line }
            if !kept.event.prepared.isPlain { notePublished(after: kept.event, at: place) }
        }
    }

    /// Looks at the event beside those before it, in the file and in the ledger, and keeps it when it is new and fits.
    private mutating func take(
        _ sent: FileEvent, _ index: Int, _ own: inout LineAtHand, _ group: GroupDecision,
        _ state: LedgerState
    ) throws {
        var event = sent
        do throws(EventProblem) {
            event.prepared = try names.canonical(
                sent.prepared, catalogs.catalogs, core.store.header.secret)
        } catch {
            // What was recorded before the catalog had the name need not hold what the name asks for.
            guard try isRecorded(sent.prepared, group, state) else { throw error }
            own.duplicates += 1
            return
        }
        let report = event.prepared
        let draft = report.draft
        let key = EventKey(
            report.stream.environment, source.intern(draft.source.kind, &sources), report.key)
        let other = try earlier(key, own)
        let isInFile = try other.map { try isSame($0, report) } ?? false
        // A source that no event has yet has no keys either.
        if try isInFile || isRecorded(report, group, state) {
            own.duplicates += 1
            return
        }
        try checkFit(report, own, group, state)
        if report.isPlain {
            catalogs.pass()
        } else {
            try catalogs.take(draft, report.document, core.store)
            meters.forget()
            names.forget()
        }
        try bound.take(draft, in: report.stream, group, state)
        let isStrange = noteFindings(report, &own)
        own.kept.append(
            .init(
                index: index, key: key, event: event, isStrange: isStrange,
                mends: other.map { ($0.event.line, $0.place) }))
    }

    /// Whether the ledger has an event already.
    private func isRecorded(
        _ report: PreparedEvent, _ group: GroupDecision, _ state: LedgerState
    ) throws -> Bool {
        guard let source = state.names.id(of: report.draft.source.kind) else { return false }
        let key = EventKey(report.stream.environment, source, report.key)
        return try check.isRecorded(report, key, group, state)
    }

    /// Whether an event that is new fits what the catalogs, the ledger and the file before it say.
    private mutating func checkFit(
        _ report: PreparedEvent, _ own: LineAtHand, _ group: GroupDecision, _ state: LedgerState
    ) throws {
        try StructureRules.check(report.draft) { meters.meter($0, in: catalogs.catalogs) }
        // No catalog brings members: what is refused here publishes nothing.
        if options.refusesUnknown, !UnknownNames.isKept(report.draft),
            let member = UnknownNames.unknownMembers(of: report.draft).first
        {
            throw UnknownNames([]).problem(member)
        }
        if !report.isPlain {
            try check.checkCorrection(
                report.draft, neighbour: neighbour(report.draft, own), group, state)
        }
        if options.isAsRecorded {
            try ReportCheck.checkRecordedAt(report.draft, &lastRecordedAt, wall: time.wall)
        }
    }

    /// - Returns: Whether the event has something that no catalog knows yet, and is refused unless one does at the end.
    private mutating func noteFindings(_ report: PreparedEvent, _ own: inout LineAtHand) -> Bool {
        let names = known ?? UnknownNames(catalogs.catalogs.versions.map(\.catalog))
        known = report.isPlain ? names : nil
        let findings = names.findings(in: report.draft)
        if findings.isEmpty { return false }
        if options.refusesUnknown, !UnknownNames.isKept(report.draft) { return true }
        own.unknown += findings.filter { $0.code != .unknownType }
        return false
    }

    /// Names that are published anywhere in the file count, so this waits for its end.
    private mutating func refuseUnknown() throws {
        let names = UnknownNames(catalogs.catalogs.versions.map(\.catalog))
        var start = 0
        while start < strange.count {
            let (number, place, _) = strange[start]
            let end = start + (strange[start...].prefix { $0.place == place }).count
            let (line, events) = try events(at: place)
            var isRefused = false
            for index in strange[start..<end].map(\.index) {
                let event = events[index]
                let problem: EventProblem
                if let first = names.findings(in: event.prepared.draft).first {
                    problem = names.problem(first)
                } else if let later = mended[number] {
                    // A catalog behind both has the name after all: two events with one key.
                    problem = ReportCheck.conflict(event.prepared.draft, "on line \(later)")
                } else {
                    continue
                }
                file.refused.append(LineProblem(line: number, bytes: event.bytes, problem))
                isRefused = true
            }
            if isRefused {
                file.remove(line: number, line.kept.count)
            } else {
                file.settle(line.kept.map { events[$0].prepared })
            }
            start = end
        }
    }

    /// Whether two events with one key are the same.
    /// - Parameter other: Further up in the file.
    /// - Returns: `false`: no, and the line of the other one is going to be refused, because it has something that no
    ///   catalog since knows.
    /// - Throws: `EventProblem` `idempotency_conflict`: no.
    private func isSame(
        _ other: Earlier, _ report: PreparedEvent
    ) throws(EventProblem) -> Bool {
        if ReportCheck.isSame(other.event.prepared, report) { return true }
        if !other.strange.isEmpty {
            let names = UnknownNames(catalogs.catalogs.versions.map(\.catalog))
            if other.strange.contains(where: { !names.findings(in: $0).isEmpty }) { return false }
        }
        throw ReportCheck.conflict(report.draft, "on line \(other.event.line)")
    }

    /// What a correction corrects, where that stands further up in the file.
    private mutating func neighbour(_ draft: EventDraft, _ own: LineAtHand) throws -> EventDraft? {
        guard let target = ReportCheck.target(of: draft),
            let source = sources.id(of: target.source)
        else { return nil }
        let key = EventKey(draft.environment, source, target.key)
        return try earlier(key, own)?.event.prepared.draft
    }

    // MARK: Lines further up

    /// An event further up in the file.
    private struct Earlier {
        var event: FileEvent
        /// Where its line stands; `nil`: it is the line at hand.
        var place: Int?
        /// The events of its line with something that no catalog knew by then.
        var strange: [EventDraft]
    }

    private func hash(_ key: EventKey) -> UInt64 {
        key.lookupHash(core.store.header.secret.lookupKey)
    }

    /// The event of a key that stands further up, in the line at hand, too; of several, of which but one is not
    /// refused, the last.
    /// - Complexity: O(1), and a line that is read once more where there is one.
    private mutating func earlier(_ key: EventKey, _ own: LineAtHand) throws -> Earlier? {
        if let kept = own.kept.last(where: { $0.key == key }) {
            return Earlier(
                event: kept.event, place: nil,
                strange: own.kept.filter(\.isStrange).map(\.event.prepared.draft))
        }
        for place in places.places(hash(key)) {
            let (line, events) = try events(at: place)
            for index in line.kept.reversed() {
                let report = events[index].prepared
                guard report.key == key.key, report.stream.environment == key.environment,
                    sources.id(of: report.draft.source.kind) == key.source
                else { continue }
                let first = strange.sortedPrefixCount { $0.place < place }
                return Earlier(
                    event: events[index], place: place,
                    strange: strange[first...].prefix { $0.place == place }.map {
                        events[$0.index].prepared.draft
                    })
            }
        }
        return nil
    }

    /// Every event of a line further up as it was when the line was taken: under the names that catalogs had by then.
    private mutating func events(
        at place: Int
    ) throws -> (line: LineSpool.Line, events: [FileEvent]) {
        // A line of many events is asked for by each of its own, and one catalog by many lines.
        if let recent, recent.place == place { return (recent.line, recent.events) }
        let line = try file.line(at: place)
        guard
            case .success(var events) = try FileEvent.reading(
                line.line, reader, check, isAppended: false),
            let last = line.kept.last, last < events.count
        else {
            throw StoreError(.failed, "line \(line.line.number) says something else than before")
        }
        let position = published[published.sortedPrefixCount { $0.place <= place } - 1].position
        let catalogs = catalogs.catalogs.known(at: position)
        var names = AppEventNames()
        for index in line.kept {
            events[index].prepared = try names.canonical(
                events[index].prepared, catalogs, core.store.header.secret)
        }
        recent = (place, line, events)
        return (line, events)
    }

    /// Remembers from which line on other catalogs hold, where an event changed them.
    private mutating func notePublished(after event: FileEvent, at place: Int) {
        guard
            event.prepared.draft.type == .catalogPublished
                || event.prepared.draft.type == .catalogRolledBack
        else { return }
        published.append((place + 1, catalogs.position))
    }
}
