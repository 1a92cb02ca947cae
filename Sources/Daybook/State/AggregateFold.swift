import DaybookDomain
import DaybookEvents
import DaybookStore

/// Folds one aggregate from its events, for every question about any time that no folded state at hand answers (rules
/// 4, 19, 20).
package struct AggregateFold {
    private let log: EventLog
    package let corrections: CorrectionBook
    package let names: NameTable
    /// Only events at or before this position take part.
    package let cut: Int64
    /// Usage and status after it do not take part.
    package let until: Int64
    private let streams: StreamTable

    package init(_ state: LedgerState, cut: Int64 = .max, until: Int64 = .max) {
        log = state.log
        corrections = state.corrections
        names = state.names
        self.cut = cut
        self.until = until
        streams = state.streams
    }

    /// - Parameters:
    ///   - heads: The position of the last event of every stream of the aggregate.
    ///   - extra: Events that were decided but are not committed yet.
    package func fold(
        kind: StreamKind, environment: Environment, heads: [Int64], extra: [OrderedEvent] = []
    ) throws -> AggregateState {
        let known = heads.filter { $0 > 0 }
        // One stream is the usual case, and needs no list of lists.
        guard known.count == 1 else {
            return fold(kind, try events(environment: environment, heads: known, extra: extra))
        }
        return try log.withStream(endingAt: known[0], cut: cut) { events in
            try settle(&events, environment, extra: extra)
            return fold(kind, events)
        }
    }

    /// Folds events that are corrected and in canonical order.
    package func fold(_ kind: StreamKind, _ settled: [Event]) -> AggregateState {
        var state = AggregateState(kind: kind, roomFor: settled)
        for event in settled { state.evolve(event, names: names, until: until) }
        return state
    }

    /// The aggregate's events within the cut, corrected, in canonical order.
    package func events(
        environment: Environment, heads: [Int64], extra: [OrderedEvent] = []
    ) throws -> [Event] {
        let lists = try streams(endingAt: heads.filter { $0 > 0 })
        let events = lists.count == 1 ? lists[0] : Array(lists.joined())
        return try settled(events, environment, extra: extra)
    }

    /// The events of some streams within the cut, as they were recorded.
    package func streams(endingAt heads: [Int64]) throws -> [[Event]] {
        try log.streams(endingAt: heads, cut: cut)
    }

    /// An aggregate's events as they count: corrected, in canonical order.
    package func settled(
        _ events: consuming [Event], _ environment: Environment, extra: [OrderedEvent] = []
    ) throws -> [Event] {
        try settle(&events, environment, extra: extra)
        return events
    }

    private func settle(
        _ events: inout [Event], _ environment: Environment, extra: [OrderedEvent]
    ) throws {
        if !corrections.isEmpty { try correct(&events, environment) }
        if !extra.isEmpty { events += extra.map(\.event) }
        try sort(&events, extra)
    }

    private func correct(_ events: inout [Event], _ environment: Environment) throws {
        events = try events.compactMap { event in
            let key = EventKey(environment, event.source, event.key)
            if corrections.isVoid(key, cut: cut) { return nil }
            let patches = corrections.amendments(of: key, cut: cut)
            return patches.isEmpty ? event : try amended(event, patches)
        }
    }

    /// Sorts into canonical order; the texts of keys are read only where nothing else tells.
    package func sort(_ events: inout [Event], _ extra: [OrderedEvent] = []) throws {
        var needsTexts = false
        if Self.isSorted(events, &needsTexts) { return }
        if !needsTexts {
            events.sort { left, right in
                let isBefore = OrderKey(left).isBefore(OrderKey(right))
                if isBefore == nil { needsTexts = true }
                return isBefore ?? false
            }
        }
        guard needsTexts else { return }
        var keys: [Int64: String] = [:]
        for undecided in extra { keys[undecided.event.position] = undecided.key }
        let committed = events.map(\.position).filter { keys[$0] == nil }
        for row in try log.store.rows(at: committed) { keys[row.event.position] = row.key }
        var ordered = events.map { OrderedEvent(event: $0, key: keys[$0.position] ?? "") }
        OrderedEvent.sort(&ordered, names: names)
        events = ordered.map(\.event)
    }

    private static func isSorted(_ events: [Event], _ needsTexts: inout Bool) -> Bool {
        for index in events.indices.dropFirst() {
            switch OrderKey(events[index - 1]).isBefore(OrderKey(events[index])) {
            case true?: continue
            case false?: return false
            case nil:
                needsTexts = true
                return false
            }
        }
        return true
    }

    /// The event with every amendment that holds, in canonical order, the last of a field winning (rule 20).
    private func amended(_ event: Event, _ positions: [Int64]) throws -> Event {
        // Signed facts can be voided, never amended, from whatever source the correction comes (rule 20).
        guard event.trust != .verified, let row = try log.store.rows(at: [event.position]).first
        else { return event }
        let record = streams[event.stream].record
        let stream = StreamName(record.environment, record.kind, names[record.name])
        let outcome = try Amendments(store: log.store, names: names).apply(
            positions, to: row, in: stream)
        if outcome.holding.isEmpty { return event }
        // The patch's names were interned when it was appended, so this adds none.
        var interned = names
        var changed = EventEncoder.row(outcome.draft, names: &interned).event
        changed.position = event.position
        changed.stream = event.stream
        changed.signedAt = event.signedAt
        return changed
    }
}
