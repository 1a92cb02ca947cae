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
        if streams.count == 1 {
            return try events(of: state.aggregate(of: streams[0]), cut: cut) { $0 == streams[0] }
        }
        let wanted = Set(streams)
        var seen: Set<UInt32> = []
        var events: [Event] = []
        for aggregate in streams.map(state.aggregate(of:)) where seen.insert(aggregate).inserted {
            events += try self.events(of: aggregate, cut: cut, where: wanted.contains)
        }
        return events
    }

    /// - Parameter isWanted: Of which of the aggregate's streams; it may have several.
    private func events(
        of aggregate: UInt32, cut: Int64, where isWanted: (UInt32) -> Bool
    ) throws -> [Event] {
        let places = shares.range(of: aggregate)
        var events: [Event] = []
        events.reserveCapacity(places.count)
        for place in places {
            let index = shares.index(at: place)
            guard index < cut else { break }
            let event = try pages.event(index)
            if isWanted(event.stream) { events.append(event) }
        }
        return events
    }
}
