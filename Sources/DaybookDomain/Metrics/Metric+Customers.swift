import DaybookEvents

extension Metric {
    /// Who comes, pays and stays, by the period in which a customer was first seen (docs/metrics.md#customers).
    static let customers: [Metric] = [
        Metric(
            "new_customers", .count, "Customers who were seen for the first time.",
            formula: "customers first seen in the period"
        ) { subject, tally in
            tally.add(1, in: subject.firstSight(tally)?.bucket)
        },
        Metric(
            "paying_customers", .count, "Customers who paid.",
            formula: "customers with a paid transaction in the period"
        ) { subject, tally in
            guard subject.isCustomer else { return }
            for bucket in subject.payingBuckets(tally) { tally.add(1, in: bucket) }
        },
        conversion(
            "conversion_to_paying", "How many of the new customers have ever paid.",
            formula:
                "customers first seen in the period with a paid transaction until now ÷ new_customers",
            days: nil
        ) { $0.isKept($1) },
        conversion(
            "conversion_to_paying_30d", "How many of the new customers paid within 30 days.",
            formula:
                "customers first seen in the period with a paid transaction within 30 days ÷ new_customers",
            days: 30
        ) { $0.isKept($1) },
        conversion(
            "initial_conversion_7d", "How many of the new customers bought or tried within 7 days.",
            formula:
                "customers first seen in the period with any transaction, trials too, within 7 days ÷ new_customers",
            days: 7
        ) { _, _ in true },
        Metric(
            "active_customers", .count, "Customers who used the app.",
            formula: "customers with app.launched in the period (DAU, WAU, MAU by the resolution)"
        ) { subject, tally in
            for bucket in subject.activeBuckets(tally.buckets) { tally.add(1, in: bucket) }
        },
        Metric(
            "mau_growth", .ratio, "How much active customers grew, by month with that resolution.",
            formula:
                "(active_customers - those of the period before) ÷ those of the period before"
        ) { subject, tally in
            for bucket in subject.activeBuckets(tally.buckets) {
                if bucket >= 0 { tally.add(1, in: bucket) }
                guard bucket + 1 < tally.buckets.count,
                    tally.buckets[bucket + 1].lowerBound <= subject.at
                else { continue }
                tally.add(1, .denominator, in: bucket + 1)
                tally.add(-1, in: bucket + 1)
            }
        },
        retention("d1_retention", day: 1), retention("d7_retention", day: 7),
        retention("d30_retention", day: 30),
    ]

    /// - Parameter days: Until the end of this day after the one on which the customer was first seen; `nil`: without
    ///   an end.
    private static func conversion(
        _ name: String, _ meaning: String, formula: String, days: Int?,
        counts: @escaping @Sendable (MetricPayment, MetricRules) -> Bool
    ) -> Metric {
        Metric(
            name, .ratio, meaning, formula: formula,
            maturity: days.map { .after(Int64($0 + 1) * .day) } ?? .never
        ) { subject, tally in
            guard let first = subject.firstSeenAt, subject.isCustomer else { return }
            let end =
                days.map { tally.buckets.day($0 + 1, after: first).lowerBound } ?? Int64.max
            let hasDone = subject.payments.contains { counts($0, subject.rules) && $0.at < end }
            tally.count(hasDone, in: tally.bucket(first))
        }
    }

    private static func retention(_ name: String, day: Int) -> Metric {
        Metric(
            name, .ratio,
            "How many of the new customers used the app on day \(day) after the first.",
            formula:
                "customers first seen in the period with app.launched on the calendar day \(day) days later (or as --retention says) ÷ new_customers",
            maturity: .after(Int64(day + 1) * .day)
        ) { subject, tally in
            guard let (first, bucket) = subject.firstSight(tally) else { return }
            let range = tally.buckets.window(
                day, .day, after: first, subject.rules.retention, in: subject.zone)
            let isBack = subject.events.contains {
                subject.isActivity($0) && range.contains($0.occurredAt)
            }
            tally.count(isBack, in: bucket)
        }
    }
}

extension MetricSubject {
    /// When the customer was first seen, and in which bucket; `nil`: in none, or it is no customer.
    func firstSight(_ tally: MetricTally) -> (at: Int64, bucket: Int)? {
        guard let firstSeenAt, isCustomer else { return nil }
        return tally.bucket(firstSeenAt).map { (firstSeenAt, $0) }
    }

    /// The buckets in which the customer used the app, the one before the first among them.
    func activeBuckets(_ buckets: MetricBuckets) -> Set<Int> {
        Set(
            events.filter(isActivity).compactMap {
                buckets.index(of: $0.occurredAt)
            })
    }
}
