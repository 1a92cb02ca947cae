public import DaybookEvents

/// A folded state as one reference, which is handed on without copying the state and its arrays: a check reads it from
/// what is at hand, and asks about it many times.
public struct SharedAggregate: Sendable {
    /// Changed only while one value alone refers to it.
    private final class Box: @unchecked Sendable {
        @exclusivity(unchecked) var state: AggregateState
        init(_ state: consuming AggregateState) { self.state = state }
    }

    private var box: Box

    /// Takes over a state without copying it.
    public init(_ state: consuming AggregateState) { box = Box(state) }

    /// Of no events.
    public init(kind: StreamKind) { self.init(AggregateState(kind: kind)) }

    /// The state, lent without a copy.
    public var state: AggregateState {
        _read { yield box.state }
    }

    /// Whether it is of a lineage, a customer or the ledger.
    public var kind: StreamKind { box.state.kind }
    /// The last event in canonical order that was folded.
    public var newest: OrderKey { box.state.newest }
    /// How many events were folded; see `AggregateState.eventCount`.
    public var eventCount: Int64 { box.state.eventCount }
    /// About how many bytes of memory it takes.
    public var heldByteCount: Int { box.state.heldByteCount }

    /// Whether the event comes after everything folded so far; see `AggregateState.accepts`.
    public func accepts(_ event: Event) -> Bool { box.state.accepts(event) }

    /// Whether it is the same value, not only an equal one.
    public func isIdentical(to other: SharedAggregate) -> Bool { box === other.box }

    /// Takes the next event in canonical order: in place, unless others refer to the state.
    public mutating func evolve(_ event: Event, names: borrowing NameTable) {
        if !isKnownUniquelyReferenced(&box) { box = Box(box.state) }
        box.state.evolve(event, names: names)
    }
}
