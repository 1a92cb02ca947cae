import DaybookDomain
import DaybookEvents
import Foundation

/// All projections over events that lie in memory, in random order of customers.
struct FoldSample {
    private var events: [Event] = []
    private var names = NameTable()
    private var streamCount = 0

    init(events count: Int, subjects: Int) throws {
        var rows = RowWorkload(Workload(eventCount: count, subjectCount: subjects))
        events.reserveCapacity(count)
        for start in stride(from: 0, to: count, by: 1_000) {
            let batch = rows.batch(start..<min(start + 1_000, count))
            for name in batch.names { _ = names.intern(name) }
            streamCount += batch.streams.count
            events += batch.rows.map(\.event)
        }
    }

    /// - Parameter passes: How often everything is folded, each time into fresh states: the difference of two runs
    ///   is the fold alone.
    func run(_ passes: Int) throws -> Measurement {
        var sum: UInt64 = 0
        let start = ContinuousClock.now
        for _ in 0..<passes { sum &+= try fold() }
        var measurement = Measurement()
        measurement["seconds"] = start.secondsSince
        measurement["events"] = Double(events.count * passes)
        measurement.note(sum: sum)
        measurement.notePeakMemory()
        return measurement
    }

    /// The one place that names the function which is measured.
    @inline(never)
    private func fold() throws -> UInt64 {
        var units = [UnitState](repeating: UnitState(kind: .customer), count: streamCount)
        for index in events.indices {
            let unit = Int(events[index].stream) - 1
            guard units[unit].accepts(events[index]) else {
                throw BenchmarkError("the events are not in canonical order")
            }
            units[unit].evolve(events[index], names: names)
        }
        return units.reduce(0) { $0 &+ UInt64($1.eventCount) }
    }
}
