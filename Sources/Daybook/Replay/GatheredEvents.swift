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

    /// Adds a stream's events within a cut, oldest first.
    /// - Throws: `StoreError.damaged` for bits that are of no event.
    package func add(_ stream: UInt32, cut: Int64, to events: inout [Event]) throws {
        for place in shares.range(of: state.aggregate(of: stream)) {
            let index = shares.index(at: place)
            guard index < cut else { return }
            let packed = pages.packed(index).pointee
            let event =
                packed.isWhole
                ? packed.event(at: Int64(index + 1)) : try pages.extendedEvent(index)
            // An aggregate of several streams has the events of all of them.
            if event.stream == stream { events.append(event) }
        }
    }
}
