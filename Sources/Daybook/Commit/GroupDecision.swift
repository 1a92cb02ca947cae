import DaybookDomain
import DaybookEvents
import DaybookStore

/// Decides the requests of one commit in order, each upon what the ones before it decided (rule 17).
///
/// Holds copies and additions only: until the commit succeeded nothing that a reader sees has changed.
struct GroupDecision {
    let store: any EventStore
    let time: LedgerClock
    /// What one aggregate may have (rule 30).
    let bounds: AggregateBounds
    private(set) var rows: [EventRow] = []
    /// Of each row (`RowDigest`).
    private var digests: [HistoryHash] = []
    let digest: RowDigest
    private(set) var documents: [StoredDocument] = []
    private var undecided: [UInt32: [OrderedEvent]] = [:]
    /// Those of these streams that are lineages.
    private var undecidedLineages: [UInt32] = []
    private var keys: [EventKey: Int] = [:]
    /// How many rows are in `undecided` and `keys`: only requests that come later in the group ask there.
    private var indexedCount = 0
    private var versions: [UInt32: StreamTable.Head] = [:]
    private let headPosition: Int64
    /// Set when later requests must see this group committed first (aliases, catalogs, corrections).
    private(set) var isClosed = false

    /// - Parameter head: The last position that is committed.
    init(store: any EventStore, head: Int64, time: LedgerClock, bounds: AggregateBounds) {
        self.store = store
        digest = RowDigest(store.header.secret)
        self.bounds = bounds
        self.time = time
        headPosition = head
    }

    /// The ledger's clock at this commit, which its events are recorded at.
    var recordedAt: Int64 { time.recordedAt }
    /// When its requests are decided.
    var now: Int64 { time.now }

    /// Whether the group holds events of a customer whose ID is also spelled in another way. The spellings become one
    /// person when the group is committed, and a command that is decided before would not see all of that person.
    func mustCommit(
        before customer: (environment: Environment, name: String), _ state: LedgerState
    ) -> Bool {
        guard !rows.isEmpty, let (lower, upper) = UUIDText.spellings(of: customer.name) else {
            return false
        }
        return [lower, upper].contains { other in
            guard !haveSameBytes(other, customer.name),
                let stream = state.stream(named: other, .customer, in: customer.environment)
            else { return false }
            return versions[stream] != nil && state.headOf(stream).position == 0
        }
    }

    /// Whether the group has no event of a stream, and none of any lineage: a customer who is one stream is then as
    /// they were before it.
    /// - Parameter stream: `nil`: it has not begun.
    func isUntouched(_ stream: UInt32?) -> Bool {
        undecidedLineages.isEmpty && (stream.map { undecided[$0] == nil } ?? true)
    }

    /// Where the next event will stand.
    var nextPosition: Int64 { headPosition + Int64(rows.count) + 1 }

    /// Builds the case that a command is decided upon.
    /// - Parameter last: The last position that is known, committed or decided before in this group.
    func customerCase(
        _ state: LedgerState, _ environment: Environment, _ subject: String, at instant: Int64,
        through last: Int64 = Int64.max
    ) throws -> CustomerCase {
        try builder(state, at: instant, through: last).build(environment, subject)
    }

    /// The owner of a lineage, with what this group decided before.
    func belonging(
        of stream: UInt32, _ state: LedgerState, at instant: Int64
    ) throws -> CaseBuilder.Belonging {
        try builder(state, at: instant, through: Int64.max).belonging(of: stream)
    }

    /// Builds cases of customers as they are with what this group decided before.
    func builder(
        _ state: LedgerState, at instant: Int64, through last: Int64 = Int64.max
    ) -> CaseBuilder {
        var known = undecided
        if last < headPosition + Int64(rows.count) {
            known = known.mapValues { $0.filter { $0.event.position <= last } }
        }
        return CaseBuilder(
            state: state, cut: last, at: instant, undecided: known,
            undecidedLineages: undecidedLineages)
    }

    /// The position that an event of this name has, committed or decided before in this group.
    /// - Parameter freeThrough: No event up to this position has the name.
    func position(
        of key: EventKey, freeThrough: Int64 = 0, _ state: LedgerState
    ) throws -> Int64? {
        if let index = keys[key] { return headPosition + Int64(index) + 1 }
        return try state.position(of: key, freeThrough: freeThrough, in: store)
    }

    /// The row of a position, committed or decided.
    func row(at position: Int64) throws -> EventRow? {
        let index = position - headPosition - 1
        if index >= 0 { return index < rows.count ? rows[Int(index)] : nil }
        return try store.rows(at: [position]).first
    }

    func head(of stream: UInt32, _ state: LedgerState) -> StreamTable.Head {
        versions[stream] ?? state.headOf(stream)
    }

    /// The number of a stream that there is.
    func stream(_ name: StreamName, _ state: LedgerState) -> UInt32? {
        state.names.id(of: name.name).flatMap { state.streamID(name.environment, name.kind, $0) }
    }

    /// Takes a canonical draft of the writer's own into the commit.
    /// - Parameter name: The draft's stream.
    mutating func add(
        _ draft: EventDraft, in name: StreamName, requestDigest: Int64, state: inout LedgerState,
        isCommand: Bool
    ) {
        var draft = draft
        let stream = state.internStream(name)
        // The ledger's own commands keep their order by the version at which they were first recorded (rule 2).
        if isCommand { draft.sequence = head(of: stream, state).version + 1 }
        let event = EncodedEvent(draft, in: name, requestDigest: requestDigest, digest)
        add(event, stream, state: &state)
    }

