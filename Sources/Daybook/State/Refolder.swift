import DaybookDomain
import DaybookEvents
import DaybookStore

/// Folds one unit from its events: the general path for late events, corrections, aliases, and every question
/// about another time than now (rules 4, 19, 20).
struct Refolder {
    let store: any EventStore
    let corrections: CorrectionBook
    let names: NameTable
    /// Only events at or before this position take part.
    let cut: Int64
    /// Usage and status after it do not take part.
    let until: Int64
    private let streams: [StreamRecord]

    init(_ state: LedgerState, store: any EventStore, cut: Int64, until: Int64) {
        self.store = store
        corrections = state.corrections
        names = state.names
        self.cut = cut
        self.until = until
        streams = state.streams
    }

    /// - Parameters:
    ///   - heads: The position of the last event of every stream of the unit.
    ///   - extra: Events that were decided but are not committed yet.
    func fold(
        kind: StreamKind, environment: Environment, heads: [Int64], extra: [OrderedEvent] = []
    ) throws -> UnitState {
        var events = try self.events(environment: environment, heads: heads)
        events += extra
        OrderedEvent.sort(&events, names: names)
        var state = UnitState(kind: kind)
        for ordered in events { state.evolve(ordered.event, names: names, until: until) }
        return state
    }

    /// The unit's events within the cut, corrected, in no particular order.
    func events(environment: Environment, heads: [Int64]) throws -> [OrderedEvent] {
        var events: [OrderedEvent] = []
        for head in heads where head > 0 {
            for row in try store.stream(endingAt: head) where row.event.position <= cut {
                let key = EventKey(environment, row.event.source, row.event.key)
                if corrections.isVoid(key, cut: cut) { continue }
                let patches = corrections.amendments(of: key, cut: cut)
                let event = patches.isEmpty ? row.event : try amended(row, environment, patches)
                events.append(OrderedEvent(event: event, key: row.key))
            }
        }
        return events
    }

    /// The event with every amendment that holds, in canonical order, the last of a field winning (rule 20).
    private func amended(
        _ row: EventRow, _ environment: Environment, _ positions: [Int64]
    ) throws -> Event {
        // Signed facts can be voided, never amended, whoever brought the correction (rule 20).
        if row.event.trust == .verified { return row.event }
        let record = streams[Int(row.event.stream) - 1]
        let stream = StreamName(record.environment, record.kind, names[record.name])
        let outcome = try Amendments(store: store, names: names).apply(
            positions, to: row, in: stream)
        if outcome.holding.isEmpty { return row.event }
        // The patch's names were interned when it was appended, so this adds none.
        var interned = names
        var event = EventEncoder.row(outcome.draft, names: &interned).event
        event.position = row.event.position
        event.stream = row.event.stream
        event.signedAt = row.event.signedAt
        return event
    }
}
