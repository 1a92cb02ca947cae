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
        for (index, draft) in drafts.enumerated() {
            let line = index < options.lines.count ? options.lines[index] : nil
            do {
                var canonical = try EventValidator.canonical(draft)
                try takeDocument(&canonical, &documents)
                try checkStructure(canonical, state)
                let digest = EventJSON.requestDigest(EventJSON.object(of: canonical))
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
                if options.isAsRecorded {
                    try checkRecordedAt(canonical, &lastRecordedAt)
                } else {
                    canonical.recordedAt = nil
                }
                try bound.take(canonical, group, state)
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

    /// A published catalog brings its document along, which is kept by its digest (rule 8).
    private func takeDocument(
        _ draft: inout EventDraft, _ documents: inout [StoredDocument]
    ) throws {
        guard draft.type == "catalog.published" else { return }
        let digest = draft.data["document_sha256"]?.text ?? ""
        guard let text = draft.data["document"]?.text else {
            if try store.document(sha256: digest) == nil {
                throw EventProblem(
                    .missingField, "data.document",
                    "the catalog \(digest.prefix(12)) is not in this ledger; export writes it inline"
                )
            }
            return
        }
        let bytes = Array(text.utf8)
        guard Digest.hexadecimal(Digest.sha256(bytes)) == digest else {
            throw EventProblem(
                .wrongType, "data.document", "the document does not have the digest \(digest)")
        }
        do throws(CatalogProblems) {
            _ = try CatalogReader.read(bytes)
        } catch {
            throw EventProblem(
                .wrongType, "data.document",
                error.problems.first.map { "\($0.sentence)" } ?? "cannot be read")
        }
        draft.data["document"] = nil
        documents.append(StoredDocument(sha256: digest, bytes: bytes))
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
        let stored = EventDecoder.recorded(
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

    /// What only the catalog can tell: a gauge needs a ref, a counter a positive amount (rules 12 and 13).
    private func checkStructure(_ draft: EventDraft, _ state: LedgerState) throws {
        guard draft.type == "usage.recorded" else { return }
        let amount = draft.data["amount"]?.integer ?? 0
        if amount == 0 {
            throw EventProblem(.outOfBounds, "data.amount", "0 units are no usage")
        }
        guard let catalog = state.catalogs.newest?.catalog,
            let meter = catalog.meter(named: draft.data["meter"]?.text ?? "")
        else { return }
        switch meter.kind {
        case .gauge:
            if draft.data["ref"] == nil {
                throw EventProblem(
                    .missingField, "data.ref",
                    "\(meter.name) is a gauge: say which one came or went")
            }
        case .counter, .window:
            if amount < 1 {
                throw EventProblem(
                    .outOfBounds, "data.amount",
                    "\(amount) on a counter; use usage.reversed to take usage back")
            }
        }
    }
}
