import DaybookEvents

extension Metric {
    /// What limits and paywalls lead to (docs/metrics.md#limits-and-paywalls).
    static let paywalls: [Metric] = [
        paywall(
            "paywall_conversion_3d", "How many bought or tried soon after they saw a paywall.",
            formula:
                "customers who first saw a paywall in this context in the period, who began a purchase, a trial too, within 3 days ÷ all of them",
            days: 3),
        paywall(
            "paywall_paid_conversion_3d", "How many of these have ever paid.",
            formula:
                "customers who first saw a paywall in this context in the period, bought or tried within 3 days and have paid until now ÷ all of them",
            days: 3, isPaidLater: true),
        Metric(
            "paywall_abandonment_3d", .ratio, "How many turned away from a paywall.",
            formula:
                "customers who first saw a paywall in this context in the period and within 3 days neither bought nor tried nor have a checkout that waits or was completed ÷ all of them",
            by: "context", maturity: .after(4 * .day)
        ) { subject, tally in
            subject.forEachFirstPaywall { at, context in
                let range = at...at.addingSaturated(3 * .day)
                let isTaken =
                    subject.hasBegun(in: range)
                    || subject.events.contains {
                        ($0.type == .checkoutCompleted || $0.type == .checkoutPending)
                            && subject.counts($0.product) && range.contains($0.occurredAt)
                    }
                tally.count(!isTaken, in: tally.bucket(at), of: context)
            }
        },
        Metric(
            "uses_before_paywall", .average,
            "What was used of each meter before the first paywall.",
            formula:
                "uses before the first paywall.shown of customers who first saw one in the period ÷ these customers",
            by: "meter"
        ) { subject, tally in
            guard let shown = subject.first(.paywallShown) else { return }
            let bucket = tally.bucket(shown)
            tally.add(1, .denominator, in: bucket)
            for use in subject.uses where use.at < shown {
                tally.add(use.amount, in: bucket, of: use.meter)
            }
        },
        Metric(
            "customers_by_uses_before_paywall", .count,
            "Customers by what they had used of each meter before the first paywall.",
            formula:
                "customers who first saw a paywall in the period, by meter and uses before it; 10 and more are one",
            by: "uses"
        ) { subject, tally in
            guard let shown = subject.first(.paywallShown), let catalog = subject.catalog else {
                return
            }
            var counts: [String: Int64] = [:]
            for use in subject.uses where use.at < shown {
                counts[use.meter, default: 0] += use.amount
            }
            for meter in catalog.meters where meter.kind == .counter {
                let count = counts[meter.name] ?? 0
                let told = count < 10 ? "\(count)" : "10+"
                tally.add(1, in: tally.bucket(shown), of: "\(meter.name): \(told)")
            }
        },
        afterLimit("limit_to_paywall_1d", "saw a paywall", days: 1) { subject, range in
            subject.events.contains {
                $0.type == .paywallShown && range.contains($0.occurredAt)
            }
        },
        afterLimit("limit_to_purchase_1d", "bought or tried", days: 1) { $0.hasBegun(in: $1) },
        afterLimit("limit_to_purchase_7d", "bought or tried", days: 7) { $0.hasBegun(in: $1) },
        afterLimit("limit_to_return_7d", "launched the app again", days: 7) { subject, range in
            subject.events.contains {
                subject.isActivity($0) && range.contains($0.occurredAt)
            }
        },
    ]

    private static func paywall(
        _ name: String, _ meaning: String, formula: String, days: Int64,
        isPaidLater: Bool = false
    ) -> Metric {
        Metric(
            name, .ratio, meaning, formula: formula, by: "context",
            maturity: isPaidLater ? .never : .after((days + 1) * .day)
        ) { subject, tally in
            subject.forEachFirstPaywall { at, context in
                let isSoon = subject.hasBegun(in: at...at.addingSaturated(days * .day))
                let isPaid =
                    !isPaidLater
                    || subject.payments.contains { $0.at >= at && $0.isKept(subject.rules) }
                tally.count(isSoon && isPaid, in: tally.bucket(at), of: context)
            }
        }
    }

    /// - Parameter has: Whether it happened in a time.
    private static func afterLimit(
        _ name: String, _ verb: String, days: Int64,
        has: @escaping @Sendable (MetricSubject, ClosedRange<Int64>) -> Bool
    ) -> Metric {
        let time = days == 1 ? "a day" : "\(days) days"
        return Metric(
            name, .ratio, "How many who used up a meter \(verb) within \(time).",
            formula:
                "customers who first reached the limit of the meter in the period and \(verb) within \(time) ÷ all of them",
            by: "meter", maturity: .after((days + 1) * .day)
        ) { subject, tally in
            for (meter, at) in subject.firstLimits {
                let range = at.addingSaturated(1)...at.addingSaturated(days * .day)
                tally.count(has(subject, range), in: tally.bucket(at), of: meter)
            }
        }
    }
}

extension MetricSubject {
    /// Whether a purchase, a trial too, was begun in a time.
    fileprivate func hasBegun(in range: ClosedRange<Int64>) -> Bool {
        payments.contains { $0.isBegun && range.contains($0.at) }
    }

    /// The first paywall of each context that the customer saw; `unknown`: without one.
    fileprivate func forEachFirstPaywall(_ body: (_ at: Int64, _ context: String) -> Void) {
        var seen: Set<NameID> = []
        for event in events where event.type == .paywallShown {
            guard seen.insert(event.nameA).inserted else { continue }
            body(event.occurredAt, event.nameA == 0 ? "unknown" : names[event.nameA])
        }
    }

    /// When the customer first reached the limit of each meter.
    fileprivate var firstLimits: [(meter: String, at: Int64)] {
        var seen: Set<NameID> = []
        return events.compactMap { event in
            guard event.type == .limitReached, seen.insert(event.meter).inserted else { return nil }
            return (names[event.meter], event.occurredAt)
        }
    }
}
