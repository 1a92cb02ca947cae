extension Metric {
    /// What customers paid and got back (docs/metrics.md#revenue).
    static let revenue: [Metric] = [
        Metric(
            "gross_revenue", .money, "What was paid, refunds not taken off.",
            formula:
                "sum of price × quantity of the paid transactions that were bought in the period"
        ) { subject, tally in
            for payment in subject.payments where payment.isPaid {
                tally.add(money: payment.amount, in: tally.bucket(payment.at), of: payment.shown)
            }
        },
        Metric(
            "refunds", .money, "What was given back.",
            formula:
                "sum of the refunded part of each payment, on the day of the refund; with --refunds retroactive on that of the payment"
        ) { subject, tally in
            for payment in subject.payments where payment.isPaid {
                guard let refund = payment.refund, subject.rules.refunds != .ignore else {
                    continue
                }
                let at = subject.rules.refunds == .retroactive ? payment.at : refund.at
                tally.add(money: refund.amount, in: tally.bucket(at), of: payment.shown)
            }
        },
        Metric(
            "net_revenue", .money, "What was paid and not given back.",
            formula: "gross_revenue - refunds; may be negative"
        ) { subject, tally in subject.addNet(to: &tally) },
        Metric(
            "proceeds", .money, "An estimate of what is left after the store's commission.",
            formula: "net_revenue × (1 - commission), taxes not taken off"
        ) { subject, tally in
            let kept = 100_000 - subject.rules.commissionMilli
            subject.addNet(to: &tally, times: Share(numerator: kept, denominator: 100_000))
        },
        Metric(
            "refund_rate", .ratio, "How many of the payments of a period went back, whenever.",
            formula:
                "paid transactions of the period that were refunded, in part or in full ÷ paid transactions of the period",
            maturity: .never
        ) { subject, tally in
            for payment in subject.payments where payment.isPaid {
                tally.count(payment.refund != nil, in: tally.bucket(payment.at))
            }
        },
        Metric(
            "refund_rate_by_date", .ratio, "How many refunds there were for each payment.",
            formula:
                "paid transactions that were refunded in the period, in part or in full ÷ paid transactions of the period"
        ) { subject, tally in
            for payment in subject.payments where payment.isPaid {
                tally.add(1, .denominator, in: tally.bucket(payment.at))
                if let refund = payment.refund { tally.add(1, in: tally.bucket(refund.at)) }
            }
        },
        Metric(
            "refunded_share", .ratio, "How much of the money of a period went back, whenever.",
            formula:
                "refunded parts of the paid transactions of the period ÷ gross_revenue",
            by: "currency", maturity: .never
        ) { subject, tally in
            for payment in subject.payments where payment.isPaid {
                let bucket = tally.bucket(payment.at)
                tally.add(money: payment.amount, .denominator, in: bucket, of: payment.shown)
                tally.add(money: payment.refund?.amount ?? 0, in: bucket, of: payment.shown)
            }
        },
        Metric(
            "arpu", .moneyAverage, "What an active customer brought in.",
            formula: "net revenue of customers ÷ active_customers"
        ) { subject, tally in
            guard subject.isCustomer else { return }
            subject.addNet(to: &tally)
            for bucket in subject.activeBuckets(tally.buckets) {
                tally.add(1, .denominator, in: bucket)
            }
        },
        Metric(
            "arppu", .moneyAverage, "What a paying customer brought in.",
            formula: "net revenue of customers ÷ paying_customers"
        ) { subject, tally in
            guard subject.isCustomer else { return }
            subject.addNet(to: &tally)
            for bucket in subject.payingBuckets(tally) { tally.add(1, .denominator, in: bucket) }
        },
        Metric(
            "realized_ltv_per_customer", .moneyAverage,
            "What the customers of a period have brought in so far (average revenue per download).",
            formula:
                "net revenue up to now of the customers first seen in the period ÷ their number",
            maturity: .never
        ) { subject, tally in
            guard let bucket = subject.firstSight(tally)?.bucket else { return }
            tally.add(1, .denominator, in: bucket)
            for payment in subject.payments {
                payment.net(subject.rules) { at, amount in
                    if at <= subject.at { tally.add(money: amount, in: bucket, of: payment.shown) }
                }
            }
        },
    ]
}

extension MetricSubject {
    fileprivate func addNet(to tally: inout MetricTally, times share: Share = .one) {
        for payment in payments {
            payment.net(rules) { at, amount in
                guard at <= self.at else { return }
                tally.add(money: amount, times: share, in: tally.bucket(at), of: payment.shown)
            }
        }
    }

    func payingBuckets(_ tally: MetricTally) -> Set<Int> {
        Set(payments.filter { $0.isKept(rules) }.compactMap { tally.bucket($0.at) })
    }
}
