public import DaybookDomain

/// What became of a frozen report: its values then and by what is known later, and what made the difference.
public struct ReportComparison: Sendable, Equatable {
    /// What makes a value another one.
    public enum Cause: String, Sendable, CaseIterable {
        /// Something that had happened, or was told, only after the report.
        case lateArrival = "late_arrival"
        /// Money that went back, or was taken again after that.
        case refund
        /// Two ids that are one person, or are not.
        case alias
        /// A purchase that went to another customer.
        case transfer
        /// An event that was voided or amended.
        case correction
        /// A catalog that was published or brought back.
        case catalog
        /// What currencies were worth.
        case rates
    }

    /// A value that is not what it was.
    public struct Difference: Sendable, Equatable {
        /// The metric that the value is of.
        public var metric: Metric
        /// The name of the value's period, such as `2026-03`.
        public var period: String
        /// Currency, feature or meter; empty where the metric has one value a period.
        public var group: String
        /// Of a cohort; `nil` where the metric has no ages.
        public var age: Int?
        /// As it was frozen; `nil`: there was none.
        public var frozen: MetricSeries.Value?
        /// Of the same state of knowledge, by this version of Daybook.
        public var recomputed: MetricSeries.Value?
        /// Of what is known now, by this version.
        public var current: MetricSeries.Value?

        /// Whether this version computes something else of what was known then.
        public var isOfEngine: Bool { frozen != recomputed }
    }

    /// What one cause changed for one customer.
    public struct Contribution: Sendable, Equatable {
        /// `nil`: a purchase that belongs to no customer.
        public var subject: String?
        /// What made the difference.
        public var cause: Cause
        /// Of the events that did it, ascending.
        public var positions: [Int64]
        /// Value by value; never empty.
        public var changes: [MetricChange]
    }

    /// The report with its document.
    public var report: FrozenReport
    /// Whether it was frozen in this history: not before an export that was imported here, nor in a past that a restore
    /// gave up.
    public var isOfThisHistory: Bool
    /// The values by this version and what is known now; its periods are those of the frozen one.
    public var current: MetricsReport
    /// By metric, group and period.
    public var differences: [Difference]
    /// By customer and cause. For every value they add up to the difference between `recomputed` and `current`.
    public var contributions: [Contribution]
    /// What they leave unexplained: empty, else Daybook has a fault.
    public var unexplained: [MetricChange]

    /// Whether every value is what it was.
    public var isSame: Bool { differences.isEmpty }

    /// What each cause changed for all customers, without what comes to nothing; in the order of `Cause`.
    public var sumsByCause: [(cause: Cause, changes: [MetricChange])] {
        Cause.allCases.compactMap { cause in
            let changes = contributions.filter { $0.cause == cause }.flatMap(\.changes)
            let sums = MetricChange.sums(changes)
            return sums.isEmpty ? nil : (cause, sums)
        }
    }
}
