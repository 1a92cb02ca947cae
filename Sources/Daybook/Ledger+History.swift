import DaybookDomain
public import DaybookEvents
import DaybookStore

/// One line of a customer's timeline.
public struct HistoryEntry: Sendable, Equatable {
    public var event: RecordedEvent
    /// What a person calls it: "story created", "subscription renewed".
    public var label: String
    /// A correction within the cut voids it.
    public var isVoid: Bool
    /// Positions of the amendments that hold within the cut.
    public var amendments: [Int64]
    /// Recorded after something that happened later.
    public var isLate: Bool
}

extension Ledger {
    /// Everything that names a customer, in canonical order: own events, lines, corrections.
    public func history(
        of subject: String, environment: Environment = .production, moment: Moment = .now
    ) throws -> [HistoryEntry] {
        try refresh()
        return try translating {
            let now = clock()
            let cut = try resolve(moment.knownAt, now: now).position
            return try state.withLock { state in
                let positions = try listedPositions(subject, environment, state)
                let rows = try store.rows(at: positions.filter { $0 <= cut })
                return try entries(rows, state, cut: cut, until: moment.at ?? Int64.max)
            }
        }
    }

    private func listedPositions(
        _ subject: String, _ environment: Environment, _ state: LedgerState
    ) throws -> [Int64] {
        guard let id = state.names.id(of: subject) else { return [] }
        let members = state.identity.person(
            CustomerKey(environment, id), cut: Int64.max, corrections: state.corrections,
            names: state.names
        ).members
        var streams = members.compactMap { state.streamID(environment, .customer, $0) }
        for name in members { streams += state.linesNaming[CustomerKey(environment, name)] ?? [] }
        var rows: [EventRow] = []
        for stream in Set(streams).sorted() {
            rows += try store.stream(endingAt: state.headOf(stream).position)
        }
        if let corrections = state.names.id(of: "corrections"),
            let stream = state.streamID(environment, .ledger, corrections)
        {
            let own = Set(rows.map { EventKey(environment, $0.event.source, $0.event.key) })
            rows += try store.stream(endingAt: state.headOf(stream).position).filter {
                own.contains(EventKey(environment, $0.event.nameA, $0.event.reference))
            }
        }
        return Set(rows.map(\.event.position)).sorted()
    }

    private func entries(
        _ rows: [EventRow], _ state: LedgerState, cut: Int64, until: Int64
    ) throws -> [HistoryEntry] {
        var latest = Int64.min
        var late: Set<Int64> = []
        for row in rows {
            if row.event.occurredAt < latest { late.insert(row.event.position) }
            latest = max(latest, row.event.occurredAt)
        }
        var ordered = rows.map { OrderedEvent(event: $0.event, key: $0.key) }
        OrderedEvent.sort(&ordered, names: state.names)
        let byPosition = Dictionary(
            rows.map { ($0.event.position, $0) }, uniquingKeysWith: { first, _ in first })
        return try ordered.compactMap { ordered in
            guard ordered.event.occurredAt <= until, let row = byPosition[ordered.event.position]
            else { return nil }
            let stream = state.streamName(row.event.stream)
            let recorded: RecordedEvent
            var label: String?
            do throws(RowDamage) {
                recorded = try EventDecoder.recorded(row, stream: stream, names: state.names)
            } catch {
                // One damaged row must not hide the others; `export`, which would lose its data, refuses.
                recorded = error.readable
                label = "damaged: \(error)"
            }
            let key = EventKey(stream.environment, row.event.source, row.event.key)
            let amendments = state.corrections.amendments(of: key, cut: cut)
            let holding =
                amendments.isEmpty
                ? []
                : try Amendments(store: store, names: state.names).apply(
                    amendments, to: row, in: stream
                ).holding
            return HistoryEntry(
                event: recorded,
                label: label ?? Self.label(recorded, state.catalogs.newest?.catalog),
                isVoid: state.corrections.isVoid(key, cut: cut),
                amendments: holding,
                isLate: late.contains(row.event.position))
        }
    }

    /// The catalog's word for a use, else the type with spaces.
    private static func label(_ event: RecordedEvent, _ catalog: Catalog?) -> String {
        if event.draft.type == "usage.recorded",
            let label = catalog?.meter(named: event.draft.data["meter"]?.text ?? "")?.eventLabel
        {
            return label
        }
        return event.draft.type.map { $0 == "." || $0 == "_" ? " " : String($0) }.joined()
    }
}
