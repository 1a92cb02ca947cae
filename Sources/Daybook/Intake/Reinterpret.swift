import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Reads kept payloads with other code.
struct Reinterpreting {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// Runs mapping code over the raw payloads that the ledger keeps, and tells which events would differ.
    func reinterpret(
        _ options: ReinterpretOptions = ReinterpretOptions(), mapping: PayloadMapping = .present,
        progress: @Sendable (ReinterpretProgress) -> Void = { _ in }
    ) async throws -> ReinterpretationReport {
        try core.refresh()
        let head = core.state.withLock { $0.head.position }
        var reader = try PayloadRunReader(core, options)
        var report = ReinterpretationReport()
        var turn = WriteTurn()
        while reader.position < head {
            var runs = try core.translating { try reader.next(through: head) }
            if reader.position >= head, let last = reader.finish() { runs.append(last) }
            let changes = try core.translating { try compare(runs, mapping, options, &report) }
            if options.isApplied {
                for change in changes where !change.changes.isEmpty {
                    try await turn.giveWay()
                    try await apply(change, options, &report)
                }
            }
            progress(
                ReinterpretProgress(
                    events: reader.position, total: head, payloads: report.payloads,
                    differences: report.differenceCount))
        }
        report.withoutPayload = reader.withoutPayload
        return report
    }

    // MARK: Comparing

    private typealias RunChanges = (run: PayloadRun, changes: [PayloadChange])

    private func compare(
        _ runs: [PayloadRun], _ mapping: PayloadMapping, _ options: ReinterpretOptions,
        _ report: inout ReinterpretationReport
    ) throws -> [RunChanges] {
        let catalog = core.state.withLock { $0.catalogs.newest?.catalog }
        var found: [RunChanges] = []
        for run in runs where run.events.contains(where: \.isRoot) {
            let drafts: [EventDraft]
            do {
                drafts = try mapping.events(of: run.payload(catalog)).map {
                    try EventValidator.canonical($0)
                }
            } catch {
                report.add(run, unreadable: "\(error)", options)
                continue
            }
            report.payloads += 1
            report.events += run.events.count
            var comparison = PayloadComparison(state: core.state.withLock { $0 }, store: core.store)
            try comparison.compare(run, with: drafts)
            let changes = comparison.changes
            report.settled += comparison.settled
            for change in changes { report.add(change.told(run), options) }
            found.append((run, changes))
        }
        return found
    }

    // MARK: Applying

    /// All that a payload needs, in one commit.
    private func apply(
        _ found: RunChanges, _ options: ReinterpretOptions, _ report: inout ReinterpretationReport
    ) async throws {
        let author = CorrectionAuthor(options: options)
        let drafts = try core.state.withLock { state in
            try found.changes.flatMap { try author.drafts(for: $0, in: state) }
        }
        let reports = drafts.map {
            PreparedEvent(
                $0, requestDigest: EventJSON.requestDigest(of: $0), core.store.header.secret)
        }
        let made: ReportReceipt
        do {
            made = try await writer.record(reports, ReportOptions())
        } catch LedgerError.badInput(let problems) {
            // One payload whose events the ledger cannot take is no reason to leave the others as they are.
            let reasons = problems.map(\.description).joined(separator: "; ")
            return report.add(found.run, unreadable: "not recorded: \(reasons)", options)
        }
        report.appended += made.appended
        report.firstPosition = report.firstPosition ?? made.firstPosition
        report.lastPosition = made.lastPosition ?? report.lastPosition
    }
}

/// Writes what a change needs.
private struct CorrectionAuthor {
    let options: ReinterpretOptions

    func drafts(for change: PayloadChange, in state: LedgerState) throws -> [EventDraft] {
        do throws(EventProblem) {
            switch change {
            case .amend(let event, let patch, _, _):
                let number = state.corrections.entries(of: event.eventKey).count + 1
                var amendment = correction(
                    .correctionAmended, event, "amend/\(number)", ["patch": .object(patch)])
                // Of two amendments of one moment the later one counts.
                amendment.sequence = Int64(number)
                return [try EventValidator.canonical(amendment)]
            case .replace(let event, let draft, _):
                return [
                    try EventValidator.canonical(voiding(event)),
                    try EventValidator.canonical(draft),
                ]
            case .void(let event): return [try EventValidator.canonical(voiding(event))]
            case .add(let draft): return [try EventValidator.canonical(draft)]
            }
        } catch {
            throw LedgerError.bad(error)
        }
    }

    private func voiding(_ event: ReadEventRow) -> EventDraft {
        correction(.correctionVoided, event, "void", [:])
    }

    private func correction(
        _ type: EventTypeName, _ event: ReadEventRow, _ act: String, _ more: JSONObject
    ) -> EventDraft {
        let source = event.event.draft.source.kind
        var data = more
        data["target"] = ["source": .string(source), "key": .string(event.key)]
        data["reason"] = .string(options.reason)
        data["ticket"] = .string(options.ticket)
        return EventDraft(
            type: type, environment: event.event.draft.environment,
            subject: event.event.draft.subject, occurredAt: nil,
            source: EventSource(
                kind: EventSource.reinterpretation,
                key: EventSource.boundedKey("\(act)/\(source)/\(event.key)")),
            trust: .admin, data: data, extras: ["actor": .string(options.actor)])
    }
}

/// Reads the events of a ledger in batches and joins those of one payload.
private struct PayloadRunReader {
    private static let batchCount: Int64 = 200

    private let core: LedgerCore
    private let options: ReinterpretOptions
    private let names: NameTable
    private let streams: StreamTable
    /// The positions of the asked customer; `nil`: all.
    private let chosen: Set<Int64>?
    private var open: PayloadRun?
    /// Up to which the ledger was read.
    private(set) var position: Int64 = 0
    private(set) var withoutPayload: [String: Int] = [:]

