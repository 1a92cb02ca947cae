extension Metric {
    /// What subscriptions are worth in a month, and how that moved (docs/metrics.md#recurring).
    static let recurring: [Metric] = [
        worth(
            "mrr", "What the paid subscriptions at the end of a period are worth in a month.",
            formula:
                "sum of price × quantity × monthly factor over the paid subscriptions of the last moment; grace counts, trials and lifetime do not",
            months: 1),
        worth("arr", "The same for a year.", formula: "mrr × 12", months: 12),
        movement(
            "mrr_new", "Recurring revenue of customers who had none ever before.",
            formula: "mrr at the end of customers without a paid subscription before the period"
        ) { $0 == .new ? 1 : 0 },
        movement(
            "mrr_reactivation", "Recurring revenue of customers who came back.",
            formula: "mrr at the end of customers who had none at the beginning and some before"
        ) { $0 == .reactivation ? 1 : 0 },
        movement(
            "mrr_expansion", "What customers pay more than at the beginning of the period.",
            formula: "sum of the rises of mrr of customers who had some at both ends"
        ) { $0 == .expansion ? 1 : 0 },
        movement(
            "mrr_contraction", "What customers pay less than at the beginning of the period.",
            formula:
                "sum of the falls of mrr of customers who had some at both ends, as a positive number"
        ) { $0 == .contraction ? -1 : 0 },
        movement(
            "mrr_churn", "Recurring revenue that ended.",
            formula:
                "mrr at the beginning of customers who had none at the end, as a positive number; mrr(end) = mrr(beginning) + new + reactivation + expansion - contraction - churn"
        ) { $0 == .churn ? -1 : 0 },
        Metric(
            "mrr_growth", .ratio, "How much recurring revenue grew.",
            formula: "(mrr - mrr of the period before) ÷ mrr of the period before", by: "currency"
        ) { subject, tally in
            subject.forEachMove(tally.buckets) { bucket, _, currency, start, end in
                for amount in start {
                    tally.add(amount, .denominator, in: bucket, of: currency)
                    tally.add(amount.times(-1), in: bucket, of: currency)
                }
                for amount in end { tally.add(amount, in: bucket, of: currency) }
            }
        },
    ]

    private static func worth(
        _ name: String, _ meaning: String, formula: String, months: Int64
    ) -> Metric {
        Metric(name, .money, meaning, formula: formula) { subject, tally in
            subject.forEachEnd(tally.buckets) { bucket, instant in
                for (currency, amounts) in subject.recurring(at: instant) {
                    for amount in amounts {
                        tally.add(amount.times(months), in: bucket, of: currency)
                    }
                }
            }
        }
    }

    private static func movement(
        _ name: String, _ meaning: String, formula: String,
        sign: @escaping @Sendable (RecurringMove) -> Int64
    ) -> Metric {
        Metric(name, .money, meaning, formula: formula) { subject, tally in
            subject.forEachMove(tally.buckets) { bucket, move, currency, start, end in
                let sign = sign(move)
                guard sign != 0 else { return }
                for amount in end { tally.add(amount.times(sign), in: bucket, of: currency) }
                for amount in start { tally.add(amount.times(-sign), in: bucket, of: currency) }
            }
        }
    }
}

/// How the recurring revenue of one customer in one currency moved in a period.
private enum RecurringMove { case new, reactivation, expansion, contraction, churn }

extension MetricSubject {
    /// The last moment of each bucket, as far as time has gone; of one that lies ahead there is none.
    func forEachEnd(
        from first: Int = 0, _ buckets: MetricBuckets, _ body: (_ bucket: Int, _ at: Int64) -> Void
    ) {
        guard !spans.isEmpty else { return }
        for bucket in first..<buckets.count where buckets[bucket].lowerBound <= at {
            body(bucket, min(buckets[bucket].upperBound - 1, at))
        }
    }

    /// What changed between the last moments of two neighbouring buckets, in each currency.
    fileprivate func forEachMove(
        _ buckets: MetricBuckets,
        _ body: (Int, RecurringMove, String, _ start: [ExactAmount], _ end: [ExactAmount]) -> Void
    ) {
        var start: [String: [ExactAmount]] = [:]
        forEachEnd(from: -1, buckets) { bucket, instant in
            let end = recurring(at: instant)
            defer { start = end }
            guard bucket >= 0, !start.isEmpty || !end.isEmpty else { return }
            for currency in Set(start.keys).union(end.keys) {
                let (before, after) = (start[currency] ?? [], end[currency] ?? [])
                let move: RecurringMove
                if start.isEmpty {
                    let isNew = !spans.contains {
                        $0.isOwn && !$0.isFree && !$0.isVoid
                            && transactions[$0.payment].amount > 0
                            && $0.start < buckets[bucket].lowerBound
                    }
                    move = isNew ? .new : .reactivation
                } else if end.isEmpty {
                    move = .churn
                } else {
                    move = Self.isLess(before, than: after) ? .expansion : .contraction
                }
                body(bucket, move, currency, before, after)
            }
        }
    }

    private static func isLess(_ left: [ExactAmount], than right: [ExactAmount]) -> Bool {
        ExactSum(left).isLess(than: ExactSum(right))
    }
}
