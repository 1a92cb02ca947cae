public import DaybookEvents

/// The folded state of one aggregate: a lineage, or a customer under all of its IDs (rule 6).
public struct AggregateState: Sendable, Equatable {
    /// Of what every aggregate has, whatever is projected: the order of events, and which of them count.
    public static let version: UInt16 = 2

    /// Which of the states below are folded: `lineage`, `customer` and `usage`, or neither; `funnel` always is.
    public var kind: StreamKind
    /// The last event in canonical order that was folded.
    public var newest = OrderKey.first
    /// How many events were folded, evidence and scheduled resets aside.
    public var eventCount: Int64 = 0
    /// What a store says; empty in other aggregates than lineages.
    public var lineage: LineageState {
        _read { yield heldLineage.state }
        _modify { yield &heldLineage.state }
    }
    private(set) var heldLineage = HeldLineage()
    /// What is known of the customer besides purchases and usage; empty in other aggregates than customers.
    public var customer = CustomerState()
    /// What the customer used; empty in other aggregates than customers.
    public var usage = UsageState()
    /// Events that funnels may count.
    public var funnel = FunnelState()

    /// The state before any event.
    public init(kind: StreamKind) { self.kind = kind }

    /// The state before any event, with room for what some events bring and no more: an array that grows leaves what it
    /// had behind, and ends up to twice as large as it must.
    public init(kind: StreamKind, roomFor events: [Event]) {
        self.kind = kind
        var useCount = 0
        var stepCount = 0
        for event in events {
            if event.typeCode == EventType.usageRecorded.rawValue { useCount += 1 }
            if FunnelState.isTracked(event.type) { stepCount += 1 }
        }
        if kind == .customer { usage.entries.reserveCapacity(useCount) }
        funnel.steps.reserveCapacity(stepCount)
    }

    /// Begins anew for another aggregate and keeps the allocated memory.
    public mutating func reset(_ kind: StreamKind) {
        if eventCount != 0 || newest != .first {
            switch self.kind {
            case .lineage: heldLineage.reset()
            case .customer:
                customer.reset()
                usage.reset()
            case .ledger: break
            }
            funnel.steps.removeAll(keepingCapacity: true)
            newest = .first
            eventCount = 0
        }
        self.kind = kind
    }

    /// Whether a customer has nothing that begins or ends by itself: no profile, assignment, grant, override, consent
    /// or reservation.
    package var isPlain: Bool {
        customer.profiles.isEmpty && customer.assignments.isEmpty && customer.grants.isEmpty
            && customer.overrides.isEmpty && customer.consents.isEmpty
            && usage.reservations.isEmpty
    }

    /// Whether the event comes after everything folded so far; `false` also when only texts could tell, which
    /// costs a refold and never an answer (rule 19).
    public func accepts(_ event: Event) -> Bool { newest.isBefore(OrderKey(event)) == true }

    /// Takes the next event in canonical order; never fails, never looks at a clock or a catalog (law 8).
    /// - Parameter instant: Usage and status that happened after it do not take part (rule 4).
    public mutating func evolve(
        _ event: Event, names: borrowing NameTable, until instant: Int64 = Int64.max
    ) {
        // A number becomes a type by a search: once for all that a customer has.
        let type = event.type
        guard admit(event, as: type, until: instant) else { return }
        if kind == .lineage {
            heldLineage.state.evolve(
                event, names: names, takesStatus: event.occurredAt <= instant)
        }
        project(event, as: type)
    }

    /// The same with a packed event, for an aggregate that is no lineage: its fold reads no names.
    ///
    /// Why: a pass over all events calls this for most of them. The event is unpacked where it is folded; to copy it,
    /// and the table of names, into the arguments of a call takes as long as a projection.
    /// - Parameter position: Where the event stands in the log.
    /// - Precondition: The state is no lineage's, and the event is packed as a whole.
    package mutating func evolve(
        _ packed: PackedEvent, at position: Int64, until instant: Int64 = Int64.max
    ) {
        precondition(kind != .lineage, "the fold of a lineage reads names")
        let event = packed.event(at: position)
        let type = event.type
        guard admit(event, as: type, until: instant) else { return }
        project(event, as: type)
    }

    /// Notes an event that takes part, as every aggregate does.
    /// - Returns: `false` for usage after the instant: nothing is noted, and nothing may be projected.
    @inline(__always)
    private mutating func admit(
        _ event: Event, as type: EventType, until instant: Int64
    ) -> Bool {
        if event.occurredAt > instant, type.isUsage { return false }
        newest = OrderKey(event)
        // Scheduled resets and evidence of refusals reach no digest (rules 21 and 23).
        let isEvidence = type.isEvidence || event.isScheduledReset
        if !isEvidence { eventCount += 1 }
        return true
    }

    /// Hands an event on to the projections that read no names.
    @inline(__always)
    private mutating func project(_ event: Event, as type: EventType) {
        if kind == .customer {
            customer.evolve(event, as: type)
            usage.evolve(event, as: type)
        }
        funnel.evolve(event, as: type)
    }

    /// Whether the aggregate has events besides evidence: else it is no part of the digest (rule 23).
    public var isInDigest: Bool { eventCount > 0 }

    /// Writes what the aggregate means, without evidence of refusals and without the place of its last event.
    func write(to writer: inout StateWriter) {
        writer.byte(kind.rawValue)
        writer.integer(eventCount)
        switch kind {
        case .lineage: lineage.write(to: &writer)
        case .customer:
            customer.write(to: &writer)
            usage.write(to: &writer)
        case .ledger: break
        }
        funnel.write(to: &writer)
    }
}
