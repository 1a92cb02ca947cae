import DaybookDomain
import DaybookEvents
import Testing

/// One state is used again from aggregate to aggregate (`AggregateState.reset`).
@Suite("States that begin anew")
struct AggregateResetTests {
    /// An event with something in every slot.
    static func event(_ type: EventType, at instant: Int64) -> Event {
        var event = Event()
        event.typeCode = type.rawValue
        event.position = instant
        event.occurredAt = instant
        event.reference = Reference("reference")
        event.key = Reference("key")
        event.amount = 1
        (event.money, event.timeA, event.timeB, event.timeC) = (2, 3, 4, 5)
        (event.customer, event.profile) = (6, 7)
        (event.nameA, event.nameB, event.nameC) = (8, 9, 10)
        // Of a reset that it was made by hand.
        event.flags = 2
        return event
    }

    private func folded(_ kind: StreamKind, _ types: [EventType], _ names: NameTable)
        -> AggregateState
    {
        var state = AggregateState(kind: kind)
        for (index, type) in types.enumerated() {
            state.evolve(Self.event(type, at: Int64(index + 1)), names: names)
        }
        return state
    }

    /// The lists of a state that have anything, and all that it has.
    private func lists(of state: Any) -> (filled: Set<String>, all: Set<String>) {
        let lists = Mirror(reflecting: state).children.compactMap { child in
            (child.value as? any Collection).map { (child.label ?? "", $0.isEmpty) }
        }
        return (Set(lists.filter { !$0.1 }.map(\.0)), Set(lists.map(\.0)))
    }

    @Test(
        "Nothing is left of the aggregate before, whatever happened to it",
        arguments: StreamKind.allCases)
    func nothingLeft(_ kind: StreamKind) {
        var names = NameTable()
        for number in 1...10 { _ = names.intern("name \(number)") }
        var filled: Set<String> = []
        for type in EventType.allCases {
            let before = folded(kind, [type, .usageRecorded, type], names)
            for state: Any in [before.customer, before.usage] {
                filled.formUnion(lists(of: state).filled)
            }
            for next in StreamKind.allCases {
                var state = before
                state.reset(next)
                #expect(state == AggregateState(kind: next), "\(type)")
                // Of evidence alone nothing is counted, and it is gone all the same.
                for other in [type, .usageRecorded] {
                    state.evolve(Self.event(other, at: 1), names: names)
                    #expect(state == folded(next, [other], names), "\(type), then \(other)")
                    state.reset(next)
                }
            }
        }
        let all = lists(of: CustomerState()).all.union(lists(of: UsageState()).all)
        #expect(all.count == 13)
        #expect(filled == (kind == .customer ? all : []))
    }

    @Test("Nor is anything that no list holds")
    func nothingBesideLists() {
        var names = NameTable()
        _ = names.intern("name")
        // First seen in no time zone.
        var first = Self.event(.subjectCreated, at: 1)
        first.nameA = 0
        var state = AggregateState(kind: .customer)
        state.evolve(first, names: names)
        state.usage.isSaturated = true
        #expect(state.customer.firstSeenAt == 3 && state.customer.zones.isEmpty)
        state.reset(.customer)
        #expect(state == AggregateState(kind: .customer))
    }
}
