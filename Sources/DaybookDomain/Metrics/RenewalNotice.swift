import DaybookEvents

/// What the store said of how a subscription goes on.
struct RenewalNotice {
    var at: Int64
    /// Whether it will renew; every start and renewal says so.
    var renews: Bool
    /// Why it ended, in the store's word; `nil`: it was not said to have ended.
    var ending: String?
    /// Whether a new period began with it.
    var isPeriod: Bool = false

    /// - Returns: `nil` for events that tell nothing of it, and for what only a client says.
    init?(_ event: Event, _ names: NameTable) {
        guard event.trust.classRank == 1 else { return nil }
        at = event.occurredAt
        renews = event.flag(8) ?? true
        switch event.type {
        case .subscriptionStarted, .subscriptionRenewed: isPeriod = true
        case .subscriptionAutoRenewChanged, .storeRenewalStated: break
        case .subscriptionExpired:
            renews = false
            ending = names[event.nameB]
        default: return nil
        }
    }
}

extension MetricSubject {
    /// What had been said of a lineage by a time, the newest first.
    private func notices(of lineage: Int, at instant: Int64) -> some Sequence<RenewalNotice> {
        notices[lineage].reversed().lazy.filter { $0.at <= instant }
    }

    /// How a paid subscription stands at a time at which it runs.
    func state(of span: SubscriptionSpan, at instant: Int64) -> String {
        if instant >= span.naturalEnd { return "billing_problem" }
        let last = notices(of: span.lineage, at: instant).first { _ in true }
        return last?.renews ?? true ? "renewing" : "canceling"
    }

    /// Why a paid time ended.
    func reason(of stretch: PaidStretch) -> String {
        let end = stretch.range.upperBound
        guard let last = stretch.spans.last else { return "unknown" }
        if rules.refunds != .ignore, last.end < last.naturalEnd,
            let refund = transactions[last.payment].refund, refund.at == last.end
        {
            return "refund"
        }
        // The store may say so while it still tries to charge, up to the next period.
        let said = notices[stretch.lineage].filter {
            $0.at >= last.start && $0.at <= end.addingSaturated(Metric.retry)
        }
        let next = said.firstIndex { $0.isPeriod && $0.at > last.start } ?? said.endIndex
        if let ending = said[..<next].last(where: { $0.ending != nil })?.ending,
            let reason = Self.reasons[ending]
        {
            return reason
        }
        // Nothing but a charge that failed ends what was to renew.
        // An end without a reason says nothing of why.
        let renews =
            notices(of: stretch.lineage, at: end).first { $0.ending == nil }?.renews ?? true
        return renews ? last.isRetried ? "involuntary" : "unknown" : "voluntary"
    }

    /// By the store's word on the end; a word that tells nothing of it is not among them.
    private static let reasons = [
        "voluntary": "voluntary", "price_increase": "voluntary",
        "price_increase_declined": "voluntary", "billing_retry": "involuntary",
        "billing_retry_ended": "involuntary",
        "billing_error": "involuntary", "billing": "involuntary",
        "product_unavailable": "involuntary", "refunded": "refund",
    ]
}
