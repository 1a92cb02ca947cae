import DaybookEvents
import DaybookStore

/// The events of every stream, for questions that look at all of them: read once, in the order of positions, and found
/// by stream without a look at the store.
package struct GatheredEvents: Sendable {
    private let pages: EventPages
    private let shares: AggregateShares
    private let state: LedgerState

    /// - Parameter pages: Of all events up to the state's head.
    package init(_ state: LedgerState, _ pages: EventPages, workers: Int) throws {
        self.pages = pages
        self.state = state
        shares = try AggregateShares(state.streams, pages, workers: workers)
    }

    /// The events of some streams within a cut, of each aggregate oldest first.
    /// - Throws: `StoreError.damaged` for bits that are of no event.
    /// - Complexity: O(*n*) in the events of the streams' aggregates.
    package func events(of streams: [UInt32], cut: Int64) throws -> [Event] {
        let wanted = Set(streams)
        var seen: Set<UInt32> = []
        var events: [Event] = []
        for aggregate in streams.map(state.aggregate(of:)) where seen.insert(aggregate).inserted {
            for place in shares.range(of: aggregate) {
                let index = shares.index(at: place)
                guard index < cut else { break }
                let packed = pages.packed(index).pointee
                let event =
                    packed.isWhole
                    ? packed.event(at: Int64(index + 1)) : try pages.extendedEvent(index)
                // An aggregate of several streams has the events of all of them.
                if wanted.contains(event.stream) { events.append(event) }
            }
        }
        return events
    }
}
