import DaybookEvents

/// Applies the state table (docs/rules.md#states) to one lineage at one time.
struct LineageAnswer {
    let owned: CustomerCase.OwnedLineage
    let facts: LineagePeriods
    let periods: [LineagePeriod]
    /// The valid time at which the lineage is looked at; a debug override may shift it.
    let at: Int64

    private static let retryMilliseconds: Int64 = 60 * 86_400_000

    private var names: NameTable { facts.names }
    private var catalog: Catalog? { facts.catalog }

    /// Empty where the lineage says nothing about this time or any before it; several where it gives several products,
    /// as a free trial beside what was bought instead of it (E27), or a pass that waits for the one before it.
    func sources() -> [Source] {
        let begun = periods.filter { $0.start <= at }
        let waiting = waiting(isFirst: begun.isEmpty).map { source(waiting: $0) }
        guard let last = begun.last else {
            return [refused() ?? unknown()].compactMap(\.self) + waiting
        }
        let current = Self.current(begun.filter { $0.contains(at) })
        return (current.isEmpty ? [last] : current).map { source($0) } + waiting
    }

    /// What is bought by then and begins later: every pass, and a subscription's first period.
    private func waiting(isFirst: Bool) -> [LineagePeriod] {
        let later = periods.filter { at < $0.start && $0.start < min($0.end, $0.believedUntil) }
        let passes = later.filter {
            $0.product?.kind == .nonRenewing && $0.fact.startsAt <= at
        }
        guard isFirst, let told = owned.state.firstEventAt.orNil, told <= at else { return passes }
        return passes + later.filter { $0.product?.kind == .autoRenewable }.prefix(1)
    }

    private func source(waiting period: LineagePeriod) -> Source {
        var source = unjudged(period.fact, period.product, from: period.start)
        let end = min(period.end, period.believedUntil)
        source.expiresAt = end == Int64.max ? nil : end
        source.state = .pending
        source.why = .notStarted
        return source
    }

    /// Of each product the period with the latest end, and of those the one that was bought last.
    private static func current(_ containing: [LineagePeriod]) -> [LineagePeriod] {
        var current: [LineagePeriod] = []
        for period in containing {
            let known = current.firstIndex { $0.fact.product == period.fact.product }
            if let known, current[known].end <= period.end { current[known] = period }
            if known == nil { current.append(period) }
        }
        return current
    }

    /// What a transaction gives, whatever its state.
    private func unjudged(
        _ fact: TransactionFact, _ product: Product?, from start: Int64
    ) -> Source {
        var source = Source(kind: kind(of: fact, product), id: owned.name)
        source.product = names[fact.product]
        source.transaction = fact.id.exactText
        source.entitlements = product?.entitlements ?? []
        source.startsAt = start
        return source
    }

    private func source(_ current: LineagePeriod) -> Source {
        var source = unjudged(current.fact, current.product, from: current.start)
        source.expiresAt = current.end == Int64.max ? nil : current.end
        let next = names[owned.state.nextProduct.value]
        source.autoRenewProduct = next.isEmpty || next == source.product ? nil : next
        judge(current, &source)
        if current.believedUntil < source.expiresAt ?? Int64.max {
            source.expiresAt = current.believedUntil
        }
        if current.product == nil {
            source.isActive = false
            source.why = .unknownProduct
            source.flags.append("unknown_product")
        }
        if current.isReplacedByUnknown { source.flags.append("unknown_successor") }
        return source
    }

    private func kind(of fact: TransactionFact, _ product: Product?) -> Source.Kind {
        if fact.isFamilyShared { return .family }
        switch product?.kind {
        case .nonConsumable: return .lifetime
        case .nonRenewing: return .nonRenewing
        default: return .subscription
        }
    }

    /// A purchase that does not count: listed with the reason, and no state of a subscription.
    private func refused() -> Source? {
        let all = facts.facts
        let begun = all.filter { $0.startsAt <= at }
        for fact in begun.reversed() {
            guard let refusal = facts.refusal(of: fact, among: all), refusal != .hidden else {
                continue
            }
            let product = catalog?.product(names[fact.product])
            var source = unjudged(fact, product, from: fact.startsAt)
            switch refusal {
            case .unverified(let until):
                source.state = .unverified
                source.expiresAt = max(fact.startsAt, until)
                source.why = .unverified
            case .notShareable(let why): source.why = .family(why)
            case .hidden: continue
            }
            return source
        }
        return nil
    }

