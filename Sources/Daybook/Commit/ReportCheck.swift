import DaybookDomain
import DaybookEvents
import DaybookStore

/// What is checked of a report before it may be appended; the dry run of an import and the append check the same.
struct ReportCheck {
    let store: any EventStore

    /// Prepares an event; of a catalog the document is checked and taken out.
    /// - Parameters:
    ///   - draft: In canonical form.
    ///   - isAppended: Whether it may be appended, not only checked.
    func prepare(
        _ draft: consuming EventDraft, isAppended: Bool = true
    ) throws -> PreparedEvent {
        let document = try CatalogReports.takeDocument(&draft, store)
        guard isAppended else {
            return PreparedEvent(checking: draft, document: document)
        }
        let digest = Self.digest(of: draft)
        return PreparedEvent(
            draft, requestDigest: digest, store.header.secret, document: document)
    }

    /// The digest of what was said.
    static func digest(of draft: EventDraft) -> Int64 {
        var json = JSONWriter(reserving: 512)
        return digest(of: draft, in: &json)
    }

    /// The same, written into memory that is used again.
    static func digest(of draft: EventDraft, in json: inout JSONWriter) -> Int64 {
        if draft.extras.isEmpty { return EventJSON.requestDigest(of: draft, in: &json) }
        // Which bytes said it is no part of what was said: the store may sign the same statement twice.
        var said = draft
        said.extras["raw_sha256"] = nil
        return EventJSON.requestDigest(of: said, in: &json)
    }

    /// Whether two reports of one key say the same: as they were sent, or as what their names stand for.
    static func isSame(_ left: PreparedEvent, _ right: PreparedEvent) -> Bool {
        left.requestDigest == right.requestDigest || left.draft == right.draft
    }

    /// Whether the ledger has a report already: under its key, or under the one that an older engine gave it, which is
    /// made of its bytes.
    /// - Parameter freeThrough: No event up to this position has its key.
    /// - Throws: `EventProblem` where the key stands for something else.
    func isRecorded(
        _ report: PreparedEvent, _ key: EventKey, freeThrough: Int64 = 0, _ group: GroupDecision,
        _ state: LedgerState
    ) throws -> Bool {
        if let position = try group.position(of: key, freeThrough: freeThrough, state) {
            try checkSame(report, position, group, state)
            return true
        }
        guard let older = report.olderKey else { return false }
        return try group.position(of: EventKey(key.environment, key.source, older), state) != nil
    }

    /// The same key again must be the same event, whether as first sent or as the ledger exports it, under an app's
    /// own name or ours.
    /// - Parameter position: Where the event of this key stands.
    private func checkSame(
        _ report: PreparedEvent, _ position: Int64, _ group: GroupDecision, _ state: LedgerState
    ) throws {
        guard let row = try group.row(at: position), row.requestDigest != report.requestDigest,
            row.requestDigest != report.namedDigest
        else { return }
        let stored = try state.recorded(row)
        let said = EventJSON.object(of: report.draft)
        if EventJSON.object(of: stored.draft) == said { return }
        // Recorded before the catalog had the name.
        let name =
            stored.type == .unknown ? state.catalogs.eventName(stored.draft.type.rawValue) : nil
        if let named = name?.canonical(stored.draft), EventJSON.object(of: named) == said {
            return
        }
        if report.isRead, stored.draft.extras["raw_sha256"] == report.draft.extras["raw_sha256"] {
            return
        }
        // An older ledger has the claim as a part of the fact, under this key: it was made already.
        if report.isRead, report.draft.type == .purchaseClaimed,
            haveSameBytes(stored.draft.subject, report.draft.subject)
        {
            return
        }
        throw Self.conflict(
            report.draft, "at position \(position)", hint: Self.hint(report.draft, stored))
    }

