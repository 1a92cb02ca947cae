import DaybookDomain
import DaybookEvents
import DaybookTesting
import Foundation

/// All projections over events that lie in memory.
///
/// Of one thread alone, and without a file: valgrind can run it.
struct FoldSample {
    private var packed = PackedEvents()
    private var names = NameTable()
    /// The kind of each stream; number *n* stands at index *n* - 1.
    private var kinds: [StreamKind] = []
    /// Where each stream of the months ends.
    private var newest: [OrderKey] = []

    /// Uses of one meter, customers in random order.
    init(events count: Int, subjects: Int) {
        var rows = RowWorkload(Workload(eventCount: count, subjectCount: subjects))
        for start in stride(from: 0, to: count, by: 1_000) {
            let batch = rows.batch(start..<min(start + 1_000, count))
            for name in batch.names { _ = names.intern(name) }
            kinds += batch.streams.map(\.kind)
            for row in batch.rows { packed.append(row.event) }
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
    }

    private mutating func take(_ draft: EventDraft, _ streams: inout [StreamName: UInt32]) {
        let name = EventRouter.stream(of: draft)
        var event = EventEncoder.row(draft, names: &names).event
        if let stream = streams[name] {
            event.stream = stream
        } else {
            kinds.append(name.kind)
            newest.append(.first)
            event.stream = UInt32(kinds.count)
            streams[name] = event.stream
        }
        let unit = Int(event.stream) - 1
        guard newest[unit].isBefore(OrderKey(event)) == true else { return }
        newest[unit] = OrderKey(event)
        packed.append(event)
    }

    /// - Parameter passes: How often everything is folded, each time into fresh states: the difference of two runs
    ///   is the fold alone.
    func run(_ passes: Int) throws -> Measurement {
        var sum: UInt64 = 0
        let start = ContinuousClock.now
        for _ in 0..<passes { sum &+= try fold() }
        var measurement = Measurement()
        measurement["seconds"] = start.secondsSince
        measurement["events"] = Double(packed.events.count * passes)
        measurement.note(sum: sum)
        measurement.notePeakMemory()
        return measurement
    }

    /// What a replay does with its events: hands each to its unit, in order, then folds unit after unit.
    @inline(never)
    private func fold() throws -> UInt64 {
        let events = packed.events
        var starts = [Int](repeating: 0, count: kinds.count + 2)
        for event in events { starts[Int(event.stream) + 1] += 1 }
        for unit in 1..<starts.count { starts[unit] += starts[unit - 1] }
        var cursors = starts
        var order = [UInt32](repeating: 0, count: events.count)
        for (index, event) in events.enumerated() {
            order[cursors[Int(event.stream)]] = UInt32(index)
            cursors[Int(event.stream)] += 1
        }
        var state = UnitState(kind: .customer)
        var sum: UInt64 = 0
        for unit in kinds.indices {
            let own = starts[unit + 1]..<starts[unit + 2]
            try check(own, order)
            state.reset(kinds[unit])
            for place in own {
                let index = Int(order[place])
                let event = events[index]
                if event.isWhole {
                    state.evolve(event.event(at: Int64(index + 1)), names: names)
                } else {
                    state.evolve(wideEvent(index), names: names)
                }
            }
            sum &+= UInt64(state.eventCount)
        }
        return sum
    }

    private func wideEvent(_ index: Int) -> Event {
        let event = packed.events[index]
        guard let place = event.extensionIndex else { preconditionFailure("it was packed here") }
        return event.event(at: Int64(index + 1), packed.extensions[place])
    }

    /// Whether a unit's events are in canonical order; the texts of keys are not at hand here.
    private func check(_ own: Range<Int>, _ order: [UInt32]) throws {
        var last = Int64.min
        for place in own {
            let occurredAt = packed.events[Int(order[place])].occurredAt
            guard occurredAt >= last else {
                throw BenchmarkError("the events are not in canonical order")
            }
            last = occurredAt
        }
    }
}