    /// Facts about a subscription whose periods no statement has told yet (NZ-08).
    private func unknown() -> Source? {
        let state = owned.state
        guard state.transactions.allSatisfy(\.coreRank.isNone),
            !state.autoRenew.rank.isNone || !state.billing.rank.isNone
        else {
            return nil
        }
        var source = Source(kind: .subscription, id: owned.name)
        let next = names[state.nextProduct.value]
        source.product = next.isEmpty ? nil : next
        source.entitlements = catalog?.product(next)?.entitlements ?? []
        source.why = .unknownState
        source.state = .pending
        return source
    }

    private func judge(_ period: LineagePeriod, _ source: inout Source) {
        let lineage = owned.state
        if let withdrawal = period.withdrawal, withdrawal.at <= at {
            if withdrawal.isRevocation {
                source.state = .revoked
                source.why = .revoked
            } else {
                source.state = .refunded
                source.willRenew = lineage.autoRenew.value && period.product?.kind.isRunning == true
                source.why = .refunded
            }
            return
        }
        if period.contains(at) { return judgeRunning(period, &source) }
        guard period.product?.kind.isRunning ?? true else {
            source.state = .expired
            source.why = .expired
            return
        }
        judgeLapsed(period, &source)
    }

    private func judgeRunning(_ period: LineagePeriod, _ source: inout Source) {
        source.isActive = true
        guard period.product?.kind != .nonConsumable else { return source.state = .lifetime }
        guard period.product?.kind != .nonRenewing else { return source.state = .active }
        source.willRenew = owned.state.autoRenew.value
        // The store may tell that it cannot charge before the period ends.
        let notice = owned.state.billingNotice(at: at, since: period.fact.startsAt)
        if notice?.isRetrying == true { source.flags.append("billing_problem") }
        if period.fact.isTrial {
            source.state = .trial
            let left = period.naturalEnd &- at
            source.trialDaysRemaining = (left &+ 86_399_999) / 86_400_000
        } else {
            source.state = source.willRenew ? .active : .activeCanceling
        }
    }

    private func judgeLapsed(_ period: LineagePeriod, _ source: inout Source) {
        let lineage = owned.state
        let notice = lineage.billingNotice(at: at, since: period.fact.startsAt)
        // Grace hangs off the end that was paid for: it never brings back what was ended before.
        let grace = notice?.graceExpiresAt.orNil
        if let grace, period.naturalEnd <= at {
            source.expiresAt = max(period.end, grace)
            if at < grace {
                source.state = .grace
                source.isActive = true
                // The store still tries, unless the customer has switched renewal off.
                source.willRenew = lineage.autoRenew.value
                source.expiresAt = grace
                source.flags.append("billing_problem")
                return
            }
        }
        let retryEnd = period.naturalEnd.addingSaturated(Self.retryMilliseconds)
        if notice?.isRetrying == true, at < retryEnd {
            source.state = .billingRetry
            source.willRenew = true
            source.isActive = catalog?.policies.billingRetryAccess ?? false
            source.why = source.isActive ? nil : .billingRetry
            if source.isActive { source.expiresAt = retryEnd }
            return
        }
        if let next = bridged(period) {
            source.state = .active
            source.isActive = true
            source.willRenew = lineage.autoRenew.value
            source.expiresAt = next
            source.flags.append("unknown_gap")
            return
        }
        source.state = .expired
        let reason = names[lineage.expiry.value]
        source.why = reason.isEmpty ? .expired : .ended(ExactText(reason))
    }

    /// The end of a missing renewal between two known periods, where the store said later that service had been
    /// continuous and no statement said that it lapsed (E07).
    private func bridged(_ period: LineagePeriod) -> Int64? {
        guard catalog?.policies.gap == .assumeActive,
            let next = periods.first(where: { $0.start > at }),
            owned.state.continuities.contains(where: {
                $0.since <= period.end && $0.saidAt >= next.start
            })
        else { return nil }
        let hasLapsed = owned.state.lapses.contains {
            $0 >= period.fact.startsAt && $0 <= next.start
        }
        return hasLapsed ? nil : next.start
    }
}

extension LineageState {
    /// What the store said last about billing by some time; `nil` where that was before `start`.
    func billingNotice(at instant: Int64, since start: Int64) -> BillingNotice? {
        if billing.rank.isNone { return nil }
        if billing.at <= instant { return billing.at >= start ? billing.value : nil }
        let former = formerNotices.last { $0.at <= instant && instant < $0.until }
        return former.flatMap { $0.at >= start ? $0.value : nil }
    }
}
