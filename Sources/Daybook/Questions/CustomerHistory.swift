import DaybookDomain
import DaybookEvents
import DaybookStore

/// The events of a customer or a lineage, as they are listed.
package struct CustomerHistory {
    let core: LedgerCore

    package init(core: LedgerCore) { self.core = core }

    /// Everything that names a customer, in canonical order: own events, lineages, corrections.
    package func history(
        of subject: String, environment: Environment = .production, moment: Moment = .now,
        happened: Range<Int64> = Int64.min..<Int64.max, after place: Place? = nil,
        order: PageOrder = PageOrder()
    ) throws -> HistoryPage {
        try core.refresh()
        if let place { try Places(core: core).confirm(place) }
        var entries = try takenInHistory(of: subject, environment: environment, moment: moment)
        if happened != Int64.min..<Int64.max {
            entries.removeAll { !happened.contains($0.event.draft.occurredAt ?? 0) }
        }
        if order.isNewestFirst { entries.reverse() }
        if let place {
            guard let last = entries.firstIndex(where: { $0.event.position == place.position })
            else {
                throw LedgerError.bad(
                    "bad_cursor", "no page of this timeline ended at \(place); take its next")
            }
            entries.removeFirst(last + 1)
        }
        guard let limit = order.limit, entries.count > limit else { return HistoryPage(entries) }
        let shown = Array(entries.prefix(limit))
        let next = try shown.last.map { try Places(core: core).place(at: $0.event.position) }
        return HistoryPage(shown, next: next)
    }

    /// Where everything stands that a customer's timeline has.
    func positions(of subject: String, in environments: [Environment]) throws -> Set<Int64> {
        try environments.reduce(into: []) { positions, environment in
            for entry in try history(of: subject, environment: environment) {
                positions.insert(entry.event.position)
            }
        }
    }

    /// The same of what this ledger has taken in.
    package func takenInHistory(
        of subject: String, environment: Environment, moment: Moment
    ) throws -> [HistoryEntry] {
        try core.translating {
            let now = core.clock()
            let cut = try core.resolve(moment.knownAt, now: now).position
            // Every row is read, whatever is at hand of the customer.
            return try core.reading(about: subject, environment, cut: cut, at: nil) {
                state in
                let rows = try listedRows(subject, environment, state, cut: cut)
                return try entries(rows, state, cut: cut, until: moment.at ?? Int64.max)
            }
        }
    }

    /// The rows that name a customer, as far as the cut knows who that is: the streams of the person, the lineages that
    /// name the person by then, and the corrections of all these.
    /// - Parameters:
    ///   - floor: Rows up to this position need not be listed; a long history is not read again for what came after it.
    ///   - withHandedLineages: Also lineages that came with a transfer of everything and name another customer.
    /// - Complexity: Where nothing of the customer came after the floor, a look at the ends of the streams; else the
    ///   customer's own new events, and the lineages that have new ones.
    package func listedRows(
        _ subject: String, _ environment: Environment, _ state: LedgerState, cut: Int64,
        above floor: Int64 = 0, withHandedLineages: Bool = false
    ) throws -> [EventRow] {
        // A correction is listed with what it corrects, which may be long ago.
        let floor = state.headOfLedger("corrections", in: environment) > floor ? 0 : floor
        let members = state.members(named: subject, in: environment, cut: cut)
        var rows: [EventRow] = []
        func list(_ more: [EventRow]) {
            if rows.isEmpty, floor == 0 {
                rows = more
            } else {
                rows += more.lazy.filter { $0.event.position > floor }
            }
        }
        for name in members {
            let key = CustomerKey(environment, name)
            if let stream = state.streamID(environment, .customer, name) {
                list(try known(stream, state, cut, above: floor))
            }
            // A transfer of everything stands with the giver and is listed with both (rule 6).
            let handovers = state.identity.handoverPositions(of: key, cut: cut)
                .filter { $0 > floor }
            if !handovers.isEmpty { list(try core.store.rows(at: handovers)) }
            for lineage in state.lineages(naming: key)
            where state.headOf(lineage).position > floor {
                let events = try known(lineage, state, cut)
                // The index of namings knows the future; what is in the cut does not (law 4).
                guard events.contains(where: { $0.event.namedCustomers.contains(name) }) else {
                    continue
                }
                list(events)
            }
        }
        if withHandedLineages {
            let builder = CaseBuilder(state: state, cut: cut, at: Int64.max)
            for lineage in builder.candidateLineages(members, environment) {
                list(try known(lineage, state, cut))
            }
        }
        if floor == 0 { try addCorrections(of: &rows, environment, state, cut) }
        Self.putInOrder(&rows)
        return rows
    }

    /// Each row once, in position order.
    package static func putInOrder(_ rows: inout [EventRow]) {
        func position(_ index: Int) -> Int64 { rows[index].event.position }
        // Streams are read newest first, and the sort of a short array would carry every row past all the others.
        if rows.count > 1, position(0) > position(rows.count - 1) {
            // Through the buffer, which moves rows without counting their references.
            rows.withUnsafeMutableBufferPointer { $0.reverse() }
        }
        rows.sort { $0.event.position < $1.event.position }
        guard rows.indices.dropFirst().contains(where: { position($0) == position($0 - 1) })
        else { return }
        var last: Int64 = 0
        rows.removeAll { row in
            defer { last = row.event.position }
            return row.event.position == last
        }
    }

    /// The last position that may be listed with a customer: with nothing after it nothing is new.
    /// - Complexity: A look at the ends of the streams; no event is read.
    package func lastPosition(
        _ subject: String, _ environment: Environment, _ state: LedgerState
    ) -> Int64 {
        let cut = state.head.position
        var last = state.headOfLedger("corrections", in: environment)
        for name in state.members(named: subject, in: environment, cut: cut) {
            let key = CustomerKey(environment, name)
            if let stream = state.streamID(environment, .customer, name) {
                last = max(last, state.headOf(stream).position)
            }
            for position in state.identity.handoverPositions(of: key, cut: cut) {
                last = max(last, position)
            }
            for lineage in state.lineages(naming: key) {
                last = max(last, state.headOf(lineage).position)
            }
        }
        return last
    }

    /// Adds the corrections of the rows, and those of the corrections: a correction can be corrected.
    package func addCorrections(
        of rows: inout [EventRow], _ environment: Environment, _ state: LedgerState, _ cut: Int64
    ) throws {
        guard let stream = state.stream(named: "corrections", .ledger, in: environment) else {
            return
        }
        let corrections = try known(stream, state, cut)
        var own = Set(rows.map { EventKey(environment, $0.event.source, $0.event.key) })
        var listed = Set(rows.map(\.event.position))
        var isMore = true
        while isMore {
            isMore = false
            for row in corrections where !listed.contains(row.event.position) {
                let target = EventKey(environment, row.event.nameA, row.event.reference)
                guard own.contains(target) else { continue }
                rows.append(row)
                listed.insert(row.event.position)
                own.insert(EventKey(environment, row.event.source, row.event.key))
                isMore = true
            }
        }
    }

    /// The events of a stream within a cut.
    /// - Parameter floor: Events up to this position are left out.
    package func known(
        _ stream: UInt32, _ state: LedgerState, _ cut: Int64, above floor: Int64 = 0
    ) throws -> [EventRow] {
        let head = state.headOf(stream).position
        guard head > floor else { return [] }
        if floor == 0 {
            let rows = try core.store.stream(endingAt: head)
            return head <= cut ? rows : rows.filter { $0.event.position <= cut }
        }
        let new = try core.store.chain(endingAt: head, above: floor).events.map(\.position)
        return try core.store.rows(at: new.filter { $0 <= cut }.sorted())
    }

    /// - Parameters:
    ///   - rows: In position order.
    ///   - until: What happened later is left out.
    package func entries(
        _ rows: [EventRow], _ state: LedgerState, cut: Int64, until: Int64
    ) throws -> [HistoryEntry] {
        var latest = Int64.min
        var late: Set<Int64> = []
        for row in rows {
            if row.event.occurredAt < latest { late.insert(row.event.position) }
            latest = max(latest, row.event.occurredAt)
        }
        var labels = HistoryLabels(state.catalogs.known(at: cut).newest?.catalog)
        var streams = LastStream()
        var names = NameTexts(state.names)
        var entries: [HistoryEntry] = []
        entries.reserveCapacity(rows.count)
        for place in Self.canonicalOrder(of: rows, state.names) {
            let event = rows[place].event
            guard event.occurredAt <= until else { continue }
            let stream = streams.name(event.stream, state)
            let recorded: RecordedEvent
            var label: String?
            do throws(RowDamage) {
                // Through the span, which lends the row: an element of an array would be copied.
                recorded = try EventDecoder.recorded(
                    rows.span[place], stream: stream, names: &names)
            } catch {
                // One damaged row must not hide the others; `export`, which would lose its data, refuses.
                recorded = error.readable
                label = "damaged: \(error)"
            }
            let key = EventKey(stream.environment, event.source, event.key)
            let amendments = state.corrections.amendments(of: key, cut: cut)
            let holding =
                amendments.isEmpty
                ? []
                : try Amendments(store: core.store, names: state.names).apply(
                    amendments, to: rows[place], in: stream
                ).holding
            entries.append(
                HistoryEntry(
                    event: recorded,
                    label: label ?? labels.label(of: recorded.draft, event),
                    isVoid: state.corrections.isVoid(key, cut: cut),
                    amendments: holding,
                    isLate: late.contains(event.position)))
        }
        return entries
    }

    /// The places of rows in canonical order.
    /// - Parameter rows: In position order.
    private static func canonicalOrder(of rows: [EventRow], _ names: NameTable) -> [Int] {
        // Most are recorded in the order in which they happened.
        let isOrdered = rows.indices.dropFirst().allSatisfy { place in
            rows[place - 1].event.occurredAt < rows[place].event.occurredAt
        }
        if isOrdered { return Array(rows.indices) }
        var ordered = rows.map { OrderedEvent(event: $0.event, key: $0.key) }
        OrderedEvent.sort(&ordered, names: names)
        return ordered.map { ordered in
            rows.sortedPrefixCount { $0.event.position < ordered.event.position }
        }
    }

    /// The event at a position; `nil` beyond the end.
    package func event(at position: Int64) throws -> RecordedEvent? {
        return try core.answering {
            guard let row = try core.store.rows(at: [position]).first else { return nil }
            try core.takeIn(through: position)
            return try core.recorded(row)
        }
    }

    /// The event that a source names by a key, which is how corrections name it (rule 20); `nil` where there is none.
    package func event(
        source: String, key: String, environment: Environment = .production
    ) throws -> RecordedEvent? {
        try core.refresh()
        try core.readKeys()
        let position = try core.translating {
            try core.state.withLock { state in
                try state.position(of: key, from: source, in: environment, core.store)
            }
        }
        let found = try position.flatMap { try event(at: $0) }
        // Long keys are found by their digest; only the text is the key (rule 16).
        return found?.draft.source.key == key ? found : nil
    }
}

