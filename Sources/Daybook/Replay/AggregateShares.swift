import DaybookEvents
import DaybookStore

/// Which events belong to which aggregate: a counting sort of all positions by aggregate, stable, so that the events of
/// an aggregate come in position order.
///
/// Four bytes for each event and four for each aggregate. Several workers count and place ranges of positions side by
/// side; each has its own cursor in every aggregate, so that the outcome is the same for any number of them.
package struct AggregateShares: Sendable {
    package let aggregateCount: Int
    /// Positions less one, aggregate by aggregate.
    private let order: Numbers
    /// Where each aggregate's events begin in `order`, and where the last one's end.
    private let starts: Numbers

    /// - Throws: `StoreError.damaged` for an event of a stream that is not there, `.full` beyond 2^32 events.
    package init(_ streams: StreamTable, _ pages: EventPages, workers: Int) throws {
        try StoreError.require(
            pages.count < Int(UInt32.max), .full, "a replay holds at most \(UInt32.max) events")
        aggregateCount = streams.count
        let aggregates = streams.aggregates
        let workers = pages.count < 1 << 16 ? 1 : workers
        let ranges = (0..<workers).map { worker in
            pages.count * worker / workers..<pages.count * (worker + 1) / workers
        }
        let cursors = (0..<workers).map { _ in Numbers(count: aggregates.count) }
        try Parallel.run(workers: workers) { worker in
            let cursor = cursors[worker]
            var isStrange = false
            try pages.forEachStream(ranges[worker]) { _, stream in
                if stream == 0 || Int(stream) >= aggregates.count {
                    isStrange = true
                } else {
                    cursor[Int(aggregates[Int(stream)])] &+= 1
                }
            }
            try StoreError.require(
                !isStrange, .damaged, "an event is in a stream that is not there; restore a backup")
        }
        let starts = Numbers(count: aggregates.count + 1)
        var next: UInt32 = 0
        for aggregate in aggregates.indices {
            starts[aggregate] = next
            for cursor in cursors {
                let count = cursor[aggregate]
                cursor[aggregate] = next
                next += count
            }
        }
        starts[aggregates.count] = next
        let order = Numbers(count: pages.count)
        try Parallel.run(workers: workers) { worker in
            let cursor = cursors[worker]
            try pages.forEachStream(ranges[worker]) { index, stream in
                let aggregate = Int(aggregates[Int(stream)])
                order[Int(cursor[aggregate])] = UInt32(truncatingIfNeeded: index)
                cursor[aggregate] &+= 1
            }
        }
        self.order = order
        self.starts = starts
    }

    /// Where an aggregate's events stand in the order.
    package func range(of aggregate: UInt32) -> Range<Int> {
        Int(starts[Int(aggregate)])..<Int(starts[Int(aggregate) + 1])
    }

    /// The position less one of the event at a place of the order.
    @inline(__always)
    package func index(at place: Int) -> Int { Int(order[place]) }

    /// How many events a range of aggregates has, given by their numbers less one.
    package func eventCount(of range: Range<Int>) -> Int {
        Int(starts[range.upperBound + 1] - starts[range.lowerBound + 1])
    }
}

/// Numbers that several threads write, each its own.
private final class Numbers: Sendable {
    // Safe to share: allocated once, freed with its owner, and no two threads touch one number at a time.
    private nonisolated(unsafe) let buffer: UnsafeMutableBufferPointer<UInt32>

    init(count: Int) {
        buffer = .allocate(capacity: max(1, count))
        buffer.initialize(repeating: 0)
    }

    deinit { buffer.deallocate() }

    @inline(__always)
    subscript(index: Int) -> UInt32 {
        get { buffer[index] }
        set { buffer[index] = newValue }
    }
}
