public import DaybookDomain

/// What became of the customers who saw each variant of an experiment.
///
/// A customer is of the variant that was seen first, and counts from then on. The first variant is the one that the
/// others are compared with.
public struct ExperimentReport: Sendable, Equatable {
    /// What was counted of the customers of one variant.
    public struct Variant: Sendable, Equatable {
        /// The variant's name, as the catalog or the exposures have it.
        public var name: String
        /// Customers who later saw another variant; they stay with this one.
        public var crossovers: Int
        /// The numerator of the metric over these customers.
        public var numerator: Int64
        /// Customers who count; 0: there is no value.
        public var denominator: Int64
        /// In millionths; `nil`: no customer counts.
        public var micros: Int64?
        /// Whether time alone changes it no more.
        public var isComplete: Bool

        /// The interval in which the true share lies, 19 times of 20; `nil`: no customer counts.
        public var interval: WilsonInterval? {
            WilsonInterval(successes: numerator, of: denominator)
        }
    }

    /// The experiment's name.
    public var experiment: String
    /// The metric: a ratio without groups and ages.
    public var metric: Metric
    /// Those of the newest catalog in its order, then others that were seen, by the bytes of their names.
    public var variants: [Variant]
    /// When they saw it first, half-open.
    public var range: Range<Int64>
    /// IANA name of the zone by which days begin.
    public var zone: String
    /// The cut that the report was made from.
    public var asOf: AsOf

    /// By how much a variant's share is above the first one's, as a part of that one's, in millionths; `nil`: one of
    /// them has no value, or the first one's is 0.
    public func liftMicros(of variant: Variant) -> Int64? {
        guard let first = variants.first, first.denominator > 0, variant.denominator > 0,
            first.numerator > 0
        else { return nil }
        let (own, base) = (
            Int128(variant.numerator) * Int128(first.denominator),
            Int128(first.numerator) * Int128(variant.denominator)
        )
        return Int64(exactly: (own - base) * 1_000_000 / base)
    }

    /// How many customers each variant needs, so that a difference of `detectPermille` of the first one's share is seen
    /// in four of five experiments, with one false alarm in twenty; `nil`: the first one has no share.
    ///
    /// 2 (1.96 + 0.8416)² (1 - p) / (p d²), where p is the first one's share and d the difference as a part of it.
    public func sampleSize(detectPermille: Int64) -> Int64? {
        guard let first = variants.first, first.numerator > 0, detectPermille > 0,
            first.numerator < first.denominator
        else { return nil }
        let share = Double(first.numerator) / Double(first.denominator)
        let difference = Double(detectPermille) / 1_000
        let count = 2 * 7.848_9 * (1 - share) / (share * difference * difference)
        return count < 1e15 ? Int64(count.rounded(.up)) : nil
    }
}
