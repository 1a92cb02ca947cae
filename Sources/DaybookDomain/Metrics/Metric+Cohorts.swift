import DaybookEvents

extension Metric {
    /// What becomes of those who began together, by age (docs/metrics.md#cohorts).
    static let cohorts: [Metric] = [
        Metric(
            "retention", .ratio, "How many of a cohort used the app again, by age.",
            formula:
                "customers first seen in the period with app.launched at the age ÷ new_customers",
            ages: .retention
        ) { subject, tally in
            guard let (first, bucket) = subject.firstSight(tally), bucket >= 0 else { return }
            tally.add(1, .denominator, in: bucket)
            let times = subject.events.filter(subject.isActivity).map(\.occurredAt)
            subject.addComingBack(
                at: times, since: first, in: bucket, subject.rules.retention, &tally)
        },
        Metric(
            "repurchase", .ratio, "How many of a cohort of buyers bought again, by age.",
            formula:
                "customers whose first paid transaction is of the period with a later one in the calendar's period of the age ÷ customers whose first paid transaction is of the period",
            ages: .calendar
        ) { subject, tally in
            guard subject.isCustomer else { return }
            let times = subject.payments.filter { $0.isKept(subject.rules) }.map(\.at).sorted()
            guard let first = times.first, let bucket = tally.bucket(first), bucket >= 0 else {
                return
            }
            tally.add(1, .denominator, in: bucket)
            subject.addComingBack(
                at: Array(times.dropFirst()), since: first, in: bucket, .calendar, &tally)
        },
        Metric(
            "ltv", .moneyAverage, "What a customer of a cohort has brought in by an age.",
            formula:
                "net revenue of the customers first seen in the period up to the end of the day that lies the age after the first ÷ new_customers",
            ages: .life
        ) { subject, tally in
            guard let (first, bucket) = subject.firstSight(tally), bucket >= 0 else { return }
            tally.add(1, .denominator, in: bucket)
            let ends = (0...subject.rules.ageMax).map {
                tally.buckets.endOfLife($0, after: first, subject.rules)
            }
            for payment in subject.payments {
                payment.net(subject.rules) { at, amount in
                    for age in ends.sortedPrefixCount(where: { $0 <= at })..<ends.count {
                        tally.add(money: amount, in: bucket, age: age, of: payment.shown)
                    }
                }
            }
        },
        Metric(
            "subscription_retention", .ratio,
            "How many of a cohort of subscriptions were paid again, by how often.",
            formula:
                "subscriptions first paid in the period that were paid without a break so many times more ÷ those that could have been by their period's length",
            ages: .renewals
        ) { subject, tally in
            for stretch in subject.paidStretches() { subject.addRenewals(of: stretch, &tally) }
        },
    ]
}

extension MetricSubject {
    /// Counts the ages at which one of some times lies.
    fileprivate func addComingBack(
        at times: [Int64], since first: Int64, in bucket: Int,
        _ retention: MetricRules.Retention, _ tally: inout MetricTally
    ) {
        let (buckets, unit) = (tally.buckets, rules.unit(tally.buckets))
        guard let last = times.max() else { return }
        for age in 0...rules.ageMax {
            let range = buckets.window(age, unit, after: first, retention, in: zone)
            guard range.lowerBound <= last else { return }
            if times.contains(where: range.contains) { tally.add(1, in: bucket, age: age) }
        }
    }

    /// Counts how often a subscription was paid again without a break, of how often it could have been by now.
    ///
    /// Only a lineage's first paid time is of a cohort. What was paid up front at an introductory price is before it,
    /// and a payment that went back is none: with it the subscription has ended.
    fileprivate func addRenewals(of stretch: PaidStretch, _ tally: inout MetricTally) {
        forEachRenewal(of: stretch, tally.buckets) { bucket, age, due, isPaid in
            guard due <= at else {
                // Time will tell.
                tally.add(1, .open, in: bucket, age: age)
                return
            }
            tally.count(isPaid, in: bucket, age: age)
        }
    }

    /// For every age when a renewal was or will be due, and whether it was paid; after the first that lies ahead no
    /// later one is known.
    func forEachRenewal(
        of stretch: PaidStretch, _ buckets: MetricBuckets,
        _ body: (_ bucket: Int, _ age: Int, _ due: Int64, _ isPaid: Bool) -> Void
    ) {
        let paid = stretch.spans.filter { span in
            !span.isFree && !transactions[span.payment].fact.isIntroductory
        }
        guard let first = paid.first, first.isOwn, isFirstPaid(stretch),
            let bucket = buckets.index(of: first.start), bucket >= 0,
            let length = transactions[paid[paid.count - 1].payment].servedLength
        else { return }
        let kept = paid.prefix { !isGivenBack(transactions[$0.payment]) }.count
        var due = first.start
        for age in 0...rules.ageMax {
            if age < paid.count { due = paid[age].start }
            body(bucket, age, due, age < kept)
            guard due <= at else { continue }
            due = age < paid.count ? paid[age].naturalEnd : length.following(due)
        }
    }

    private func isGivenBack(_ payment: MetricPayment) -> Bool {
        guard rules.refunds != .ignore, let refund = payment.refund else { return false }
        return refund.amount >= payment.amount
    }

    /// Whether a paid time is the first of its lineage; introductory prices are before the first payment.
    private func isFirstPaid(_ stretch: PaidStretch) -> Bool {
        !spans.contains {
            $0.lineage == stretch.lineage && !$0.isFree && !$0.isVoid
                && !transactions[$0.payment].fact.isIntroductory
                && $0.start < stretch.range.lowerBound
        }
    }
}

extension TransactionFact {
    /// Whether it was taken at an introductory offer, free or not.
    fileprivate var isIntroductory: Bool { offerType == 1 }
}
