import DaybookEvents

extension Metric {
    /// The store may try to charge for so long after a trial (docs/rules.md#states).
    static let retry = 60 * Int64.day

    /// What became of trials, by the period in which they began (docs/metrics.md#trials).
    static let trials: [Metric] = [
        Metric(
            "trials", .count, "Free trials that began.",
            formula: "trials that began in the period"
        ) { subject, tally in
            for trial in subject.trialOutcomes(tally.buckets) {
                tally.add(1, in: tally.bucket(trial.at))
            }
        },
        outcome(
            "trials_converted", "Trials after which the same subscription was paid for.",
            formula:
                "trials followed without a break by a paid period of the same lineage, or by one that the store charged for within 60 days; a later purchase is none"
        ) { $0 == .converted },
        outcome(
            "trials_pending", "Trials of which it is not known yet.",
            formula: "trials that run and will renew, and those that wait for a payment"
        ) { $0 == .pending },
        outcome(
            "trials_abandoned", "Trials that were given up.",
            formula: "trials - trials_converted - trials_pending"
        ) { $0 == .abandoned },
        Metric(
            "trial_conversion", .ratio, "How many trials were paid for.",
            formula: "trials_converted ÷ trials", maturity: .whenKnown
        ) { subject, tally in
            for trial in subject.trialOutcomes(tally.buckets) {
                tally.count(trial.outcome == .converted, in: tally.bucket(trial.at))
                if trial.isOpen { tally.add(1, .open, in: tally.bucket(trial.at)) }
            }
        },
        Metric(
            "trial_mature_conversion", .ratio, "The same of those of which it is known.",
            formula: "trials_converted ÷ (trials - trials_pending)", maturity: .whenKnown
        ) { subject, tally in
            for trial in subject.trialOutcomes(tally.buckets) {
                if trial.isOpen { tally.add(1, .open, in: tally.bucket(trial.at)) }
                guard trial.outcome != .pending else { continue }
                tally.count(trial.outcome == .converted, in: tally.bucket(trial.at))
            }
        },
    ]

    private static func outcome(
        _ name: String, _ meaning: String, formula: String,
        isCounted: @escaping @Sendable (TrialOutcome) -> Bool
    ) -> Metric {
        Metric(name, .count, meaning, formula: formula, maturity: .whenKnown) { subject, tally in
            for trial in subject.trialOutcomes(tally.buckets) {
                let bucket = tally.bucket(trial.at)
                tally.add(isCounted(trial.outcome) ? 1 : 0, in: bucket)
                if trial.isOpen { tally.add(1, .open, in: bucket) }
            }
        }
    }
}

private enum TrialOutcome { case converted, pending, abandoned }

extension MetricSubject {
    fileprivate func trialOutcomes(
        _ buckets: MetricBuckets
    ) -> [(at: Int64, outcome: TrialOutcome, isOpen: Bool)] {
        spans.filter { $0.isOwn && $0.isTrial && $0.start <= at }.map { trial in
            let outcome = outcome(trial, buckets)
            // While it runs renewal may be switched on again.
            return (trial.start, outcome, outcome == .pending || at < trial.naturalEnd)
        }
    }

    /// The first payment after the trial decides: one that the customer began anew, later, is no conversion, and
    /// neither is what followed upon that; with the attribution by lineage any payment is one.
    private func outcome(_ trial: SubscriptionSpan, _ buckets: MetricBuckets) -> TrialOutcome {
        let paid = spans.filter { span in
            span.lineage == trial.lineage && !span.isFree && span.start <= at
                && span.start > trial.start
        }
        if let first = paid.first {
            let isConverted =
                switch rules.attribution {
                case .strict: isFollowing(first, trial) && isKept(first, trial, buckets)
                case .lineage: paid.contains { isKept($0, trial, buckets) }
                }
            return isConverted ? .converted : .abandoned
        }
        let state = lineages[trial.lineage].state
        if at < trial.naturalEnd, trial.contains(at) {
            return state.autoRenew.value ? .pending : .abandoned
        }
        let notice = state.billingNotice(at: at, since: transactions[trial.payment].at)
        let isWaiting =
            notice?.isRetrying == true || (notice?.graceExpiresAt.orNil).map { at < $0 } == true
        let end = trial.naturalEnd.addingSaturated(Metric.retry)
        return isWaiting && state.autoRenew.value && at < end ? .pending : .abandoned
    }

    private func isFollowing(_ paid: SubscriptionSpan, _ trial: SubscriptionSpan) -> Bool {
        paid.start < trial.naturalEnd.addingSaturated(Metric.retry)
            && (paid.start <= trial.end || (!paid.isPurchase && trial.isRetried))
    }

    private func isKept(
        _ paid: SubscriptionSpan, _ trial: SubscriptionSpan, _ buckets: MetricBuckets
    ) -> Bool {
        !paid.isVoid && !isTakenBack(transactions[paid.payment], trial, buckets)
    }

    /// Whether a payment went back: with refunds at their date only where that is in the trial's own period.
    private func isTakenBack(
        _ payment: MetricPayment, _ trial: SubscriptionSpan, _ buckets: MetricBuckets
    ) -> Bool {
        guard let refund = payment.refund, refund.amount >= payment.amount else { return false }
        switch rules.refunds {
        case .ignore: return false
        case .retroactive: return true
        case .atRefundDate:
            return buckets.index(of: refund.at).map { $0 == buckets.index(of: trial.start) }
                ?? false
        }
    }
}
