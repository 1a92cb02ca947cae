import DaybookEvents

extension Metric {
    /// What customers do in the app, and how purchases go (docs/metrics.md#use).
    static let use: [Metric] = [
        Metric(
            "purchase_completion_rate", .ratio, "How many purchases that were begun went through.",
            formula:
                "checkout attempts that were completed within 7 days ÷ attempts that were started in the period",
            maturity: .after(7 * .day)
        ) { subject, tally in
            for attempt in subject.checkouts
            where attempt.startedAt != nil && subject.counts(attempt.product) {
                let bucket = tally.bucket(attempt.startedAt ?? 0)
                tally.count(attempt.isCompletedInTime, in: bucket)
            }
        },
        Metric(
            "storekit_success", .ratio, "How many purchases that were not cancelled were verified.",
            formula:
                "completed checkout attempts with a verified transaction of the product within 7 days, each transaction once ÷ attempts that were completed or failed in the period",
            maturity: .after(7 * .day)
        ) { subject, tally in
            var open = subject.payments.filter { $0.fact.reasonRank.isNone || $0.fact.isPurchase }
            for attempt in subject.checkouts {
                guard let at = attempt.endedAt, subject.counts(attempt.product) else { continue }
                let range = at.addingSaturated(-7 * .day)...at.addingSaturated(7 * .day)
                let fitting = open.indices.filter { index in
                    attempt.completedAt != nil && range.contains(open[index].at)
                        && [0, open[index].fact.product].contains(attempt.product)
                }
                // The nearest in time: another one may belong to another attempt.
                let verified = fitting.min {
                    (open[$0].at - at).magnitude < (open[$1].at - at).magnitude
                }
                if let verified { open.remove(at: verified) }
                tally.count(verified != nil, in: tally.bucket(at))
            }
        },
        Metric(
            "onboarding_completion", .ratio, "How many finished onboarding.",
            formula:
                "customers who completed onboarding within 7 days ÷ customers who first started it in the period and did not skip it",
            maturity: .after(7 * .day)
        ) { subject, tally in
            guard let start = subject.first(.onboardingStarted) else { return }
            let end = start.addingSaturated(7 * .day)
            if subject.first(.onboardingSkipped, from: start, until: end) != nil { return }
            let isDone = subject.first(.onboardingCompleted, from: start, until: end) != nil
            tally.count(isDone, in: tally.bucket(start))
        },
        afterOnboarding(
            "onboarding_to_subscription",
            "How many began a subscription or a trial after onboarding.",
            formula:
                "customers whose first subscription began within 30 days ÷ customers who first started onboarding in the period"
        ) { _ in true },
        afterOnboarding(
            "onboarding_to_paid", "How many paid for a subscription after onboarding.",
            formula:
                "customers who first paid for a subscription within 30 days ÷ customers who first started onboarding in the period"
        ) { !$0.isFree },
        Metric(
            "feature_adoption", .ratio, "How many of those who may use it use a locked feature.",
            formula:
                "customers of the period whose purchase or trial opens a locked feature, with feature.used of one that it opens ÷ all of them"
        ) { subject, tally in
            subject.forEachOpenFeature(tally.buckets) { bucket, open, used in
                tally.count(!used.isDisjoint(with: open), in: bucket)
            }
        },
        Metric(
            "feature_adoption_by_feature", .ratio, "The same of each feature.",
            formula:
                "customers of the period whose purchase or trial opens the feature, with feature.used of it ÷ all of them",
            by: "feature"
        ) { subject, tally in
            subject.forEachOpenFeature(tally.buckets) { bucket, open, used in
                for feature in open {
                    tally.count(used.contains(feature), in: bucket, of: feature)
                }
            }
        },
        Metric(
            "uses", .count, "What was used of each meter.",
            formula:
                "sum of the uses of counters in the period, covered ones too, reversed ones not",
            by: "meter"
        ) { subject, tally in
            for use in subject.uses {
                tally.add(use.amount, in: tally.bucket(use.at), of: use.meter)
            }
        },
        Metric(
            "uses_per_active_customer", .average, "What an active customer used of each meter.",
            formula: "uses ÷ active_customers", by: "meter"
        ) { subject, tally in
            for use in subject.uses {
                tally.add(use.amount, in: tally.bucket(use.at), of: use.meter)
            }
            for bucket in subject.activeBuckets(tally.buckets) {
                tally.add(1, .denominator, in: bucket)
            }
        },
        Metric(
            "limit_reached", .count, "Customers who used up a meter.",
            formula: "customers with limit.reached in the period", by: "meter"
        ) { subject, tally in
            var seen: Set<[String]> = []
            for event in subject.events where event.type == .limitReached {
                guard let bucket = tally.bucket(event.occurredAt) else { continue }
                let meter = subject.names[event.meter]
                if seen.insert([meter, String(bucket)]).inserted {
                    tally.add(1, in: bucket, of: meter)
                }
            }
        },
        Metric(
            "nps", .ratio, "Net promoter score.",
            formula: "(answers of 9 and 10 - answers of 0 to 6) ÷ answers of 0 to 10",
            by: "survey"
        ) { subject, tally in
            for event in subject.events where event.type == .surveyAnswered {
                guard (0...10).contains(event.amount) else { continue }
                let survey = subject.names[event.nameA]
                let bucket = tally.bucket(event.occurredAt)
                tally.add(1, .denominator, in: bucket, of: survey)
                tally.add(
                    event.amount >= 9 ? 1 : event.amount <= 6 ? -1 : 0, in: bucket, of: survey)
            }
        },
        Metric(
            "free_period_conversion", .ratio,
            "How many profiles were paid for after their free period.",
            formula:
                "profiles whose free period began in the period and to which a paid purchase was assigned until now ÷ profiles whose free period began in the period",
            maturity: .never
        ) { subject, tally in
            for profile in subject.freeProfiles {
                tally.count(profile.isPaid, in: tally.bucket(profile.at))
            }
        },
    ]

    private static func afterOnboarding(
        _ name: String, _ meaning: String, formula: String,
        counts: @escaping @Sendable (SubscriptionSpan) -> Bool
    ) -> Metric {
        Metric(name, .ratio, meaning, formula: formula, maturity: .after(30 * .day)) {
            subject, tally in
            guard let start = subject.first(.onboardingStarted) else { return }
            let own = subject.spans.filter { $0.isOwn && !$0.isVoid && $0.start <= subject.at }
            let first = own.filter(counts).map(\.start).min()
            let isDone = first.map { $0 >= start && $0 <= start + 30 * .day } ?? false
            tally.count(isDone, in: tally.bucket(start))
        }
    }
}