    /// An engine that knew apps' names by itself may have recorded what no catalog names now.
    private static func hint(_ draft: EventDraft, _ stored: RecordedEvent) -> String {
        guard !Vocabulary.isKnown(draft.type), stored.type.mayHaveAppName else { return "" }
        return
            ". That one is a \(stored.draft.type): if \"\(draft.type)\" is the app's own name for it, publish a catalog that says so in eventNames"
    }

    /// The refusal of a key that stands for something else.
    /// - Parameter place: Where the other event is: `at position 7`.
    static func conflict(
        _ draft: EventDraft, _ place: String, hint: String = ""
    ) -> EventProblem {
        EventProblem(
            .keyConflict, "source.key",
            "the key \"\(draft.source.key ?? "")\" of source \(draft.source.kind) names another event \(place); one key, one event\(hint)"
        )
    }

    /// So many epochs may one event skip: a backup that is restored may be that much older than what it replaces.
    private static let epochsMax: Int64 = 1_000

    /// Epochs only grow, and by little: a number near the bound would be the last one that the ledger can have.
    /// - Parameter last: The epoch before; becomes this one's.
    static func checkEpoch(_ draft: EventDraft, _ last: inout Int64) throws {
        guard draft.type == .ledgerRestored, let epoch = draft.data["epoch"]?.integer else {
            return
        }
        try EventProblem.require(
            epoch > last && epoch <= last + epochsMax, .outOfBounds, "data.epoch",
            "the epoch \(epoch) cannot follow epoch \(last); \"daybook restore\" writes this event, and an export has it"
        )
        last = epoch
    }

    /// The recorded time that a file gives must be there, must not go back, and must not lie ahead: all later events
    /// would have to keep to it (rule 28).
    /// - Parameters:
    ///   - last: The recorded time of the event before; becomes this one's.
    ///   - wall: The ledger's wall clock. One that stands at the beginning of time cannot say what lies ahead.
    static func checkRecordedAt(
        _ draft: EventDraft, _ last: inout Int64, wall: Int64
    ) throws {
        guard let recordedAt = draft.recordedAt else {
            throw EventProblem(
                .missingField, "recorded_at",
                "the event does not say when it was recorded; leave the recorded times to the ledger, or give every event one"
            )
        }
        try EventProblem.require(
            recordedAt >= last, .outOfBounds, "recorded_at",
            "\(recordedAt) is before \(last), when the event before it was recorded; recorded times never go back"
        )
        let lead = LedgerClock(wall: wall, last: recordedAt).lead
        try EventProblem.require(
            lead <= LedgerClock.leadMax, .outOfBounds, "recorded_at",
            "\(recordedAt) (\(RFC3339.format(recordedAt))) is ahead of the clock, which says \(RFC3339.format(wall)), by more than a day; whatever clock wrote it was wrong: leave the recorded times to the ledger"
        )
        last = recordedAt
    }

    /// What a correction corrects; `nil` for every other event.
    static func target(of draft: EventDraft) -> (source: String, key: Reference)? {
        guard draft.type == .correctionVoided || draft.type == .correctionAmended,
            let source = draft.data.value(at: ["target", "source"])?.text,
            let key = draft.data.value(at: ["target", "key"])?.text
        else { return nil }
        return (source, Reference(key))
    }

    /// A correction of what is there already is judged now; where the target comes later, when both are folded.
    /// - Parameter neighbour: The target, where it comes with the same batch or file.
    func checkCorrection(
        _ draft: EventDraft, neighbour: EventDraft?, _ group: GroupDecision, _ state: LedgerState
    ) throws {
        guard let target = Self.target(of: draft) else { return }
        let check = CorrectionCheck(catalog: state.catalogs.newest?.catalog)
        if let neighbour { return try check.check(draft, of: neighbour) }
        guard let source = state.names.id(of: target.source),
            let position = try group.position(
                of: EventKey(draft.environment, source, target.key), state),
            let row = try group.row(at: position)
        else { return }
        let recorded = try state.recorded(row)
        try check.check(draft, of: recorded.draft)
    }
}
