import DaybookEvents

/// A change that would turn the answer; each was tried, none is a guess.
public enum Alternative: Sendable, Equatable {
    /// Time alone turns the answer, if nothing else happens.
    case later(at: Int64, reason: DecisionReason)
    /// The same question for a smaller amount is answered with yes.
    case smaller(amount: Int64)
    /// So many units more, by a grant or by fewer uses, are enough.
    case units(meter: String, count: Int64)
    /// An entitlement that opens it, and the products that give it.
    case entitlement(String, products: [String])
    /// The customer's answer without this event.
    case without(position: Int64, reason: DecisionReason)
}

/// Looks for changes that would turn the answer without leaving out an event.
public struct AlternativeSearch {
    /// No more moments than this are asked about.
    private static let instantCountMax = 256

    private let context: CustomerCase
    private let asked: CheckQuestion
    private let decision: Decision

    /// - Parameter decision: The answer to the question.
    public init(_ context: CustomerCase, _ asked: CheckQuestion, _ decision: Decision) {
        self.context = context
        self.asked = asked
        self.decision = decision
    }

    /// Tries a later time, a smaller amount, more units, then each entitlement in the catalog's order.
    ///
    /// Of what is allowed only a later time is tried. Empty: nothing that was tried turns the answer.
    /// - Complexity: At most 256 checks of other times, and one of each other change that is tried.
    public func alternatives() -> [Alternative] {
        var found: [Alternative] = []
        if let later = later() { found.append(later) }
        guard !decision.allowed else { return found }
        if let smaller = smaller() { found.append(smaller) }
        if let units = units() { found.append(units) }
        return found + entitlements()
    }

    private func decision(_ context: CustomerCase, _ asked: CheckQuestion) -> Decision? {
        try? Check(context)?.decide(asked)
    }

    // MARK: Time

    /// The first moment at which the answer turns by itself.
    private func later() -> Alternative? {
        var at = context.at
        var before: Decision? = decision
        for _ in 0..<Self.instantCountMax {
            let edges = CaseEdges(context.with(at: at), before, isTurning: true)
            guard let edge = edges.first(after: at) else { return nil }
            before = decision(context.with(at: edge), asked)
            if let before, before.allowed != decision.allowed {
                return .later(at: edge, reason: before.reason)
            }
            at = edge
        }
        return nil
    }

    // MARK: Numbers

    private func smaller() -> Alternative? {
        guard asked.amount > 1, let remaining = decision.usage?.remaining, remaining >= 1 else {
            return nil
        }
        var fewer = asked
        fewer.amount = min(remaining, asked.amount - 1)
        return decision(context, fewer)?.allowed == true ? .smaller(amount: fewer.amount) : nil
    }

    private func units() -> Alternative? {
        guard decision.reason == .limitReached, let usage = decision.usage,
            let remaining = usage.remaining
        else { return nil }
        let missing = asked.amount.addingSaturated(-remaining).addingSaturated(usage.excess)
        guard missing > 0, gives(meter: usage.name, missing) else { return nil }
        return .units(meter: usage.name, count: missing)
    }

    private func gives(meter: String, _ amount: Int64) -> Bool {
        decision(context.granting(meter: meter, amount: amount), asked)?.allowed == true
    }

    // MARK: Entitlements

    private func entitlements() -> [Alternative] {
        guard let catalog = context.catalog(at: context.at)?.catalog else { return [] }
        return catalog.entitlements.compactMap { entitlement in
            let other = context.granting(entitlement: entitlement.name)
            guard decision(other, asked)?.allowed == true else { return nil }
            return .entitlement(
                entitlement.name,
                products: catalog.products.filter {
                    $0.entitlements.contains(entitlement.name)
                }.map(\.id))
        }
    }
}

/// The moments at which an answer may turn without an event.
public struct CaseEdges {
    private let instants: [Int64]

    /// - Parameters:
    ///   - decision: What is answered at the case's own time.
    ///   - isTurning: Only those that can turn the answer, not those that only change its numbers: no period that
    ///     begins takes anything away.
    public init(
        _ context: CustomerCase, _ decision: Decision?, isTurning: Bool = false
    ) {
        self.init(context, Check(context), decision, isTurning: isTurning)
    }

    /// - Parameter check: Of the same case; `nil`: no catalog rules.
    package init(
        _ context: CustomerCase, _ check: Check?, _ decision: Decision?, isTurning: Bool = false
    ) {
        var instants = context.catalogs.versions.map(\.effectiveAt)
        instants.append(context.catalogPeriodEnd(after: context.at))
        if let check {
            instants += check.entitlements.sources.flatMap { [$0.startsAt, $0.expiresAt] }
                .compactMap(\.self)
            if !isTurning || decision?.allowed == false,
                let meter = decision?.usage.flatMap({ check.catalog.meter(named: $0.name) })
            {
                instants += check.usage.grants(meter).compactMap {
                    $0.recurrence?.period(at: context.at).end
                }
            }
        }
        if !isTurning || decision?.allowed == false {
            if let period = decision?.usage?.period { instants += [period.start, period.end] }
            instants += context.state.usage.resets.lazy.filter { !$0.isScheduled }
                .map(\.effectiveAt)
        }
        instants += context.state.customer.voids.map(\.voidedAt)
        instants += context.state.usage.reservations.map(\.expiresAt)
        instants += context.state.customer.grants.flatMap { [$0.startsAt, $0.expiresAt] }
        self.instants = instants.filter { $0 != Int64.min && $0 != Int64.max }
    }

    /// The earliest of these moments after an instant, exclusive; `nil`: there is none.
    /// - Complexity: O(*n*) in the moments.
    public func first(after instant: Int64) -> Int64? {
        instants.filter { $0 > instant }.min()
    }
}

extension CustomerCase {
    /// The same customer with one more grant, from the asked time on.
    /// - Parameter amount: `nil`: of the entitlement.
    fileprivate func granting(
        entitlement: String? = nil, meter: String? = nil, amount: Int64? = nil
    ) -> CustomerCase {
        var names = names
        var state = state
        let id = Reference("explain/what-if")
        state.customer.grants.append(
            .init(
                id: id, key: id, source: names.intern("ledger"),
                entitlement: entitlement.map { names.intern($0) } ?? 0, feature: 0,
                meter: meter.map { names.intern($0) } ?? 0, profile: 0,
                amount: amount ?? Event.absent, isUnlimited: amount == nil, startsAt: at,
                expiresAt: Event.absent, priority: 255, rolloverMax: Event.absent,
                rolloverMin: Event.absent, recurrence: 0))
        return with(folded: SharedAggregate(state), names: names)
    }
}
