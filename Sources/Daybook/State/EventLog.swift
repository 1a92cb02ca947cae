import DaybookEvents
import DaybookStore
import Synchronization

/// Hot events by stream: from segments where there are any, from rows elsewhere.
package struct EventLog: Sendable {
    package let store: any EventStore
    /// `nil` for a ledger in memory.
    package let segments: SegmentFolder?
    /// `nil`: every reading goes to the store.
    private var memory: StreamMemory?
    private let scratch = EventScratch()

    package init(store: any EventStore, segments: SegmentFolder?) {
        self.store = store
        self.segments = segments
    }

    /// The same log for one question that folds the same streams again and again: it reads each of them once, and keeps
    /// the events for as long as the log is there.
    package func remembering() -> EventLog {
        var log = self
        log.memory = StreamMemory()
        return log
    }

    /// A stream's events within a cut, oldest first.
    /// - Parameter head: The position of its last event; 0: it has none.
    /// - Throws: `StoreError.damaged` where a row cannot be read; a damaged segment only costs the reading of rows.
    package func stream(endingAt head: Int64, cut: Int64) throws -> [Event] {
        guard memory == nil else { return try streams(endingAt: [head], cut: cut)[0] }
        return try read(streamEndingAt: head, cut: cut)
    }

    /// Lends a stream's events within a cut, oldest first, to be folded and forgotten: in memory that is used again,
    /// where an array of its own for each stream would leave holes among the states that stay.
    package func withStream<Result>(
        endingAt head: Int64, cut: Int64, _ body: (inout [Event]) throws -> Result
    ) throws -> Result {
        guard memory == nil else {
            var events = try streams(endingAt: [head], cut: cut)[0]
            return try body(&events)
        }
        var events = scratch.take()
        defer { scratch.give(&events) }
        events.reserveCapacity(16)
        try read(streamEndingAt: head, cut: cut, into: &events)
        return try body(&events)
    }

    private func read(streamEndingAt head: Int64, cut: Int64) throws -> [Event] {
        var events: [Event] = []
        events.reserveCapacity(16)
        try read(streamEndingAt: head, cut: cut, into: &events)
        return events
    }

    /// - Parameter events: Empty.
    private func read(streamEndingAt head: Int64, cut: Int64, into events: inout [Event]) throws {
        var position = head
        while position > 0 {
            let index = segments?.index(of: position) ?? 0
            if let segment = segments?.segment(index) {
                position = try walk(segment, index, from: position, cut: cut, into: &events)
            } else {
                let floor = segments?.endBeforeRows(through: index) ?? 0
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
    }

    /// The events of some streams within a cut, in their order, of each the oldest first.
    /// - Parameter heads: The positions of their last events; 0: a stream has none.
    package func streams(endingAt heads: [Int64], cut: Int64) throws -> [[Event]] {
        guard let memory else { return try read(streamsEndingAt: heads, cut: cut) }
        return try memory.streams(heads) { try read(streamsEndingAt: $0, cut: Int64.max) }
            .map { events in
                if events.last.map({ $0.position <= cut }) ?? true { return events }
                return Array(events[..<events.sortedPrefixCount { $0.position <= cut }])
            }
    }

    private func read(streamsEndingAt heads: [Int64], cut: Int64) throws -> [[Event]] {
        if segments != nil { return try heads.map { try read(streamEndingAt: $0, cut: cut) } }
        // One look for all: each costs about as much as reading ten rows.
        return try store.chains(endingAt: heads, above: 0).map { chain in
            if chain.next > 0, let oldest = chain.events.last {
                throw Self.broken(oldest, chain.next)
            }
            return chain.events.reversed().filter { $0.position <= cut }
        }
    }

    /// The events of some types up to a position, the newest first, some thousands read ahead.
    /// - Parameter body: Whether it wants more.
    /// - Complexity: O(*n*) in the events that are gone through, a look at one byte each where they lie in segments.
    package func forEachBackwards(
        of types: Set<EventType>, through last: Int64, _ body: (Event) throws -> Bool
    ) throws {
        var wanted = [Bool](repeating: false, count: 256)
        for type in types { wanted[Int(type.rawValue) & 255] = true }
        var end = last
        while end > 0 {
            let index = segments?.index(of: end) ?? 0
            let start = segments?.range(of: index).lowerBound ?? max(1, end - Self.readAheadCount)
            for event in try events(start...end, index, wanted).reversed() {
                guard try body(event) else { return }
            }
            end = start - 1
        }
    }

    private static let readAheadCount: Int64 = 16_383

    private func events(
        _ range: ClosedRange<Int64>, _ index: Int, _ wanted: [Bool]
    ) throws -> [Event] {
        if let segments, segments.range(of: index) == range, let segment = segments.segment(index) {
            do {
                return try events(segment, wanted)
            } catch {
                segments.drop(index, because: error)
            }
        }
        var found: [Event] = []
        try store.scan(
            after: Checkpoint(position: range.lowerBound - 1),
            through: Checkpoint(position: range.upperBound), chunkCount: 1_000
        ) { events in
            for place in events.indices where wanted[Int(events[place].typeCode) & 255] {
                found.append(events[place])
            }
        }
        return found
    }

    private func events(_ segment: Segment, _ wanted: [Bool]) throws -> [Event] {
        let first = segment.range.lowerBound
        let places = try segment.withEvents { events, _ in
            events.indices.filter { wanted[Int(events[$0].typeCode) & 255] }
        }
        return try places.map { try segment.event(at: first + Int64($0)) }
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
            let countBefore = events.count
            let previous: Int64?
            do {
                previous = try segment.appendStream(endingAt: position, to: &events)
            } catch {
                segments?.drop(index, because: error)
                return position
            }
            for place in max(1, countBefore)..<events.count
            where events[place].stream != events[place - 1].stream {
                throw Self.broken(events[place - 1], events[place].position)
            }
            let oldest = events[events.count - 1].position
            position =
                try previous ?? store.chain(endingAt: oldest, above: oldest - 1).next
            guard position < oldest else { throw Self.broken(events[events.count - 1], position) }
            // What is beyond the cut is before what is within.
            if events[countBefore].position > cut {
                let known = events[countBefore...].firstIndex { $0.position <= cut }
                events.removeSubrange(countBefore..<(known ?? events.endIndex))
            }
        }
        return position
    }
}

/// Memory for the events of one stream, for one reader at a time; another one makes its own.
private final class EventScratch: Sendable {
    /// What a longer stream took is given back to the system.
    private static let capacityMax = 4_096

    private let kept = Mutex<[Event]>([])

    func take() -> [Event] {
        kept.withLock { kept in
            var events: [Event] = []
            swap(&events, &kept)
            return events
        }
    }

    func give(_ events: inout [Event]) {
        guard events.capacity <= Self.capacityMax else { return }
        events.removeAll(keepingCapacity: true)
        kept.withLock { kept in
            if kept.capacity < events.capacity { swap(&events, &kept) }
        }
    }
}

/// The events of streams that were read before, by the positions of their last events.
private final class StreamMemory: Sendable {
    private let known = Mutex<[Int64: [Event]]>([:])

    /// - Parameter read: Reads streams that are not known yet.
    func streams(_ heads: [Int64], _ read: ([Int64]) throws -> [[Event]]) throws -> [[Event]] {
        let unknown = known.withLock { known in heads.filter { known[$0] == nil } }
        if !unknown.isEmpty {
            // Not under the lock: two that read the same stream find the same events.
            let found = try read(unknown)
            known.withLock { known in
                for (head, events) in zip(unknown, found) { known[head] = events }
            }
        }
        return known.withLock { known in heads.map { known[$0] ?? [] } }
    }
}
