import DaybookDomain
import DaybookEvents
import DaybookStore

/// Takes in reports: checked, deduplicated, recorded, never refused for policy (docs/rules.md#reports-and-commands).
struct ReportStep {
    let reports: PreparedReports
    let options: ReportOptions
    let store: any EventStore
    let catalogCache: CatalogCache

    private var check: ReportCheck { ReportCheck(store: store) }

    /// What was found out about the reports before any is added.
    private struct Findings {
        var problems: [InputProblem] = []
        var fresh: [PreparedEvent] = []
        /// The streams of the fresh ones; `nil` for those that begin with them.
        var streams: [UInt32?] = []
        /// Where the fresh ones stand among all.
        var places: [Int] = []
        /// Where the report of a key stands among the fresh ones.
        var seen: [EventKey: Int] = [:]
        var duplicates = 0
        var lastRecordedAt: Int64
        /// The last one that began.
        var epoch: Int64
        var bound: AggregateBound
        var catalogs: CatalogReports
        var source = NameMemo.Last()
        var meters = StructureRules.MeterMemo()
        var names = AppEventNames()
    }

    /// One batch is one command: every problem is found before anything is added (rule 17).
    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<ReportReceipt, LedgerError> {
        let count = reports.events.count
        var found = Findings(
            lastRecordedAt: state.head.recordedAt, epoch: state.history?.epoch ?? 1,
            bound: AggregateBound(group.bounds, coming: count, mayJoin: mayJoin),
            catalogs: CatalogReports(
                app: store.header.app, catalogs: state.catalogs, position: group.nextPosition,
                catalogCache: catalogCache))
        found.fresh.reserveCapacity(count)
        found.streams.reserveCapacity(count)
        found.places.reserveCapacity(count)
        found.seen.reserveCapacity(count)
        for index in 0..<count {
            do {
                try take(index, &found, group, &state)
            } catch let problem as EventProblem {
                found.problems.append(InputProblem(line: line(index), problem))
            }
        }
        guard found.problems.isEmpty else { return .failure(.badInput(found.problems)) }
        let first = group.rows.count
        group.add(found.fresh, found.streams, keepsRecordedAt: options.isAsRecorded, state: &state)
        let position = found.fresh.isEmpty ? nil : group.rows[first].event.position
        return .success(
            ReportReceipt(
                found.fresh.count, from: position, duplicates: found.duplicates,
                durability: store.durability, clockLead: group.time.lead))
    }

    private func take(
        _ index: Int, _ found: inout Findings, _ group: GroupDecision, _ state: inout LedgerState
    ) throws {
        let sent = try ready(index)
        var known = reports.place(index)
        let key = EventKey(
            sent.stream.environment,
            found.source.intern(sent.draft.source.kind, &state.names), sent.key)
        let named: PreparedEvent
        do throws(EventProblem) {
            named = try found.names.canonical(
                sent, found.catalogs.catalogs, store.header.secret)
        } catch {
            // What was recorded before the catalog had the name need not hold what the name asks for.
            guard
                try check.isRecorded(
                    sent, key, freeThrough: known.freeThrough, group, state)
            else { throw error }
            found.duplicates += 1
            return
        }
        // Under the ledger's own name it may belong to another stream.
        if named !== sent { known.stream = 0 }
        let report =
            named.hasRow
            ? named
            : named.happening(at: try moment(of: named, group, state), store.header.secret)
        let next = found.fresh.count
        let place = Self.place(&found.seen[key, default: next])
        guard place == next else {
            guard ReportCheck.isSame(found.fresh[place], report) else {
                throw ReportCheck.conflict(
                    report.draft,
                    line(found.places[place]).map { "on line \($0)" } ?? "in this batch")
            }
            found.duplicates += 1
            return
        }
        var isTaken = false
        defer { if !isTaken { found.seen[key] = nil } }
        if try check.isRecorded(report, key, freeThrough: known.freeThrough, group, state) {
            found.duplicates += 1
            return
        }
        if let names = options.names, !UnknownNames.isKept(report.draft),
            let finding = names.findings(in: report.draft).first
        {
            throw names.problem(finding)
        }
        try StructureRules.check(report.draft) {
            found.meters.meter($0, in: found.catalogs.catalogs)
        }
        if !report.isPlain {
            let draft = report.draft
            try ReportCheck.checkEpoch(draft, &found.epoch)
            try check.checkCorrection(
                draft, neighbour: target(of: draft, found, state.names), group, state)
        }
        if options.isAsRecorded {
            try ReportCheck.checkRecordedAt(
                report.draft, &found.lastRecordedAt, wall: group.time.wall)
        }
        if report.isPlain {
            found.catalogs.pass()
        } else {
            try found.catalogs.take(report.draft, report.document, store)
            found.meters.forget()
            found.names.forget()
        }
        let stream = known.stream != 0 ? known.stream : group.stream(report.stream, state)
        try found.bound.take(report, stream, group, state)
        found.fresh.append(report)
        found.streams.append(stream)
        found.places.append(index)
        isTaken = true
    }

    /// Whether an alias is among the reports, which may join two customers.
    private var mayJoin: Bool {
        reports.events.contains { !$0.isPlain && $0.draft.type == .subjectAliased }
    }

    /// One access to the dictionary instead of two: what is there, or was put there now.
    private static func place(_ place: inout Int) -> Int { place }

    /// The report as it was sent, checked.
    private func ready(_ index: Int) throws -> PreparedEvent {
        let report = reports.events[index]
        if let problem = report.problem { throw problem }
        guard report.isUnchecked else { return report }
        return try check.prepare(try EventValidator.canonical(report.draft))
    }

    /// The commit's clock. Of a claim a time after the owner of the lineage was named, so that it never takes a lineage
    /// from an owner whose store has a clock that is ahead, or who claimed it in the same millisecond (rule 7).
    private func moment(
        of report: PreparedEvent, _ group: GroupDecision, _ state: LedgerState
    ) throws -> Int64 {
        guard report.draft.type == .purchaseClaimed,
            let stream = group.stream(report.stream, state)
        else { return group.now }
        let named = try group.belonging(of: stream, state, at: group.now).namedAt
        guard named != Event.absent, named < EventBounds.timeMax else { return group.now }
        return max(group.now, named + 1)
    }

    private func line(_ index: Int) -> Int? {
        index < options.lines.count ? options.lines[index] : nil
    }

    /// What a correction corrects, where that is in the same batch.
    private func target(
        of draft: EventDraft, _ found: Findings, _ names: NameTable
    ) -> EventDraft? {
        guard let target = ReportCheck.target(of: draft), let source = names.id(of: target.source),
            let place = found.seen[EventKey(draft.environment, source, target.key)],
            place < found.fresh.count
        else { return nil }
        return found.fresh[place].draft
    }
}

extension ReportReceipt {
    /// - Parameters:
    ///   - count: How many events were appended.
    ///   - first: The position of the first of them.
    init(
        _ count: Int, from first: Int64?, duplicates: Int = 0, durability: String,
        clockLead: Int64 = 0
    ) {
        self.init(
            appended: count, duplicates: duplicates, firstPosition: first,
            lastPosition: first.map { $0 + Int64(count) - 1 }, durability: durability,
            clockLead: clockLead)
    }
}
