import DaybookDomain
import DaybookEvents
import DaybookStore

/// Takes in reports: checked, deduplicated, recorded, never refused for policy (design §2).
struct ReportStep {
    let reports: Reports
    let options: ReportOptions
    let store: any EventStore

    private var check: ReportCheck { ReportCheck(store: store) }

    /// One batch is one command: every problem is found before anything is added (rule 17).
    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<ReportReceipt, LedgerError> {
        var problems: [InputProblem] = []
        var fresh: [CheckedReport] = []
        var places: [Int] = []
        var seen: [EventKey: Int] = [:]
        var duplicates = 0
        var lastRecordedAt = state.head.recordedAt
        var bound = UnitBound(eventsMax: group.eventsPerUnitMax)
        var catalogs = CatalogReports(
            app: store.header.app, catalogs: state.catalogs, position: group.nextPosition)
        for index in 0..<reports.count {
            do {
                var report = try report(index)
                if report.draft.occurredAt == nil { report.draft.occurredAt = group.recordedAt }
                let key = EventKey(
                    EventRouter.stream(of: report.draft).environment,
                    state.names.intern(report.draft.source.kind),
                    Reference(report.draft.source.key ?? ""))
                if let other = seen[key] {
                    guard fresh[other].digest == report.digest else {
                        throw ReportCheck.conflict(
                            report.draft,
                            line(places[other]).map { "on line \($0)" } ?? "in this batch")
                    }
                    duplicates += 1
                    continue
                }
                if let position = try group.position(of: key, state) {
                    try check.checkSame(report, position, group, state)
                    duplicates += 1
                    continue
                }
                try StructureRules.check(report.draft) { catalogs.catalogs.meter(named: $0) }
                try check.checkCorrection(
                    report.draft, neighbour: target(of: report.draft, fresh, seen, state.names),
                    group, state)
                if options.isAsRecorded {
                    try ReportCheck.checkRecordedAt(report.draft, &lastRecordedAt)
                } else {
                    report.draft.recordedAt = nil
                }
                try catalogs.take(report.draft, report.document, store)
                try bound.take(report.draft, group, state)
                seen[key] = fresh.count
                fresh.append(report)
                places.append(index)
            } catch let problem as EventProblem {
                problems.append(InputProblem(line: line(index), problem))
            }
        }
        guard problems.isEmpty else { return .failure(.badInput(problems)) }
        let first = group.rows.count
        for report in fresh {
            if let document = report.document { group.add(document) }
            group.add(
                report.draft, requestDigest: report.digest, state: &state, isCommand: false)
        }
        let position = fresh.isEmpty ? nil : group.rows[first].event.position
        return .success(
            ReportReceipt(
                appended: fresh.count, duplicates: duplicates, firstPosition: position,
                lastPosition: position.map { $0 + Int64(fresh.count) - 1 },
                durability: store.durability))
    }

    private func line(_ index: Int) -> Int? {
        index < options.lines.count ? options.lines[index] : nil
    }

    private func report(_ index: Int) throws -> CheckedReport {
        switch reports {
        case .drafts(let drafts):
            try check.check(try EventValidator.canonical(drafts[index]))
        case .checked(let reports): reports[index]
        }
    }

    /// What a correction corrects, where that is in the same batch.
    private func target(
        of draft: EventDraft, _ fresh: [CheckedReport], _ seen: [EventKey: Int],
        _ names: NameTable
    ) -> EventDraft? {
        guard let target = ReportCheck.target(of: draft), let source = names.id(of: target.source)
        else { return nil }
        return seen[EventKey(draft.environment, source, target.key)].map { fresh[$0].draft }
    }
}
