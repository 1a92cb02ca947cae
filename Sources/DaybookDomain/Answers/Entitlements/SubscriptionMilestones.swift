public import DaybookEvents

/// Derives milestones from the facts of one customer's lineages.
///
/// From facts alone, as state and money are (rule 3): a transaction that only a client's signed statement told counts
/// as one that a notification told, and two statements of one transaction count once. So the milestones are the same
/// for any order of arrival. A client's unsigned word and a family's share are no purchases (X-07, E44), and debug
/// overrides change nothing (NZ-21).
public struct SubscriptionMilestones {
    private struct Charge {
        var lineage: Int
        var period: LineagePeriod
        var group: String
        /// Free periods are no payments, whatever the offer is called.
        var isPaid: Bool
    }

    private let context: CustomerCase
    /// The events of each lineage of the case, in its order; canonical, corrected, without the void ones.
    private let events: [[Event]]

    /// - Parameter events: For each lineage of the case its events, in canonical order.
    public init(_ context: CustomerCase, events: [[Event]]) {
        precondition(events.count == context.lineages.count, "Every lineage brings its events.")
        self.context = context
        self.events = events
    }

    /// In the order of time; those of one moment in the order of their kinds.
    public func all() -> [SubscriptionMilestone] {
        let charges = context.lineages.indices.flatMap { self.charges(of: $0) }.sorted {
            LineagePeriods.isBoughtBefore($0.period.fact, $1.period.fact)
        }
        var found: [SubscriptionMilestone] = []
        var groups: Set<String> = []
        for charge in charges {
            var kinds: [SubscriptionMilestone.Kind] = []
            if groups.insert(charge.group).inserted { kinds.append(.purchased) }
            if charge.period.fact.isTrial { kinds.append(.trialStarted) }
            if charge.isPaid, let kind = payment(charge, charges) { kinds.append(kind) }
            found += kinds.compactMap { milestone($0, charge) }
        }
        found += context.lineages.indices.flatMap { cancellations(of: $0) }
        let order = SubscriptionMilestone.Kind.allCases
        return found.enumerated().sorted { left, right in
            let (one, two) = (left.element, right.element)
            if one.at != two.at { return one.at < two.at }
            let ranks = (order.firstIndex(of: one.kind) ?? 0, order.firstIndex(of: two.kind) ?? 0)
            return ranks.0 != ranks.1 ? ranks.0 < ranks.1 : left.offset < right.offset
        }.map(\.element)
    }

    // MARK: Charges

    private func facts(_ lineage: LineageState, at instant: Int64) -> LineagePeriods {
        LineagePeriods(
            lineage: lineage, names: context.names, catalog: context.catalog(at: instant)?.catalog,
            at: instant, hiddenBefore: nil)
    }

    private func charges(of index: Int) -> [Charge] {
        let lineage = context.lineages[index]
        let periods = facts(lineage.state, at: context.at).periods(isProvisionalTold: false)
        return periods.compactMap { period in
            guard let product = period.product, product.kind == .autoRenewable,
                let group = product.group, !period.fact.isFamilyShared,
                lineage.isOwned(at: period.fact.startsAt)
            else { return nil }
            return Charge(
                lineage: index, period: period, group: group, isPaid: !period.fact.isFree)
        }
    }

    /// Whether a paid period begins something or goes on with it; `nil`: neither, as an upgrade at once, or a second
    /// subscription beside a running one.
    private func payment(_ charge: Charge, _ charges: [Charge]) -> SubscriptionMilestone.Kind? {
        let group = charges.filter { $0.group == charge.group }
        let own = group.filter { $0.lineage == charge.lineage }
        var current = charge
        // Back along the lineage, through free periods, to the payment that this one goes on from.
        while let before = own.last(where: {
            LineagePeriods.isBoughtBefore($0.period.fact, current.period.fact)
        }), isConnected(before, current) {
            if before.isPaid {
                let isUpgrade =
                    before.period.isReplaced && before.period.end == current.period.start
                return isUpgrade ? nil : .renewed
            }
            current = before
        }
        let start = charge.period.start
        let isPaidElsewhere = group.contains {
            $0.lineage != charge.lineage && $0.isPaid && $0.period.start < start
                && start <= $0.period.end
        }
        return isPaidElsewhere ? nil : .activated
    }

    /// Whether one period follows the other without an expiry: at once, in grace, or while the store still tried.
    private func isConnected(_ before: Charge, _ next: Charge) -> Bool {
        if before.period.end >= next.period.start { return true }
        let instant = next.period.start - 1
        var folded = AggregateState(kind: .lineage)
        for event in events[next.lineage] {
            folded.lineage.evolve(
                event, names: context.names, takesStatus: event.occurredAt <= instant)
        }
        let lineage = context.lineages[next.lineage]
        let owned = CustomerCase.OwnedLineage(
            name: lineage.name, folded: SharedAggregate(folded), stretches: lineage.stretches)
        let facts = facts(owned.state, at: instant)
        let answer = LineageAnswer(
            owned: owned, facts: facts, periods: facts.periods(isProvisionalTold: false),
            at: instant)
        return answer.sources().contains { source in
            switch source.state {
            case .grace, .billingRetry, .active, .activeCanceling: true
            default: false
            }
        }
    }

    private func milestone(
        _ kind: SubscriptionMilestone.Kind, _ charge: Charge
    ) -> SubscriptionMilestone? {
        let fact = charge.period.fact
        let statements = events[charge.lineage].filter {
            $0.reference == fact.id && $0.trust.classRank > 0 && Self.isCharge($0.type)
        }
        guard let position = statements.map(\.position).min(),
            let statement = statements.first(where: {
                $0.key == fact.coreRank.key && $0.source == fact.coreRank.source
            })
        else { return nil }
        return SubscriptionMilestone(
            kind: kind, lineage: context.lineages[charge.lineage].name,
            product: context.names[fact.product], group: charge.group, transaction: fact.id,
            at: fact.startsAt, position: position, statement: statement)
    }

    private static func isCharge(_ type: EventType) -> Bool {
        switch type {
        case .subscriptionStarted, .subscriptionRenewed, .storeTransactionStated: true
        default: false
        }
    }

    // MARK: Cancellations

    /// Every time that renewal went from on to off.
    private func cancellations(of index: Int) -> [SubscriptionMilestone] {
        let lineage = context.lineages[index]
        let charges = charges(of: index)
        var isOn = true
        var found: [SubscriptionMilestone] = []
        for event in events[index] where event.trust.classRank > 0 {
            guard let value = Self.autoRenew(event) else { continue }
            defer { isOn = value }
            guard isOn, !value, event.type != .subscriptionExpired,
                lineage.isOwned(at: event.occurredAt),
                let charge = charges.last(where: { $0.period.start <= event.occurredAt })
                    ?? charges.first
            else { continue }
            found.append(
                SubscriptionMilestone(
                    kind: .canceled, lineage: lineage.name,
                    product: context.names[charge.period.fact.product], group: charge.group,
                    transaction: .none, at: event.occurredAt, position: event.position,
                    statement: event))
        }
        return found
    }

    /// What an event says of renewal; `nil`: nothing.
    private static func autoRenew(_ event: Event) -> Bool? {
        switch event.type {
        case .subscriptionStarted, .subscriptionRenewed, .subscriptionAutoRenewChanged,
            .storeRenewalStated:
            event.flag(8) ?? true
        case .subscriptionExpired: false
        default: nil
        }
    }
}
