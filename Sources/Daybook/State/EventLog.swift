import DaybookEvents
import DaybookStore

/// Hot events by stream: from segments where there are any, from rows elsewhere.
struct EventLog: Sendable {
    let store: any EventStore
    /// `nil` for a ledger in memory.
    let segments: SegmentFolder?

    /// A stream's events within a cut, oldest first.
    /// - Parameter head: The position of its last event; 0: it has none.
    /// - Throws: `StoreError.damaged` where a row cannot be read; a damaged segment only costs the reading of rows.
    func stream(endingAt head: Int64, cut: Int64) throws -> [Event] {
        var events: [Event] = []
        var position = head
        while position > 0 {
            let index = segments?.index(of: position) ?? 0
            if let segment = segments?.segment(index) {
                position = try walk(segment, index, from: position, cut: cut, into: &events)
            } else {
                let floor = segments.map { $0.range(of: index).lowerBound - 1 } ?? 0
                let chain = try store.chain(endingAt: position, above: floor)
                events += chain.events.lazy.filter { $0.position <= cut }
                // An unknown position has no events; a link to one is damage.
                if chain.events.isEmpty, let newer = events.last {
                    throw Self.broken(newer, position)
                }
                position = chain.events.isEmpty ? 0 : chain.next
            }
        }
        events.reverse()
        return events
    }

    private static func broken(_ event: Event, _ position: Int64) -> StoreError {
        StoreError(
            .damaged,
            "position \(event.position) of stream \(event.stream) follows \(position), which is not of this stream; "
                + "verify the ledger, and restore a backup where its rows are damaged")
    }

    /// - Returns: Where to go on: below the segment, or at the same place once a damaged one was dropped.
    private func walk(
        _ segment: Segment, _ index: Int, from start: Int64, cut: Int64, into events: inout [Event]
    ) throws -> Int64 {
        var position = start
        while segment.range.contains(position) {
            let event: Event
            let previous: Int64?
            do {
                (event, previous) = try segment.link(at: position)
            } catch {
                segments?.drop(index, because: error)
                return position
            }
            if let newer = events.last, newer.stream != event.stream {
                throw Self.broken(newer, position)
            }
            if position <= cut { events.append(event) }
            if let previous {
                position = previous
            } else {
                position = try store.chain(endingAt: position, above: position - 1).next
            }
        }
        return position
    }
}
