import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Foundation

/// All projections over events that lie in memory.
///
/// Of one thread alone, and without a file: valgrind can run it.
struct FoldSample {
    private var events: [Event] = []
    private var names = NameTable()
    /// The kind of each stream; number *n* stands at index *n* - 1.
    private var kinds: [StreamKind] = []

    /// Uses of one meter, customers in random order.
    init(events count: Int, subjects: Int) {
        var rows = RowWorkload(Workload(eventCount: count, subjectCount: subjects))
        events.reserveCapacity(count)
        for start in stride(from: 0, to: count, by: 1_000) {
            let batch = rows.batch(start..<min(start + 1_000, count), .ofMemory)
            for name in batch.names { _ = names.intern(name) }
            kinds += batch.streams.map(\.kind)
            events += batch.rows.map(\.event)
        }
    }

    /// The synthetic months of all apps, one after the other: purchases, meters and funnels. What is delivered late
    /// or twice comes in order here, or not at all: refolding is not measured.
    init(people: Int) throws {
        for app in Fixtures.apps {
            let month = SyntheticMonth(
                catalog: try Fixtures.catalog(app), seed: 1, subjects: people)
            let drafts = month.deliveries.enumerated().sorted {
                ($0.element.occurredAt ?? 0, $0.offset) < ($1.element.occurredAt ?? 0, $1.offset)
            }
            var streams: [StreamName: UInt32] = [:]
            for (_, draft) in drafts { take(draft, &streams) }
        }
        var newest = kinds.map { AggregateState(kind: $0) }
        events = events.filter { event in
            let aggregate = Int(event.stream) - 1
            guard newest[aggregate].accepts(event) else { return false }
            newest[aggregate].newest = OrderKey(event)
            return true
        }
    }

    private mutating func take(_ draft: EventDraft, _ streams: inout [StreamName: UInt32]) {
        let name = EventRouter.stream(of: draft)
        var event = EventEncoder.row(draft, names: &names).event
        if let stream = streams[name] {
            event.stream = stream
        } else {
            kinds.append(name.kind)
            event.stream = UInt32(kinds.count)
            streams[name] = event.stream
        }
        event.position = Int64(events.count + 1)
        events.append(event)
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

    /// What a replay does with its events: sorts them by aggregate, in order, then folds aggregate after aggregate.
    @inline(never)
    private func fold() throws -> UInt64 {
        var starts = [Int](repeating: 0, count: kinds.count + 2)
        for event in events { starts[Int(event.stream) + 1] += 1 }
        for aggregate in 1..<starts.count { starts[aggregate] += starts[aggregate - 1] }
        var cursors = starts
        var order = [UInt32](repeating: 0, count: events.count)
        for (index, event) in events.enumerated() {
            order[cursors[Int(event.stream)]] = UInt32(index)
            cursors[Int(event.stream)] += 1
        }
        var state = AggregateState(kind: .customer)
        var own: [Event] = []
        var sum: UInt64 = 0
        for aggregate in kinds.indices {
            own.removeAll(keepingCapacity: true)
            for place in starts[aggregate + 1]..<starts[aggregate + 2] {
                own.append(events[Int(order[place])])
            }
            for index in own.indices.dropFirst()
            where OrderKey(own[index - 1]).isBefore(OrderKey(own[index])) != true {
                throw BenchmarkError("the events are not in canonical order")
            }
            state.reset(kinds[aggregate])
            for event in own { state.evolve(event, names: names) }
            sum &+= UInt64(state.eventCount)
        }
        return sum
    }
}
