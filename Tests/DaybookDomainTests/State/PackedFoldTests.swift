import DaybookDomain
import DaybookEvents
import Testing

/// A pass over all events folds packed ones, everything else folds them unpacked.
@Suite("Folds of packed events")
struct PackedFoldTests {
    /// One event of a type for each layout in which events are packed as a whole.
    private func events(_ type: EventType) -> [Event] {
        let layouts: [(inout Event) -> Void] = [
            { ($0.reference, $0.amount, $0.flags) = (Reference("ref"), 3, 2) },
            { ($0.reference, $0.amount, $0.nameB) = (Reference("ref"), 3, 9) },
            { ($0.reference, $0.amount, $0.nameC) = (Reference("ref"), 3, 9) },
            { ($0.reference, $0.amount, $0.profile) = (Reference("ref"), 3, 9) },
            { ($0.reference, $0.amount, $0.timeA) = (Reference("ref"), 3, 4_000) },
            { ($0.money, $0.nameB, $0.nameC, $0.profile, $0.flags) = (5, 7, 8, 9, 1) },
            { ($0.timeA, $0.amount, $0.profile, $0.nameB) = (4, 3, 9, 7) },
        ]
        return layouts.enumerated().map { index, fill in
            var event = Event()
            event.typeCode = type.rawValue
            event.position = Int64(index + 1)
            event.occurredAt = Int64(1_000 + index)
            event.signedAt = event.occurredAt
            event.key = Reference("key \(index)")
            (event.source, event.customer, event.nameA) = (1, 2, 6)
            fill(&event)
            return event
        }
    }

    @Test(
        "They are those of the same events unpacked, whatever happened and whatever is known",
        arguments: [StreamKind.customer, .ledger])
    func same(_ kind: StreamKind) throws {
        let names = NameTable()
        for type in EventType.allCases {
            let events = events(type)
            for until in [999, 1_002, 1_003, Int64.max] {
                var (unpacked, packed) = (AggregateState(kind: kind), AggregateState(kind: kind))
                for event in events {
                    unpacked.evolve(event, names: names, until: until)
                    let bits = try #require(PackedEvent(event), "\(type) is packed as a whole")
                    packed.evolve(bits, at: event.position, until: until)
                    #expect(packed == unpacked, "\(type) until \(until)")
                }
                let isUsage = type.isUsage && until != Int64.max
                #expect((packed.newest.occurredAt == 1_006) == !isUsage, "\(type) until \(until)")
            }
        }
    }
}
