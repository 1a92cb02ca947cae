import DaybookDomain
import DaybookEvents
import Testing

/// What a state says of itself, beside what its lists say when they are read by reflection.
@Suite("What a folded state says of itself")
struct HeldBytesTests {
    private static let kinds: [StreamKind] = [.customer, .lineage, .ledger]

    /// A state of a failed payment and three events of a type, with other flags each.
    private func folded(_ kind: StreamKind, _ type: EventType) -> AggregateState {
        var names = NameTable()
        for number in 1...10 { _ = names.intern("name \(number)") }
        var state = AggregateState(kind: kind)
        let types = [.subscriptionBillingFailed, type, type, type]
        for (instant, type) in types.enumerated() {
            var event = AggregateResetTests.event(type, at: Int64(instant + 1))
            event.signedAt = event.occurredAt
            if instant > 1 { event.flags = UInt16(instant - 1) }
            state.evolve(event, names: names)
        }
        return state
    }

    /// The lists of a value by their names.
    private func lists(of value: Any) -> [String: any HeldList] {
        let named = Mirror(reflecting: value).children.compactMap { child in
            (child.value as? any HeldList).map { (child.label ?? "", $0) }
        }
        return Dictionary(named, uniquingKeysWith: { first, _ in first })
    }

    @Test("The bytes that it takes are those of every list that it has", arguments: kinds)
    func bytes(_ kind: StreamKind) {
        var filled: Set<String> = []
        var all: Set<String> = []
        for type in EventType.allCases {
            let state = folded(kind, type)
            var parts: [Any] = [state.funnel]
            var expected = MemoryLayout<AggregateState>.stride
            switch kind {
            case .customer: parts += [state.customer, state.usage]
            case .lineage:
                parts.append(state.lineage)
                expected += 16 + MemoryLayout<LineageState>.stride
            case .ledger: break
            }
            for list in parts.flatMap({ lists(of: $0) }) {
                all.insert(list.key)
                if !list.value.isEmpty { filled.insert(list.key) }
                expected += list.value.heldByteCount
            }
            #expect(state.heldByteCount == expected, "\(type)")
        }
        let counts: [StreamKind: Int] = [.customer: 14, .lineage: 9, .ledger: 1]
        #expect(all.count == counts[kind])
        #expect(filled == all)
    }

    @Test("A customer is plain without anything that begins or ends by itself")
    func plain() {
        let timed: Set = [
            "profiles", "assignments", "grants", "overrides", "consents", "reservations",
        ]
        var met: Set<String> = []
        for type in EventType.allCases {
            let state = folded(.customer, type)
            let filled = [state.customer as Any, state.usage].flatMap {
                lists(of: $0).filter { !$0.value.isEmpty }.keys
            }
            let own = timed.intersection(filled)
            #expect(state.isPlain == own.isEmpty, "\(type): \(own)")
            // Whether one alone is enough.
            if own.count == 1 { met.formUnion(own) }
        }
        #expect(met == timed)
        #expect(AggregateState(kind: .customer).isPlain)
    }
}

/// An array of any elements.
private protocol HeldList {
    var isEmpty: Bool { get }
    /// With the header that an allocated array has.
    var heldByteCount: Int { get }
}

extension Array: HeldList {
    fileprivate var heldByteCount: Int {
        capacity > 0 ? 32 + capacity * MemoryLayout<Element>.stride : 0
    }
}
