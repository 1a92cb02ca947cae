import DaybookDomain
import DaybookEvents
import Testing

/// The state of a lineage, which copies of an aggregate share until one of them changes it.
@Suite("States of lineages")
struct HeldLineageTests {
    private func purchase(_ position: Int64) -> Event {
        var event = Event()
        event.typeCode = EventType.purchaseCompleted.rawValue
        event.position = position
        event.occurredAt = position
        event.reference = Reference("2000\(position)")
        return event
    }

    private func folded(_ count: Int64) -> AggregateState {
        var state = AggregateState(kind: .lineage)
        for position in 0..<count { state.evolve(purchase(position + 1), names: NameTable()) }
        return state
    }

    @Test("A copy stays what it was when the other one goes on")
    func copies() {
        var state = folded(2)
        let copy = state
        state.evolve(purchase(3), names: NameTable())
        #expect(state.lineage.transactions.count == 3)
        #expect(copy.lineage.transactions.count == 2)
        #expect(copy == folded(2) && state == folded(3))
        var changed = copy
        changed.lineage.owner = 7
        #expect(copy.lineage.owner == 0 && changed.lineage.owner == 7)
        #expect(copy != changed)
    }

    @Test("It begins anew by itself, and a copy keeps what it had")
    func reset() {
        var state = folded(2)
        state.reset(.lineage)
        #expect(state == AggregateState(kind: .lineage))
        state = folded(3)
        let copy = state
        state.reset(.lineage)
        #expect(state == AggregateState(kind: .lineage))
        #expect(copy.lineage.transactions.count == 3)
        state.evolve(purchase(1), names: NameTable())
        #expect(state == folded(1) && copy == folded(3))
    }

    @Test("It takes memory of its own once something was folded, and then says so")
    func memory() {
        let lineage = MemoryLayout<LineageState>.stride
        #expect(MemoryLayout<AggregateState>.stride < lineage)
        let none = AggregateState(kind: .lineage).heldByteCount
        #expect(none == MemoryLayout<AggregateState>.stride)
        #expect(folded(1).heldByteCount >= none + lineage + MemoryLayout<TransactionFact>.stride)
        #expect("\(folded(1))".contains("transactions"))
    }
}
