import Daybook
import DaybookDomain
import DaybookEvents
import Testing

@Suite("States at hand")
struct AggregateCacheTests {
    private let stamp = AggregateCache.Stamp(heads: 1, corrections: 0)

    private func use(_ number: Int) -> Event {
        var event = Event()
        event.typeCode = EventType.usageRecorded.rawValue
        event.position = Int64(number)
        event.occurredAt = Int64(number)
        event.amount = 1
        return event
    }

    private func state(uses count: Int) -> SharedAggregate {
        var folded = SharedAggregate(kind: .customer)
        for number in 0..<count { folded.evolve(use(number), names: NameTable()) }
        return folded
    }

    @Test("What a reader holds stays what it was when the cache goes on")
    func shared() throws {
        let cache = AggregateCache(byteCountMax: 32 << 20)
        cache.keep(state(uses: 3), of: 1, stamp)
        let held = try #require(cache.state(of: 1, stamp))
        cache.evolve(1, use(3), from: stamp, to: stamp, names: NameTable())
        #expect(held.state.usage.entries.count == 3)
        #expect(cache.state(of: 1, stamp)?.state.usage.entries.count == 4)
    }

    @Test("What a commit carries on stays at hand as it was until all of it is shown")
    func publishing() {
        let cache = AggregateCache(byteCountMax: 32 << 20)
        let (next, last) = (
            AggregateCache.Stamp(heads: 2, corrections: 0),
            AggregateCache.Stamp(heads: 3, corrections: 0)
        )
        func count(_ aggregate: UInt32, _ stamp: AggregateCache.Stamp) -> Int? {
            cache.state(of: aggregate, stamp)?.state.usage.entries.count
        }
        for aggregate in UInt32(1)...100 { cache.keep(state(uses: 3), of: aggregate, stamp) }
        cache.beginPublishing()
        for aggregate in UInt32(1)...99 {
            cache.evolve(aggregate, use(3), from: stamp, to: next, names: NameTable())
            cache.evolve(aggregate, use(4), from: next, to: last, names: NameTable())
        }
        for aggregate in UInt32(1)...99 {
            #expect(count(aggregate, stamp) == 3)
            // No state of the ledger has half of the commit.
            #expect(count(aggregate, next) == nil)
            #expect(count(aggregate, last) == 5)
        }
        #expect(count(100, stamp) == 3)
        cache.endPublishing()
        for aggregate in UInt32(1)...99 {
            #expect(count(aggregate, stamp) == nil)
            #expect(count(aggregate, last) == 5)
        }
        #expect(count(100, stamp) == 3)
        // Other commits keep nothing of what was before.
        cache.evolve(100, use(3), from: stamp, to: next, names: NameTable())
        #expect(count(100, stamp) == nil)
        #expect(count(100, next) == 4)
    }

    @Test("They take so much memory and no more, however many uses customers have")
    func bound() {
        let cache = AggregateCache(byteCountMax: 32 << 20)
        let state = state(uses: 400)
        let max = cache.byteCountMax + 2 * (state.state.heldByteCount + 4_096)
        for number in UInt32(1)...8_000 {
            cache.keep(state, of: number, stamp)
            if number % 1_000 == 0 { #expect(cache.byteCount <= max, "\(number)") }
        }
        // As much as it may take is also made use of.
        #expect(cache.byteCount > cache.byteCountMax / 2)
        #expect(cache.state(of: 8_000, stamp) != nil)
        #expect(cache.state(of: 1, stamp) == nil)
        #expect(cache.states.count < 8_000)
    }

    @Test("Threads that keep and ask at once find what was kept, in no more memory")
    func threads() async {
        let cache = AggregateCache(byteCountMax: 4 << 20)
        let state = state(uses: 100)
        let max = cache.byteCountMax + 8 * (state.state.heldByteCount + 4_096)
        await withTaskGroup(of: Void.self) { group in
            for thread in UInt32(0)..<4 {
                group.addTask {
                    for number in UInt32(1)...4_000 {
                        let aggregate = 4 * number + thread
                        cache.keep(state, of: aggregate, stamp)
                        // Others may have filled both generations since.
                        if let found = cache.state(of: aggregate, stamp) {
                            #expect(found.eventCount == 100)
                        }
                    }
                }
            }
        }
        #expect(cache.byteCount > cache.byteCountMax / 2)
        #expect(cache.byteCount <= max)
        #expect(cache.states.count < 16_000)
        // What is counted is what is there.
        let states = cache.states
        #expect(Set(states.map(\.aggregate)).count == states.count)
    }

    @Test("A state that grows while it is at hand counts with what it has grown to")
    func growth() {
        let cache = AggregateCache(byteCountMax: 32 << 20)
        cache.keep(state(uses: 0), of: 1, stamp)
        let before = cache.byteCount
        for number in 1...1_000 {
            cache.evolve(1, use(number), from: stamp, to: stamp, names: NameTable())
        }
        #expect(cache.state(of: 1, stamp)?.state.usage.entries.count == 1_000)
        let entry = MemoryLayout<UsageState.UsageEntry>.stride
        // Those that only grow take no more than others.
        let small = AggregateCache(byteCountMax: 1 << 20)
        for aggregate in UInt32(1)...4 { small.keep(self.state(uses: 0), of: aggregate, stamp) }
        for number in 1...20_000 {
            let aggregate = UInt32(number % 4) + 1
            if small.state(of: aggregate, stamp) == nil {
                small.keep(self.state(uses: 0), of: aggregate, stamp)
            }
            small.evolve(aggregate, use(number), from: stamp, to: stamp, names: NameTable())
            #expect(small.byteCount <= 3 << 20, "\(number)")
        }
        #expect(cache.byteCount - before >= 1_000 * entry)
    }
}
