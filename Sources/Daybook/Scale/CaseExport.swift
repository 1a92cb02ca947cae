import DaybookDomain
import DaybookEvents
import DaybookStore

/// The events of a ledger as it was at one place, case by case, with what all cases share.
public struct CaseExport: Sendable {
    /// What all cases share; it goes with the lines of every partition.
    public let context: FoldContext
    private let core: LedgerCore
    private let state: LedgerState
    private let keys: CaseKeys

    /// Of the ledger's own events those that answers depend on: neither payloads that could not be read nor reports.
    private static let kinds: Set<EventType> = [
        .catalogPublished, .catalogRolledBack, .correctionVoided, .correctionAmended,
        .rateRecorded,
    ]

    init(core: LedgerCore, _ moment: Moment) throws {
        self.core = core
        try core.refresh()
        let look = try core.translating { try MetricsLook(core, moment) }
        let state = look.known
        self.state = state
        let place = try Places(core: core).place(at: state.head.position)
        keys = try core.translating { try CaseKeys(state) }
        var zones: [String: String] = [:]
        // Also those that are not known here: elsewhere they may be.
        let named = state.zoneNames.map { state.names[$0] }
        for name in named + state.catalogs.versions.map({ $0.catalog.defaultTimeZone }) {
            zones[name] = core.zoneTables.mark(of: name)
        }
        context = FoldContext(
            app: core.app, at: look.at, position: state.head.position,
            place: place.description, caseCount: Int64(keys.count), eventCount: keys.eventCount,
            cases: keys.digest, zones: zones,
            events: try core.translating { try Self.own(core, state) })
    }

    /// The ledger's own events, by position.
    private static func own(_ core: LedgerCore, _ state: LedgerState) throws -> [ContextEvent] {
        var rows: [EventRow] = []
        for stream in 1..<max(1, UInt32(clamping: state.streams.count) + 1) {
            let head = state.headOf(stream).position
            guard state.stream(stream).kind == .ledger, head > 0 else { continue }
            rows += try core.store.stream(endingAt: head).filter {
                kinds.contains($0.event.type)
            }
        }
        // Targets are compared with what was measured elsewhere.
        var measured: [Int64] = []
        try state.log.forEachBackwards(of: [.kpiRecorded], through: state.head.position) {
            measured.append($0.position)
            return true
        }
        rows += try core.store.rows(at: measured.reversed())
        rows.sort { $0.event.position < $1.event.position }
        return try rows.enumerated().map { index, row in
            let event = try state.recorded(row)
            let line = EventJSON.object(of: try Export(core: core).inlined(event)).canonicalBytes
            return try ContextEvent(line, number: index + 2, app: core.app)
        }
    }

    /// The cases of each of so many partitions; in which one a case is depends on its name and this number alone.
    /// - Complexity: O(*s*) in the ledger's streams.
    public func partitions(_ count: Int) -> [CasePartition] {
        precondition(count > 0, "There is no partition.")
        var keys = keys
        return keys.partitions(count).map { CasePartition(cases: $0) }
    }

    /// Writes the events of one partition: those of a case one after the other, by position.
    /// - Parameters:
    ///   - partition: One that `partitions` of this export gave.
    ///   - body: Is given whole lines, each ended by LF.
    /// - Returns: How many events were written.
    /// - Throws: `LedgerError.store`, and what the body throws.
    /// - Complexity: A row for each event.
    public func write(
        _ partition: CasePartition, _ body: ([UInt8]) throws -> Void
    ) throws -> Int64 {
        let mark = context.mark
        var written: Int64 = 0
        var lines: [UInt8] = []
        try keys.forEachCase(of: partition.cases) { name, streams in
            try core.translating {
                // Oldest first, so that hardly anything is left to sort.
                var rows = try streams.flatMap {
                    try core.store.stream(endingAt: state.headOf($0).position).reversed()
                }
                rows.sort { $0.event.position < $1.event.position }
                for row in rows {
                    lines +=
                        CaseLine(
                            context: mark, key: name, eventCount: Int64(rows.count),
                            position: row.event.position, isUnknown: row.event.type == .unknown,
                            event: try draft(of: row)
                        ).bytes
                }
                written += Int64(rows.count)
            }
            if lines.count >= Self.byteCount {
                try body(lines)
                lines.removeAll(keepingCapacity: true)
            }
        }
        if !lines.isEmpty { try body(lines) }
        return written
    }

    /// The event as it was recorded.
    /// - Throws: `LedgerError.badInput` for a row that this build would write in another way, so that a fold of the
    ///   line would not be one of the row: an earlier build did not know a word or a version of it (decision 0011).
    private func draft(of row: EventRow) throws -> EventDraft {
        let stream = state.streamName(row.event.stream)
        let event = try EventDecoder.recorded(row, stream: stream, names: state.names)
        var draft = event.draft
        draft.recordedAt = event.recordedAt
        let schema =
            row.event.type == .unknown
            ? nil : Vocabulary.schema(named: draft.type, version: draft.version)
        let (again, names) = EventEncoder.encode(draft, schema)
        var written = again.event
        written.position = row.event.position
        written.stream = row.event.stream
        func number(_ name: String) -> NameID? { name.isEmpty ? 0 : state.names.id(of: name) }
        let numbers = [
            names.customer, names.profile, names.nameA, names.nameB, names.nameC, names.source,
        ].map(number)
        let recorded = [
            row.event.customer, row.event.profile, row.event.nameA, row.event.nameB,
            row.event.nameC, row.event.source,
        ]
        (written.customer, written.profile) = (row.event.customer, row.event.profile)
        (written.nameA, written.nameB) = (row.event.nameA, row.event.nameB)
        (written.nameC, written.source) = (row.event.nameC, row.event.source)
        try LedgerError.require(
            written == row.event && numbers == recorded
                && EventRouter.stream(of: draft, schema) == stream, "older_build",
            "the event at position \(row.event.position) was recorded by a build that wrote it in another way; a fold of its line would not be one of the ledger: use replay and metrics on the ledger itself"
        )
        return draft
    }

    /// Bytes that are handed over at once, about.
    private static let byteCount = 1 << 20
}

/// Some cases of an export that are written together.
public struct CasePartition: Sendable {
    let cases: CaseKeys.Partition
}
