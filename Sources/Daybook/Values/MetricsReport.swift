public import DaybookDomain
public import DaybookEvents

/// What to compute metrics of.
public struct MetricsRequest: Sendable, Equatable {
    /// Names of metrics; empty: all.
    public var metrics: [String] = []
    /// A period of the calendar, in the place of `from` and `until`.
    public var period: CalendarPeriod?
    /// Milliseconds since 1970 UTC; `nil`: the beginning of the period that is eleven before that of the end.
    public var from: Int64?
    /// Exclusive; `nil`: the time of the question.
    public var until: Int64?
    /// `nil`: that of the period, else months.
    public var resolution: MetricBuckets.Resolution?
    /// IANA zone at whose midnight days begin; `nil`: that of the catalog.
    public var zone: String?
    /// The environment whose customers are counted.
    public var environment = Environment.production
    /// How refunds, retention, prices and cohorts are counted, and of which customers.
    public var rules = MetricRules()
    /// Without a time of its own the question is asked as of what was known: then the same question has the same
    /// answer for ever.
    public var moment = Moment.now

    /// Asks about metrics by name; the names are checked when the question is answered.
    public init(_ metrics: [String] = []) { self.metrics = metrics }

    /// How long the periods are.
    public var chosenResolution: MetricBuckets.Resolution {
        resolution ?? period?.resolution ?? .month
    }
}

/// The values of metrics, and what it takes to ask for the same ones again.
public struct MetricsReport: Sendable, Equatable {
    /// A period of the answer.
    public struct Period: Sendable, Equatable {
        /// The period as the calendar calls it, such as `2026-03`.
        public var name: String
        /// Half-open, milliseconds since 1970 UTC.
        public var range: Range<Int64>
    }

    /// The question as it was asked.
    public var request: MetricsRequest
    /// One for each metric, in the order of the question; of all metrics in that of `Metric.all`.
    public var series: [MetricSeries]
    /// The periods that the values are of, such as `2026-03`, each with its range.
    public var periods: [Period]
    /// The zone by which days begin.
    public var zone: String
    /// The cut that the values were made from.
    public var asOf: AsOf
    /// Customers and lineages without an owner that were looked at.
    public var subjectCount: Int
    /// Where money is shown in one currency: by which rates.
    public var rates: RatesKnown?
}

/// The rates between a currency and others that a state of knowledge has.
public struct RatesKnown: Sendable, Equatable {
    /// The rates themselves, and the currency in which money is shown.
    public var conversion: CurrencyConversion
    /// The kinds of the sources that told them.
    public var sources: [String]
    /// How many were told, each for a day and two currencies.
    public var count: Int
    /// Of the last event that told one, of whatever currencies; `nil`: there is none.
    public var position: Int64?
}
