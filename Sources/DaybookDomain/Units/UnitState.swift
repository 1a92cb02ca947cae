public import DaybookEvents

/// The folded state of one unit: a line, or a customer with whoever is the same person (rule 6).
public struct UnitState: Sendable, Equatable {
    /// Of what all units have, whatever is projected: the order of events, and which of them count.
    public static let version: UInt16 = 2

    public var kind: StreamKind
    /// The last event in canonical order that was folded.
    public var newest = OrderKey.first
    public var eventCount: Int64 = 0
    public var line = LineState()
    public var customer = CustomerState()
    public var usage = UsageState()
    public var funnel = FunnelState()

    public init(kind: StreamKind) { self.kind = kind }

    /// Whether the event comes after everything folded so far; `false` also when only texts could tell, which
    /// costs a refold and never an answer (rule 19).
    public func accepts(_ event: Event) -> Bool { newest.isBefore(OrderKey(event)) == true }

    /// Takes the next event in canonical order; never fails, never looks at a clock or a catalog (law 8).
    /// - Parameter instant: Usage and status that happened after it do not take part (rule 4).
    /// - Parameter projections: Those that take the event; the others stay as they are.
    public mutating func evolve(
        _ event: Event, names: borrowing NameTable, until instant: Int64 = Int64.max,
        projections: Projections = .all
    ) {
        let isLater = event.occurredAt > instant
        if isLater, event.type.isUsage { return }
        newest = OrderKey(event)
        if !Self.isEvidence(event) { eventCount += 1 }
        if projections.contains(.entitlements) {
            switch kind {
            case .line: line.evolve(event, names: names, takesStatus: !isLater)
            case .customer: customer.evolve(event, names: names)
            case .ledger: break
            }
        }
        if projections.contains(.usage), kind == .customer { usage.evolve(event, names: names) }
        if projections.contains(.funnels) { funnel.evolve(event) }
    }

    /// Scheduled resets and evidence of refusals reach no digest (rules 21 and 23).
    private static func isEvidence(_ event: Event) -> Bool {
        event.type.isEvidence || event.isScheduledReset
    }

    /// Whether anything happened to the unit besides what is evidence: else it is no unit of the digest (rule 23).
    public var isInDigest: Bool { eventCount > 0 }

    /// The state as the digest sees it.
    func withoutEvidence() -> UnitState {
        var copy = self
        copy.usage.resets.removeAll(where: \.isScheduled)
        copy.funnel.steps.removeAll { EventType(rawValue: $0.typeCode)?.isEvidence ?? false }
        return copy
    }

    /// Walks what the unit means, without the place where its last event stands.
    mutating func codeContent(_ coder: inout some StateCoder) {
        var raw = kind.rawValue
        coder.byte(&raw)
        coder.integer(&eventCount)
        for projection in Projection.allCases { code(projection, &coder) }
    }

    /// Walks the part of one projection; `kind` says which parts there are.
    public mutating func code(_ projection: Projection, _ coder: inout some StateCoder) {
        switch projection {
        case .entitlements:
            switch kind {
            case .line: line.code(&coder)
            case .customer: customer.code(&coder)
            case .ledger: break
            }
        case .usage: if kind == .customer { usage.code(&coder) }
        case .funnels: funnel.code(&coder)
        }
    }

    /// Takes the part of one projection from another state of the same unit.
    public mutating func take(_ projection: Projection, from other: UnitState) {
        switch projection {
        case .entitlements: (line, customer) = (other.line, other.customer)
        case .usage: usage = other.usage
        case .funnels: funnel = other.funnel
        }
    }
}