/// The name of the stream that was looked up last: neighbours mostly are of one.
private struct LastStream {
    private var last: (id: UInt32, name: StreamName)?

    mutating func name(_ id: UInt32, _ state: LedgerState) -> StreamName {
        if let last, last.id == id { return last.name }
        let name = state.streamName(id)
        last = (id, name)
        return name
    }
}

/// What the events of a history are called; neighbours mostly are called the same.
private struct HistoryLabels {
    private let catalog: Catalog?
    /// Of the last event: its type, what is named first in it, and its label.
    private var last: (type: UInt16, name: NameID, label: String)?

    init(_ catalog: Catalog?) { self.catalog = catalog }

    /// The catalog's word for a use, else the type with spaces.
    mutating func label(of draft: EventDraft, _ event: Event) -> String {
        if let last, last.type == event.typeCode, last.name == event.nameA { return last.label }
        let label = made(draft)
        last = (event.typeCode, event.nameA, label)
        return label
    }

    private func made(_ draft: EventDraft) -> String {
        if draft.type == .usageRecorded,
            let label = catalog?.meter(named: draft.data["meter"]?.text ?? "")?.eventLabel
        {
            return label
        }
        return String(draft.type.rawValue.map { $0 == "." || $0 == "_" ? " " : $0 })
    }
}
