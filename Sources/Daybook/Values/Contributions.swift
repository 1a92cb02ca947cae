public import DaybookDomain

/// Whose part in one value of a metric is asked for.
public struct ContributionsRequest: Sendable, Equatable {
    /// The question that the value is of; it names one metric.
    public var metrics: MetricsRequest
    /// The name of the value's period in the answer, such as `2026-03`; `nil`: the last one.
    public var period: String?
    /// Currency, feature or meter; empty where the metric has one value a period, or only one was counted.
    public var group = ""
    /// Of a cohort; `nil` where the metric has no ages.
    public var age: Int?
    /// How many are told, those with the largest part; `nil`: all.
    public var limit: Int?

    /// Asks about the last period, without a group or an age, and for all rows.
    public init(_ metrics: MetricsRequest) { self.metrics = metrics }

    /// The same, about the period alone where the question names no time of its own: one that is long past is none of
    /// the last twelve.
    package var aboutPeriod: ContributionsRequest {
        guard metrics.period == nil, metrics.from == nil, metrics.until == nil,
            metrics.resolution == nil, let period = period.flatMap(CalendarPeriod.init)
        else { return self }
        var request = self
        request.metrics.period = period
        return request
    }
}

/// Who is behind a value of a metric, and with how much.
public struct Contributions: Sendable, Equatable {
    /// One customer, or one purchase without an owner, with its part.
    public struct Row: Sendable, Equatable {
        /// The customer's id; of a purchase without an owner its lineage.
        public var name: String
        /// Whether `name` is a customer's id; `false`: a lineage's.
        public var isCustomer: Bool
        /// What it adds to the numerator and the denominator of the value, before rounding.
        public var part: MetricContribution
    }

    /// The metric that the value is of.
    public var metric: Metric { series.metric }
    /// The value alone.
    public var series: MetricSeries
    /// The value that the parts add up to; its `bucket` is that of the whole answer's periods.
    public var value: MetricSeries.Value
    /// The period of the value, with its name and range.
    public var period: MetricsReport.Period
    /// Those with the largest part first; of equal parts in the order of their names' bytes.
    public var rows: [Row]
    /// How many have a part in it, also those that are not told.
    public var count: Int
    /// IANA name of the zone by which days begin.
    public var zone: String
    /// The cut that value and parts were made from.
    public var asOf: AsOf
}
