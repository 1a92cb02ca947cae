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
                return entries(rows, state, cut: cut, until: moment.at ?? Int64.max)
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
    ) -> [HistoryEntry] {
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
        return ordered.compactMap { ordered in
            guard ordered.event.occurredAt <= until, let row = byPosition[ordered.event.position]
            else { return nil }
            let stream = state.streamName(row.event.stream)
            let recorded = EventDecoder.recorded(row, stream: stream, names: state.names)
            let key = EventKey(stream.environment, row.event.source, row.event.key)
            return HistoryEntry(
                event: recorded, label: Self.label(recorded, state.catalogs.newest?.catalog),
                isVoid: state.corrections.isVoid(key, cut: cut),
                amendments: state.corrections.amendments(of: key, cut: cut),
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

    /// Writes events as canonical lines, in position order; catalogs carry their document inline.
    /// - Parameters:
    ///   - position: Exclusive start.
    ///   - usesAppNames: The apps' own names where they have one (rule 27).
    public func export(
        after position: Int64 = 0, subject: String? = nil, environment: Environment? = nil,
        usesAppNames: Bool = false, _ body: ([UInt8]) throws -> Void
    ) throws {
        try refresh()
        let chosen: Set<Int64>? = try subject.map { subject in
            Set(
                try history(of: subject, environment: environment ?? .production)
                    .map(\.event.position))
        }
        let (names, streams, head) = state.withLock { state in
            (state.names, state.streams, state.head)
        }
        try translating {
            try store.scanRows(
                after: Checkpoint(position: position), through: head.checkpoint, chunkCount: 1_000
            ) { rows in
                for row in rows {
                    if let chosen, !chosen.contains(row.event.position) { continue }
                    let record = streams[Int(row.event.stream) - 1]
                    if let environment, record.environment != environment { continue }
                    let stream = StreamName(record.environment, record.kind, names[record.name])
                    let event = EventDecoder.recorded(row, stream: stream, names: names)
                    try body(try line(event, usesAppNames: usesAppNames))
                }
            }
        }
    }

    private func line(_ event: RecordedEvent, usesAppNames: Bool) throws -> [UInt8] {
        var event = event
        if event.draft.type == "catalog.published",
            let digest = event.draft.data["document_sha256"]?.text,
            let bytes = try store.document(sha256: digest)
        {
            event.draft.data["document"] = .string(String(decoding: bytes, as: UTF8.self))
        }
        var object = EventJSON.object(of: event)
        if usesAppNames, let name = appName(event) { object["type"] = .string(name) }
        var bytes = object.canonicalBytes
        bytes.append(0x0A)
        return bytes
    }
}
