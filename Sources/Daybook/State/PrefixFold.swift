import DaybookDomain
import DaybookEvents
import DaybookStore

/// Folds aggregates from the first so many events of a customer in canonical order: what was so when no more had
/// happened.
///
/// One for each walk through a timeline. Going forward costs one `evolve` an event; going back folds anew.
package final class PrefixFold {
    private struct Folded {
        var events: [Event]
        /// Where each event stands in the order of all, ascending; `Int.max` for one that takes no part.
        var places: [Int]
        var count = 0
        var state: AggregateState
    }

    private let state: LedgerState
    private let cut: Int64
    /// Where each event stands in canonical order, by position; an event that is not in it takes no part.
    private let places: [Int64: Int]
    /// How many events of the order take part.
    package var count = 0
    private var aggregates: [UInt32: Folded] = [:]

    package init(_ state: LedgerState, cut: Int64, order: [Int64]) {
        self.state = state
        self.cut = cut
        places = Dictionary(
            order.enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The aggregate of these streams, folded from those of its events that take part.
    /// - Parameter instant: Usage and status that happened after it do not take part (rule 4).
    package func fold(
        _ streams: [UInt32], _ kind: StreamKind, _ environment: Environment, until instant: Int64
    ) throws -> AggregateState {
        guard let first = streams.min() else { return AggregateState(kind: kind) }
        var folded: Folded
        if let known = aggregates.removeValue(forKey: first) {
            folded = known
        } else {
            let heads = streams.map { state.headOf($0).position }
            let events = try AggregateFold(state, cut: cut).events(
                environment: environment, heads: heads)
            folded = Folded(
                events: events, places: events.map { places[$0.position] ?? Int.max },
                state: AggregateState(kind: kind))
        }
        defer { aggregates[first] = folded }
        let wanted = folded.events.prefix(folded.places.sortedPrefixCount { $0 < count })
        // Of what happened later only facts count, so what was folded for one time is not good for another.
        guard wanted.last.map({ $0.occurredAt <= instant }) ?? true else {
            var state = AggregateState(kind: kind)
            for event in wanted { state.evolve(event, names: self.state.names, until: instant) }
            return state
        }
        if folded.count > wanted.count {
            folded.count = 0
            folded.state = AggregateState(kind: kind)
        }
        for event in wanted.dropFirst(folded.count) {
            folded.state.evolve(event, names: state.names)
        }
        folded.count = wanted.count
        return folded.state
    }
}