    /// Takes an event of the writer's own into the commit that was encoded before.
    /// - Parameter stream: The number of its stream.
    mutating func add(
        _ event: EncodedEvent, _ stream: UInt32, state: inout LedgerState
    ) {
        internPatch(event.draft, &state)
        var memo = NameMemo()
        var row = event.row
        digests.append(event.digest)
        memo.number(&row, event.names, &state.names)
        append(row, stream, after: state.headOf(stream), recordedAt: event.draft.recordedAt)
        index(state)
    }

    /// Takes reports into the commit.
    /// - Parameters:
    ///   - streams: The streams of the reports; `nil` where one begins.
    ///   - keepsRecordedAt: The recorded times are those of the reports.
    mutating func add(
        _ reports: [PreparedEvent], _ streams: [UInt32?], keepsRecordedAt: Bool,
        state: inout LedgerState
    ) {
        var memo = NameMemo()
        rows.reserveCapacity(rows.count + reports.count)
        versions.reserveCapacity(versions.count + reports.count)
        for (report, known) in zip(reports, streams) {
            if let document = report.document { add(document) }
            let name = report.stream
            let stream = known ?? state.internStream(name)
            memo.customer.note(name.name, state.stream(stream).name)
            if !report.isPlain { internPatch(report.draft, &state) }
            guard var row = report.row, let digest = report.digest else {
                preconditionFailure("a report is encoded before it is added")
            }
            digests.append(digest)
            memo.number(&row, report.names, &state.names)
            append(
                row, stream, after: state.headOf(stream),
                recordedAt: keepsRecordedAt ? report.draft.recordedAt : nil)
        }
    }

    /// Makes what was decided known to the requests that come after it in the group.
    mutating func index(_ state: LedgerState) {
        for index in indexedCount..<rows.count {
            let (event, key) = (rows[index].event, rows[index].key)
            keys[state.eventKey(event)] = index
            if undecided[event.stream] == nil, state.stream(event.stream).kind == .lineage {
                undecidedLineages.append(event.stream)
            }
            undecided[event.stream, default: []].append(OrderedEvent(event: event, key: key))
        }
        indexedCount = rows.count
    }

    /// How far the group has come, with the names and streams that it gave.
    struct Mark {
        var rowCount: Int
        var documentCount: Int
        var isClosed: Bool
        var nameCount: Int
        var streamCount: Int
    }

    func mark(_ state: LedgerState) -> Mark {
        Mark(
            rowCount: rows.count, documentCount: documents.count, isClosed: isClosed,
            nameCount: state.names.count, streamCount: state.streams.count)
    }

    /// Forgets everything since a mark, as if it had never been asked for.
    mutating func rollBack(to mark: Mark, _ state: inout LedgerState) {
        for index in (mark.rowCount..<rows.count).reversed() {
            let row = rows[index]
            versions[row.event.stream] = .init(
                position: row.previous, version: row.streamVersion - 1)
            guard index < indexedCount else { continue }
            keys[state.eventKey(row.event)] = nil
            undecided[row.event.stream]?.removeLast()
            guard undecided[row.event.stream]?.isEmpty == true else { continue }
            // Its number may be given to another one.
            undecided[row.event.stream] = nil
            undecidedLineages.removeAll { $0 == row.event.stream }
        }
        indexedCount = min(indexedCount, mark.rowCount)
        rows.removeSubrange(mark.rowCount...)
        digests.removeSubrange(mark.rowCount...)
        documents.removeSubrange(mark.documentCount...)
        isClosed = mark.isClosed
        state.streams.truncate(to: mark.streamCount)
        state.names.truncate(to: mark.nameCount)
    }

    /// Gives a row its place at the end.
    /// - Parameter committed: The stream's head before this group.
    private mutating func append(
        _ row: consuming EventRow, _ stream: UInt32, after committed: StreamTable.Head,
        recordedAt: Int64?
    ) {
        let position = nextPosition
        let head = Self.advance(&versions[stream, default: committed], to: position)
        row.event.position = position
        row.event.stream = stream
        row.previous = head.position
        row.streamVersion = head.version + 1
        row.recordedAt = max(rows.last?.recordedAt ?? 0, recordedAt ?? time.recordedAt)
        switch row.event.type {
        case .subjectAliased, .subjectUnaliased, .purchaseTransferred, .correctionVoided,
            .correctionAmended, .catalogPublished, .catalogRolledBack:
            isClosed = true
        default: break
        }
        rows.append(row)
    }

    /// - Returns: The head before.
    private static func advance(
        _ head: inout StreamTable.Head, to position: Int64
    ) -> StreamTable.Head {
        defer { head = .init(position: position, version: head.version + 1) }
        return head
    }

    /// A patch's texts become names now, because a fold may not add any.
    private func internPatch(_ draft: EventDraft, _ state: inout LedgerState) {
        guard let patch = draft.data["patch"]?.object else { return }
        for member in patch.members {
            if let text = member.value.text { _ = state.names.intern(text) }
            for inner in member.value.object?.members ?? [] {
                if let text = inner.value.text { _ = state.names.intern(text) }
            }
        }
    }

    mutating func add(_ document: StoredDocument) { documents.append(document) }

    func batch(_ state: LedgerState) -> AppendBatch {
        AppendBatch(
            expectedHead: headPosition,
            expectedHistory: state.history.flatMap { $0.position == headPosition ? $0.hash : nil },
            nameCount: state.storedNameCount,
            names: state.names.texts(after: state.storedNameCount),
            streams: state.newStreams, rows: rows, digests: digests, documents: documents)
    }
}
