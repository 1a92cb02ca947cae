import DaybookEvents
import DaybookStore

/// Which events belong to which unit: a counting sort of all positions by unit, stable, so that the events of a unit
/// come in position order.
///
/// Four bytes an event and four a unit. Several workers count and place ranges of positions side by side; each has
/// its own cursor in every unit, so that the outcome is the same for any number of them.
package struct UnitShares: Sendable {
    package let unitCount: Int
    /// Positions less one, unit by unit.
    private let order: Numbers
    /// Where each unit's events begin in `order`, and where the last one's end.
    private let starts: Numbers

    /// - Throws: `StoreError.damaged` for an event of a stream that is not there, `.full` beyond 2^32 events.
    package init(_ streams: StreamTable, _ pages: EventPages, workers: Int) throws {
        guard pages.count < Int(UInt32.max) else {
            throw StoreError(.full, "a replay holds at most \(UInt32.max) events")
        }
        unitCount = streams.count
        let units = streams.units
        let workers = pages.count < 1 << 16 ? 1 : workers
        let ranges = (0..<workers).map { worker in
            pages.count * worker / workers..<pages.count * (worker + 1) / workers
        }
        let cursors = (0..<workers).map { _ in Numbers(count: units.count) }
        try Parallel.run(workers: workers) { worker in
            let cursor = cursors[worker]
            var isStrange = false
            try pages.forEachStream(ranges[worker]) { _, stream in
                if stream == 0 || Int(stream) >= units.count {
                    isStrange = true
                } else {
                    cursor[Int(units[Int(stream)])] &+= 1
                }
            }
            guard !isStrange else {
                throw StoreError(
                    .damaged, "an event is in a stream that is not there; restore a backup")
            }
        }
        let starts = Numbers(count: units.count + 1)
        var next: UInt32 = 0
        for unit in units.indices {
            starts[unit] = next
            for cursor in cursors {
                let count = cursor[unit]
                cursor[unit] = next
                next += count
            }
        }
        starts[units.count] = next
        let order = Numbers(count: pages.count)
        try Parallel.run(workers: workers) { worker in
            let cursor = cursors[worker]
            try pages.forEachStream(ranges[worker]) { index, stream in
                let unit = Int(units[Int(stream)])
                order[Int(cursor[unit])] = UInt32(truncatingIfNeeded: index)
                cursor[unit] &+= 1
            }
        }
        self.order = order
        self.starts = starts
    }

    /// Where a unit's events stand in the order.
    package func range(of unit: UInt32) -> Range<Int> {
        Int(starts[Int(unit)])..<Int(starts[Int(unit) + 1])
    }

    /// The position less one of the event at a place of the order.
    @inline(__always)
    package func index(at place: Int) -> Int { Int(order[place]) }

    /// How many events a range of units has, given by their numbers less one.
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

extension StreamTable {
    /// The unit of every stream, by number; 0 stands for itself.
    fileprivate var units: [UInt32] {
        var units = [UInt32](repeating: 0, count: count + 1)
        for id in 0..<UInt32(count + 1) { units[Int(id)] = self[id].unit }
        return units
    }
}
