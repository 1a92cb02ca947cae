import DaybookEvents

/// A time for which a subscription served by one transaction, grace included. It stays with the customer who paid, also
/// where the lineage goes to another one meanwhile; those of other owners of the lineage are there too, so that what
/// goes on is seen to go on.
struct SubscriptionSpan {
    /// Of the case's payments.
    let payment: Int
    /// Of the case's lineages.
    let lineage: Int
    let start: Int64
    /// Exclusive; grace that was given is before it.
    let end: Int64
    /// Whether it costs nothing: a trial, or another offer that is free.
    let isFree: Bool
    /// Whether the customer paid for it, or took the offer.
    let isOwn: Bool
    /// Whether it was taken back to its payment by a refund (`retroactive`): then it served at no time.
    let isVoid: Bool
    let isTrial: Bool
    /// Whether the customer began it, by what the facts tell.
    let isPurchase: Bool
    /// Whether the store could not charge for what was to follow, and tried again.
    let isRetried: Bool
    /// The end that was paid for, before any refund, upgrade or grace.
    let naturalEnd: Int64

    func contains(_ instant: Int64) -> Bool { !isVoid && start <= instant && instant < end }
}

/// Builds the spans of one lineage from its periods (docs/metrics.md#subscriptions).
struct SubscriptionSpans {
    let owned: CustomerCase.OwnedLineage
    let lineage: Int
    let names: NameTable
    /// The newest one: what kind a product is never changes (rule 8).
    let catalog: Catalog?
    let rules: MetricRules
    /// The time of the question.
    let at: Int64

    /// - Parameter payments: Of all transactions, `places` of this lineage's by the transaction's id.
    func spans(_ payments: [MetricPayment], _ places: [Reference: Int]) -> [SubscriptionSpan] {
        var state = owned.state
        if rules.refunds == .ignore {
            for index in state.transactions.indices where state.transactions[index].isGivenBack {
                state.transactions[index].ignoreRefund()
            }
        }
        let periods = LineagePeriods(
            lineage: state, names: names, catalog: catalog, at: at, hiddenBefore: nil
        ).periods(isProvisionalTold: false).filter {
            $0.product?.kind == .autoRenewable && $0.start < $0.end
        }
        var spans: [SubscriptionSpan] = []
        for (index, period) in periods.enumerated() {
            guard let place = places[period.fact.id] else { continue }
            let next = periods[(index + 1)...].first { $0.start >= period.end }?.start
            let isVoid =
                rules.refunds == .retroactive && period.fact.isGivenBack
                && period.withdrawal.map { $0.at <= at } ?? false
            let end = end(period, before: next ?? Int64.max)
            spans.append(
                SubscriptionSpan(
                    payment: place, lineage: lineage, start: period.start, end: end,
                    isFree: payments[place].isFree, isOwn: payments[place].isOwn, isVoid: isVoid,
                    isTrial: period.fact.isTrial, isPurchase: isPurchase(period.fact),
                    isRetried: notices.contains {
                        $0.at >= period.fact.startsAt && $0.at < next ?? Int64.max
                            // A charge that went through in the end, within grace too, is no failure.
                            && $0.until > end
                            && ($0.value.isRetrying || $0.value.graceExpiresAt != Event.absent)
                    },
                    naturalEnd: period.naturalEnd))
        }
        return spans
    }

    /// With the grace that was given at its end, up to the next period. The store may say so a day after the end.
    private func end(_ period: LineagePeriod, before next: Int64) -> Int64 {
        guard period.end == period.naturalEnd else { return period.end }
        var end = period.end
        for notice in notices where notice.at >= period.fact.startsAt && notice.at < next {
            guard notice.at <= period.end.addingSaturated(.day) else { continue }
            guard let grace = notice.value.graceExpiresAt.orNil, notice.at < grace else { continue }
            end = max(end, min(grace, notice.until, next))
        }
        return end
    }

    private var notices: [LineageState.FormerNotice] {
        let billing = owned.state.billing
        guard !billing.rank.isNone else { return [] }
        let current = LineageState.FormerNotice(
            at: billing.at, until: Int64.max, value: billing.value)
        return owned.state.formerNotices + [current]
    }

    private func isPurchase(_ fact: TransactionFact) -> Bool {
        fact.reasonRank.isNone ? fact.isStart : fact.isPurchase
    }
}

extension TransactionFact {
    /// As if it had not gone back, nor been ended because it did.
    fileprivate mutating func ignoreRefund() {
        revokedAt = Event.absent
        revocation = .none
        if isEndedByRefund { endedAt = Event.absent }
    }

    /// Whether money went back for it: a family's member who lost access has paid nothing, and what the developer
    /// withdrew gave nothing back.
    var isGivenBack: Bool {
        revokedAt != Event.absent && revocation != .family && revocation != .developer
            && revocationRank.classRank >= coreRank.classRank
    }
}
