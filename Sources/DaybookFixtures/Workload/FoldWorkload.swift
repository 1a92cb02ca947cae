import CDaybookFixtures
import DaybookDomain
import DaybookEvents
import DaybookStore

/// All projections over events that lie in memory, packed as segments have them.
///
/// Of one thread alone, and without a file: valgrind can run it.
public struct FoldWorkload {
    /// How many events are folded.
    public var eventCount: Int { streams.count }

    private var events: [Event] = []
    /// The same as segments have them, and their streams: what is folded.
    private var packed = AlignedEvents(PackedEvents())
    private var streams: [UInt32] = []
    private var names = NameTable()
    /// The kind of each stream; number *n* stands at index *n* - 1.
    private var kinds: [StreamKind] = []

    /// Uses of one meter, customers in random order.
    public init(events count: Int, subjects: Int) {
        var rows = RowWorkload(Workload(eventCount: count, subjectCount: subjects))
        events.reserveCapacity(count)
        for start in stride(from: 0, to: count, by: 1_000) {
            let batch = rows.batch(start..<min(start + 1_000, count), .ofMemory)
            for name in batch.names { _ = names.intern(name) }
            kinds += batch.streams.map(\.kind)
            events += batch.rows.map(\.event)
        }
        pack()
    }

    /// The synthetic months of all apps, one after the other: purchases, meters and funnels. What is delivered late
    /// or twice comes in order here, or not at all: refolding is not measured.
    public init(people: Int) throws {
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
        pack()
    }

    private mutating func pack() {
        var packing = PackedEvents()
        for event in events { packing.append(event) }
        packed = AlignedEvents(packing)
        streams = events.map(\.stream)
        events = []
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

    /// What a replay does with the events of segments: sorts them by aggregate, in order, then folds aggregate after
    /// aggregate, each event where it is unpacked.
    /// - Returns: How many events were folded.
    /// - Throws: `StoreError.failed` where they are not in canonical order.
    @inline(never)
    public func fold() throws -> UInt64 {
        var starts = [Int](repeating: 0, count: kinds.count + 2)
        for stream in streams { starts[Int(stream) + 1] += 1 }
        for aggregate in 1..<starts.count { starts[aggregate] += starts[aggregate - 1] }
        var cursors = starts
        var order = [UInt32](repeating: 0, count: streams.count)
        for (index, stream) in streams.enumerated() {
            order[cursors[Int(stream)]] = UInt32(index)
            cursors[Int(stream)] += 1
        }
        var state = AggregateState(kind: .customer)
        var sum: UInt64 = 0
        for aggregate in kinds.indices {
            let places = starts[aggregate + 1]..<starts[aggregate + 2]
            state.reset(kinds[aggregate])
            try foldOne(order, places, &state)
            sum &+= UInt64(state.eventCount)
        }
        return sum
    }

    /// How many events ahead the memory of an event is asked for, as a replay does.
    private static let readAhead = 32

    private func foldOne(
        _ order: [UInt32], _ places: Range<Int>, _ state: inout AggregateState
    ) throws {
        var last = Int64.min
        for place in places {
            let ahead = min(place + Self.readAhead, order.count - 1)
            daybook_fetch_ahead(packed.address(of: Int(order[ahead])))
            let index = Int(order[place])
            let occurredAt = packed[index].occurredAt
            guard occurredAt > last || state.accepts(event(index)) else {
                throw StoreError(.failed, "the events are not in canonical order")
            }
            last = occurredAt
            if state.kind == .lineage || !packed[index].isWhole {
                state.evolve(event(index), names: names)
            } else {
                state.evolve(packed[index], at: Int64(index + 1))
            }
        }
    }

    @inline(__always)
    private func event(_ index: Int) -> Event {
        let event = packed[index]
        guard let place = event.extensionIndex else { return event.event(at: Int64(index + 1)) }
        return event.event(at: Int64(index + 1), packed.extensions[place])
    }
}

/// Packed events, each in one cache line, as a replay has them; an array begins in the middle of one.
///
/// Invariant of the unsafe pointer: `count` events from `first` on, written once in `init` and freed with the value;
/// reads are checked against `count`.
private final class AlignedEvents: Sendable {
    let count: Int
    let extensions: [EventExtension]
    private nonisolated(unsafe) let first: UnsafeMutablePointer<PackedEvent>

    init(_ packed: PackedEvents) {
        count = packed.events.count
        extensions = packed.extensions
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, count) * PackedEvent.byteCount, alignment: PackedEvent.byteCount)
        first = memory.bindMemory(to: PackedEvent.self, capacity: max(1, count))
        for (index, event) in packed.events.enumerated() {
            (first + index).initialize(to: event)
        }
    }

    deinit { first.deallocate() }

    func address(of index: Int) -> UnsafeRawPointer { UnsafeRawPointer(first + index) }

    subscript(index: Int) -> PackedEvent {
        precondition(index >= 0 && index < count, "there is no event \(index)")
        return first[index]
    }
}
