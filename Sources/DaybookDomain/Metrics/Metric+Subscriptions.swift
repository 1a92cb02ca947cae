extension Metric {
    /// How many subscriptions there are, begin and end (docs/metrics.md#subscriptions).
    static let subscriptions: [Metric] = [
        Metric(
            "active_subscriptions", .count, "Paid subscriptions at the end of a period.",
            formula:
                "paid subscriptions, grace included, of the last moment; a customer may have several"
        ) { subject, tally in
            subject.forEachEnd(tally.buckets) { bucket, instant in
                tally.add(Int64(subject.paidSpans(at: instant).count), in: bucket)
            }
        },
        Metric(
            "subscriptions_by_state", .count,
            "The same by what is to come: renewing, canceling, or with a billing problem.",
            formula:
                "active_subscriptions whose renewal is on, is off, or that are in grace; they are all of them",
            by: "state"
        ) { subject, tally in
            subject.forEachEnd(tally.buckets) { bucket, instant in
                for span in subject.paidSpans(at: instant) {
                    tally.add(1, in: bucket, of: subject.state(of: span, at: instant))
                }
            }
        },
        Metric(
            "active_subscribers", .count,
            "Customers with a paid subscription at the end of a period.",
            formula: "customers with at least one of active_subscriptions"
        ) { subject, tally in
            subject.forEachEnd(tally.buckets) { bucket, instant in
                let isPaying = subject.isCustomer && !subject.paidSpans(at: instant).isEmpty
                tally.add(isPaying ? 1 : 0, in: bucket)
            }
        },
        Metric(
            "active_trials", .count, "Free trials at the end of a period.",
            formula: "trials that run at the last moment, whether or not they will renew"
        ) { subject, tally in
            subject.forEachEnd(tally.buckets) { bucket, instant in
                let running = subject.spans.filter {
                    $0.isOwn && $0.isTrial && $0.contains(instant) && instant < $0.naturalEnd
                }
                tally.add(Int64(running.count), in: bucket)
            }
        },
        Metric(
            "new_subscriptions", .count, "Subscriptions that were paid for the first time.",
            formula: "lineages whose first paid time began in the period"
        ) { subject, tally in
            subject.forEachBeginning { at, _, former in
                if former == nil { tally.add(1, in: tally.bucket(at)) }
            }
        },
        Metric(
            "resubscribed", .count, "Subscriptions that were paid again after they had ended.",
            formula: "lineages of which a later paid time began in the period"
        ) { subject, tally in
            subject.forEachBeginning { at, _, former in
                if former != nil { tally.add(1, in: tally.bucket(at)) }
            }
        },
        Metric(
            "churned_subscriptions", .count, "Paid subscriptions that ended.",
            formula: "paid times that ended in the period, at their expiry or the end of grace"
        ) { subject, tally in
            subject.forEachChurn { end, _ in tally.add(1, in: tally.bucket(end)) }
        },
        Metric(
            "churned_by_reason", .count,
            "The same by why: voluntary, involuntary, refund, unknown.",
            formula:
                "churned_subscriptions by the store's last word on the end; without one by whether renewal was off, or charging had failed",
            by: "reason"
        ) { subject, tally in
            subject.forEachChurn { end, stretch in
                tally.add(1, in: tally.bucket(end), of: subject.reason(of: stretch))
            }
        },
        Metric(
            "churn_rate", .ratio, "How many of the subscriptions of the beginning were lost.",
            formula:
                "(paid subscriptions of the beginning that ended in the period - subscriptions from before the period that had ended and are paid again in it) ÷ paid subscriptions of the beginning; may be negative"
        ) { subject, tally in
            subject.addChurn(to: &tally)
            subject.forEachBeginning { at, end, former in
                guard let former, let bucket = tally.bucket(at) else { return }
                // What began and ended within the period is in neither part.
                let range = tally.buckets[bucket]
                if former < range.lowerBound, range.upperBound <= end {
                    tally.add(-1, in: bucket)
                }
            }
        },
        Metric(
            "gross_churn_rate", .ratio, "The same without those that came back.",
            formula:
                "paid subscriptions of the beginning that ended in the period ÷ paid subscriptions of the beginning"
        ) { subject, tally in subject.addChurn(to: &tally) },
        Metric(
            "customer_churn_rate", .ratio,
            "How many paying subscribers of the beginning were lost.",
            formula:
                "subscribers of the beginning without a paid subscription at the end ÷ subscribers of the beginning"
        ) { subject, tally in
            guard subject.isCustomer else { return }
            var wasPaying = false
            let stretches = subject.paidStretches()
            subject.forEachEnd(from: -1, tally.buckets) { bucket, instant in
                let isPaying = stretches.contains {
                    $0.range.contains(instant) && $0.isOwn(at: instant)
                }
                if bucket >= 0, wasPaying {
                    tally.count(!isPaying, in: bucket)
                }
                wasPaying = isPaying
            }
        },
    ]
}

extension MetricSubject {
    /// Every paid time that has ended.
    fileprivate func forEachChurn(_ body: (_ end: Int64, _ stretch: PaidStretch) -> Void) {
        for stretch in paidStretches() {
            let end = stretch.range.upperBound
            if end <= at, stretch.isOwn(at: end) { body(end, stretch) }
        }
    }

    /// When a lineage began to be paid, until when it goes on as far as is known, and when it had first begun before;
    /// `nil`: never.
    fileprivate func forEachBeginning(
        _ body: (_ at: Int64, _ end: Int64, _ former: Int64?) -> Void
    ) {
        var former: [Int: Int64] = [:]
        for stretch in paidStretches() {
            let start = stretch.range.lowerBound
            let end = stretch.range.upperBound
            if start <= at, stretch.isOwn(at: start) {
                // What ends after the time of the question has not ended.
                body(start, end <= at ? end : Int64.max, former[stretch.lineage])
            }
            former[stretch.lineage] = former[stretch.lineage] ?? start
        }
    }

    /// Each paid time counts in the buckets at whose beginning it ran, and as ended in the one in which it did.
    fileprivate func addChurn(to tally: inout MetricTally) {
        let stretches = paidStretches()
        for bucket in 0..<tally.buckets.count where tally.buckets[bucket].lowerBound <= at {
            let range = tally.buckets[bucket]
            for stretch in stretches
            where stretch.range.lowerBound < range.lowerBound
                && range.lowerBound <= stretch.range.upperBound
                && stretch.isOwn(at: range.lowerBound - 1)
            {
                let end = stretch.range.upperBound
                tally.count(range.contains(end) && end <= at, in: bucket)
            }
        }
    }
}