    init(_ core: LedgerCore, _ options: ReinterpretOptions) throws {
        self.core = core
        self.options = options
        try core.readKeys()
        (names, streams) = core.state.withLock { ($0.names, $0.streams) }
        let environments = options.environment.map { [$0] } ?? Environment.allCases
        chosen = try options.subject.map {
            try CustomerHistory(core: core).positions(of: $0, in: environments)
        }
    }

    /// The payloads whose events end in the next batch.
    mutating func next(through head: Int64) throws -> [PayloadRun] {
        let end = min(head, position + Self.batchCount)
        var rows: [EventRow] = []
        try core.store.scanRows(
            after: Checkpoint(position: position), through: Checkpoint(position: end),
            chunkCount: Int(Self.batchCount)
        ) { rows += $0 }
        position = end
        var closed: [PayloadRun] = []
        for row in rows {
            guard let event = try event(of: row) else { continue }
            if open?.take(event) == true { continue }
            if let last = finish() { closed.append(last) }
            let bytes = try core.store.document(sha256: event.sha256)
            open = bytes.map { PayloadRun(event, $0) }
            if open == nil { noteWithoutPayload(event.event) }
        }
        return closed
    }

    /// The last payload, when nothing follows; `nil` where it is not asked for.
    mutating func finish() -> PayloadRun? {
        defer { open = nil }
        return open.flatMap { isAsked($0.events.map(\.event)) ? $0 : nil }
    }

    /// An event that was read from a payload.
    private mutating func event(of row: EventRow) throws -> ReadEventRow? {
        let record = streams[row.event.stream].record
        if let environment = options.environment, record.environment != environment { return nil }
        let stream = StreamName(record.environment, record.kind, names[record.name])
        let event = try EventDecoder.recorded(row, stream: stream, names: names)
        if event.draft.extras["raw_sha256"]?.text != nil {
            return ReadEventRow(row: row, event: event)
        }
        // The ledger's own notes, its catalogs and what was asked of it came from no payload.
        let isOwn = record.kind == .ledger || event.draft.source.kind == "ledger"
        if !isOwn { noteWithoutPayload(event) }
        return nil
    }

    private mutating func noteWithoutPayload(_ event: RecordedEvent) {
        guard isAsked([event]) else { return }
        withoutPayload[event.draft.source.kind, default: 0] += 1
    }

    private func isAsked(_ events: [RecordedEvent]) -> Bool {
        if let since = options.since, events[0].recordedAt < since { return false }
        if let type = options.type,
            !events.contains(where: { $0.draft.type == type })
        {
            return false
        }
        guard let chosen else { return true }
        return events.contains { chosen.contains($0.position) }
    }
}

extension PayloadChange {
    /// For people and scripts.
    fileprivate func told(_ run: PayloadRun) -> ReinterpretedEvent {
        func told(
            _ change: ReinterpretedEvent.Change, _ event: ReadEventRow?, _ draft: EventDraft?,
            _ fields: [ReinterpretedEvent.Field]
        ) -> ReinterpretedEvent {
            let known = event?.event.draft ?? draft
            return ReinterpretedEvent(
                change: change, sha256: run.sha256, environment: run.environment,
                source: run.source, key: known?.source.key ?? "",
                position: event?.event.position, type: known?.type ?? EventTypeName(rawValue: ""),
                subject: known?.subject, newKey: change == .amended ? nil : draft?.source.key,
                fields: fields)
        }
        switch self {
        case .amend(let event, _, let now, let recorded):
            return told(.amended, event, now, now.fields(besides: recorded))
        case .replace(let event, let now, let recorded):
            return told(.replaced, event, now, now.fields(besides: recorded))
        case .void(let event): return told(.voided, event, nil, [])
        case .add(let draft): return told(.added, nil, draft, draft.fields(besides: nil))
        }
    }
}

extension EventDraft {
    /// What an event says, but its key, trust and extras.
    private var told: [String: JSONValue] {
        let envelope: [(String, JSONValue?)] = [
            ("type", .string(type.rawValue)), ("subject", subject.map(JSONValue.string)),
            ("profile", profile.map(JSONValue.string)),
            ("occurred_at", occurredAt.map(JSONValue.integer)),
            ("signed_at", (source.signedAt ?? occurredAt).map(JSONValue.integer)),
        ]
        let all = envelope + data.members.map { ("data.\($0.name)", $0.value) }
        return Dictionary(
            all.compactMap { name, value in value.map { (name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Where the event differs from the one that was recorded.
    fileprivate func fields(besides recorded: EventDraft?) -> [ReinterpretedEvent.Field] {
        let (before, now) = (recorded?.told ?? [:], told)
        return Set(before.keys).union(now.keys).sorted(by: precedesInBytes).compactMap { name in
            before[name] == now[name]
                ? nil : .init(name: name, recorded: before[name], now: now[name])
        }
    }
}

extension ReinterpretationReport {
    fileprivate mutating func add(
        _ difference: ReinterpretedEvent, _ options: ReinterpretOptions
    ) {
        changes[difference.change, default: 0] += 1
        if differences.count < options.listCountMax { differences.append(difference) }
    }

    fileprivate mutating func add(
        _ run: PayloadRun, unreadable reason: String, _ options: ReinterpretOptions
    ) {
        unreadableCount += 1
        guard unreadable.count < options.listCountMax else { return }
        unreadable.append(
            .init(sha256: run.sha256, position: run.first.event.position, reason: reason))
    }
}
