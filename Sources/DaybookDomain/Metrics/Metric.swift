/// A metric: what each subject contributes to which bucket, and how the sum is shown.
public struct Metric: Sendable {
    /// What a value is.
    public enum Shape: String, Sendable, CaseIterable {
        /// So many.
        case count
        /// Thousandths of a currency; its values are told by currency.
        case money
        /// A part of a whole: so many of so many.
        case ratio
        /// So many for each.
        case average
        /// Thousandths of a currency for each.
        case moneyAverage = "money_average"
    }

    /// When the value of a bucket is final, as far as time goes; what is recorded late may change it all the same.
    public enum Maturity: Sendable, Equatable {
        /// With the end of the bucket.
        case atEnd
        /// So long after the end of the bucket, in milliseconds.
        case after(Int64)
        /// With the last contribution that time alone may still change.
        case whenKnown
        /// Never: it is of everything up to now.
        case never
    }

    /// As questions and targets name it: `net_revenue`.
    public let name: String
    /// What its values are.
    public let shape: Shape
    /// In words, as `daybook metrics explain` tells it.
    public let meaning: String
    /// How it is computed, in words: the definition of the metric.
    public let formula: String
    /// By what its values are told apart: `currency`, `feature` or `meter`; `nil`: one value a bucket.
    public let groups: String?
    /// When the values of a bucket are final.
    public let maturity: Maturity
    /// How the values of a period are told apart by age; `nil`: they are not.
    let ages: MetricAges?
    let contribute: @Sendable (MetricSubject, inout MetricTally) -> Void

    init(
        _ name: String, _ shape: Shape, _ meaning: String, formula: String,
        by groups: String? = nil,
        maturity: Maturity = .atEnd, ages: MetricAges? = nil,
        _ contribute: @escaping @Sendable (MetricSubject, inout MetricTally) -> Void
    ) {
        self.name = name
        self.shape = shape
        self.meaning = meaning
        self.formula = formula
        let isMoney = shape == .money || shape == .moneyAverage
        self.groups = groups ?? (isMoney ? "currency" : nil)
        self.maturity = maturity
        self.ages = ages
        self.contribute = contribute
    }

    /// All of them, in the order in which they are listed.
    public static let all: [Metric] = parts.flatMap(\.metrics)

    /// The same by what they are about.
    public static let parts: [(title: String, metrics: [Metric])] = [
        ("Revenue", revenue), ("Recurring revenue", recurring), ("Subscriptions", subscriptions),
        ("Trials", trials), ("Customers", customers), ("Cohorts", cohorts), ("Use", use),
        ("Paywalls", paywalls), ("Economics", economics),
    ]

    /// Whether each period is a cohort, with a value for every age.
    public var hasAges: Bool { ages != nil }

    /// Names of all metrics, those with ages included.
    public static let names: Set<String> = Set(all.map(\.name))

    /// Those that a target may name: with one value a period and group.
    public static let targetNames: Set<String> = Set(all.filter { !$0.hasAges }.map(\.name))

    /// The metric of a name.
    public static func named(_ name: String) -> Metric? { all.first { $0.name == name } }

    /// Whether payments or what they pay for have a part in it.
    var knowsPayments: Bool {
        let isOfUse =
            Self.use.contains { $0.name == name } || name.hasPrefix("usage_cost")
            || ["break_even_purchases", "limit_to_paywall_1d", "limit_to_return_7d"].contains(name)
            || name.hasSuffix("_before_paywall")
        let others = ["new_customers", "active_customers", "mau_growth", "trials", "active_trials"]
        let ofPaidUse = [
            "onboarding_to_subscription", "onboarding_to_paid", "free_period_conversion",
            "feature_adoption", "feature_adoption_by_feature",
        ]
        return ofPaidUse.contains(name) || !(isOfUse || others.contains(name) || isOfRetention)
    }

    /// Whether it asks who came back.
    private var isOfRetention: Bool {
        ["retention", "d1_retention", "d7_retention", "d30_retention"].contains(name)
    }

    /// Whether the value of a bucket is final, as far as time goes.
    ///
    /// Where refunds are taken back to their payment, a later one changes every value that knows of payments.
    public func isMature(
        _ bucket: Range<Int64>, at instant: Int64, _ rules: MetricRules = MetricRules()
    ) -> Bool {
        if rules.refunds == .retroactive, knowsPayments { return false }
        // On or after a day is up to now.
        if rules.retention == .onOrAfter, isOfRetention { return false }
        return switch maturity {
        case .atEnd, .whenKnown: bucket.upperBound <= instant
        case .never: false
        case .after(let wait): bucket.upperBound.addingSaturated(wait) <= instant
        }
    }
}

extension Metric: Equatable {
    /// Equal when the names are: a name stands for one metric.
    public static func == (left: Metric, right: Metric) -> Bool { left.name == right.name }
}

extension Int64 {
    static let day: Int64 = 86_400_000
}
