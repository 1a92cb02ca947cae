import DaybookDomain
import DaybookEvents
import DaybookStore

/// Takes in reports: checked, deduplicated, recorded, never refused for policy (design §2).
struct ReportStep {
    let drafts: [EventDraft]
    let options: ReportOptions
    let store: any EventStore

    /// One batch is one command: every problem is found before anything is added (rule 17).
    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<ReportReceipt, LedgerError> {
        var problems: [InputProblem] = []
        var fresh: [(draft: EventDraft, digest: Int64)] = []
        var seen: [EventKey: Int] = [:]
        var documents: [StoredDocument] = []
        var duplicates = 0
        var lastRecordedAt = state.head.recordedAt
        var bound = UnitBound(eventsMax: group.eventsPerUnitMax)
        var catalogs = CatalogReports(
            app: store.header.app, catalogs: state.catalogs, position: group.nextPosition)
        for (index, draft) in drafts.enumerated() {
            let line = index < options.lines.count ? options.lines[index] : nil
            do {
                var canonical = try EventValidator.canonical(draft)
                let document = try catalogs.takeDocument(&canonical, store)
                try StructureRules.check(canonical) { catalogs.catalogs.meter(named: $0) }
                let digest = EventJSON.requestDigest(of: canonical)
                if canonical.occurredAt == nil { canonical.occurredAt = group.recordedAt }
                let key = EventKey(
                    EventRouter.stream(of: canonical).environment,
                    state.names.intern(canonical.source.kind),
                    Reference(canonical.source.key ?? ""))
                if let other = seen[key] {
                    guard fresh[other].digest == digest else {
                        throw conflict(canonical, at: nil)
                    }
                    duplicates += 1
                    continue
                }
                if let position = try group.position(of: key, state) {
                    try checkSame(canonical, digest, position, group, state)
                    duplicates += 1
                    continue
                }
                try checkCorrection(canonical, fresh, seen, group, state)
                if options.isAsRecorded {
                    try checkRecordedAt(canonical, &lastRecordedAt)
                } else {
                    canonical.recordedAt = nil
                }
                try catalogs.take(canonical, document, store)
                try bound.take(canonical, group, state)
                if let document { documents.append(document) }
                seen[key] = fresh.count
                fresh.append((canonical, digest))
            } catch let problem as EventProblem {
                problems.append(InputProblem(line: line, problem))
            }
        }
        guard problems.isEmpty else { return .failure(.badInput(problems)) }
        guard !options.isDryRun else { return .success(receipt(0, duplicates, nil)) }
        let first = group.rows.count
        for document in documents { group.add(document) }
        for (draft, digest) in fresh {
            group.add(draft, requestDigest: digest, state: &state, isCommand: false)
        }
        let position = fresh.isEmpty ? nil : group.rows[first].event.position
        return .success(receipt(fresh.count, duplicates, position))
    }

    private func receipt(_ count: Int, _ duplicates: Int, _ first: Int64?) -> ReportReceipt {
        ReportReceipt(
            appended: count, duplicates: duplicates, firstPosition: first,
            lastPosition: first.map { $0 + Int64(count) - 1 }, durability: store.durability)
    }

    private func conflict(_ draft: EventDraft, at position: Int64?) -> EventProblem {
        EventProblem(
            .forbidden, "source.key",
            "the key \"\(draft.source.key ?? "")\" of source \(draft.source.kind) names another event"
                + (position.map { " at position \($0)" } ?? " in this batch")
                + "; one key, one event")
    }

    /// The same key again must be the same event, whether as first sent or as the ledger exports it.
    private func checkSame(
        _ draft: EventDraft, _ digest: Int64, _ position: Int64, _ group: GroupDecision,
        _ state: LedgerState
    ) throws {
        guard let row = try group.row(at: position) else { return }
        if row.requestDigest == digest { return }
        let stored = try EventDecoder.recorded(
            row, stream: state.streamName(row.event.stream), names: state.names)
        if EventJSON.object(of: stored.draft) == EventJSON.object(of: draft) { return }
        throw conflict(draft, at: position)
    }

    private func checkRecordedAt(_ draft: EventDraft, _ last: inout Int64) throws {
        guard let recordedAt = draft.recordedAt else {
            throw EventProblem(
                .missingField, "recorded_at", "--as-recorded needs recorded_at on every event")
        }
        guard recordedAt >= last else {
            throw EventProblem(
                .outOfBounds, "recorded_at",
                "\(recordedAt) is before \(last); recorded times never go back")
        }
        last = recordedAt
    }

    /// A correction of what is there already is judged now; where the target comes later, when both are folded.
    private func checkCorrection(
        _ draft: EventDraft, _ fresh: [(draft: EventDraft, digest: Int64)],
        _ seen: [EventKey: Int], _ group: GroupDecision, _ state: LedgerState
    ) throws {
        guard draft.type == "correction.voided" || draft.type == "correction.amended",
            let source = draft.data.value(at: ["target", "source"])?.text,
            let name = draft.data.value(at: ["target", "key"])?.text,
            let id = state.names.id(of: source)
        else { return }
        let key = EventKey(draft.environment, id, Reference(name))
        let check = CorrectionCheck(catalog: state.catalogs.newest?.catalog)
        if let index = seen[key] { return try check.check(draft, of: fresh[index].draft) }
        guard let position = try group.position(of: key, state),
            let row = try group.row(at: position)
        else { return }
        let target = try EventDecoder.recorded(
            row, stream: state.streamName(row.event.stream), names: state.names)
        try check.check(draft, of: target.draft)
    }
}
