public import DaybookEvents

/// The folded state of one unit: a line, or a customer with whoever is the same person (rule 6).
public struct UnitState: Sendable, Equatable {
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
    public mutating func evolve(
        _ event: Event, names: borrowing NameTable, until instant: Int64 = Int64.max
    ) {
        let isLater = event.occurredAt > instant
        if isLater, event.type.isUsage { return }
        newest = OrderKey(event)
        if !Self.isEvidence(event) { eventCount += 1 }
        switch kind {
        case .line: line.evolve(event, names: names, takesStatus: !isLater)
        case .customer:
            customer.evolve(event, names: names)
            usage.evolve(event, names: names)
        case .ledger: break
        }
        funnel.evolve(event)
    }

    /// Scheduled resets and evidence of refusals reach no digest (rules 21 and 23).
    private static func isEvidence(_ event: Event) -> Bool {
        event.type.isEvidence || (event.type == .usageReset && event.bits(0, 2) <= 1)
    }

    /// The state as the digest sees it.
    func withoutEvidence() -> UnitState {
        var copy = self
        copy.funnel.steps.removeAll { EventType(rawValue: $0.typeCode)?.isEvidence ?? false }
        return copy
    }

    /// Walks the state for a writer or a reader.
    public mutating func code(_ coder: inout some StateCoder) {
        coder.integer(&newest.occurredAt)
        coder.integer(&newest.sequence)
        coder.name(&newest.source)
        coder.reference(&newest.key)
        codeContent(&coder)
    }

    /// Walks what the unit means, without the place where its last event stands.
    mutating func codeContent(_ coder: inout some StateCoder) {
        var raw = kind.rawValue
        coder.byte(&raw)
        kind = StreamKind(rawValue: raw) ?? .ledger
        coder.integer(&eventCount)
        switch kind {
        case .line: line.code(&coder)
        case .customer:
            customer.code(&coder)
            usage.code(&coder)
        case .ledger: break
        }
        funnel.code(&coder)
    }
}
