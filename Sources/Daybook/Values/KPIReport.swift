public import DaybookDomain

/// The targets of a catalog beside what was reached in one period.
public struct KPIReport: Sendable, Equatable {
    /// One target beside one value; a metric with groups has a row for each.
    public struct Row: Sendable, Equatable {
        /// The target as the newest catalog has it.
        public var target: KPITarget
        /// Currency, feature or meter; empty where the metric has one value.
        public var group: String
        /// `nil`: nothing was measured, or the number came from elsewhere (`kpi.recorded`) and `micros` alone has it.
        public var numerator: Int64?
        /// 0: there is no value; `nil` where the numerator is.
        public var denominator: Int64?
        /// In millionths; `nil`: there is no value.
        public var micros: Int64?
        /// `nil`: there is no value to compare.
        public var isMet: Bool?
        /// Whether time alone changes the value no more.
        public var isComplete: Bool
        /// The values of the periods up to this one, oldest first, in millionths; `nil` where there was none.
        public var trend: [Int64?]
    }

    /// In the order of the catalog's targets, each with its groups.
    public var rows: [Row]
    /// The period that the values are of.
    public var period: MetricsReport.Period
    /// IANA name of the zone by which days begin.
    public var zone: String
    /// The cut that the values were made from.
    public var asOf: AsOf
    /// Where money is shown in one currency: by which rates.
    public var rates: RatesKnown?
}

extension KPITarget {
    /// Whether a value meets the target, bounds included.
    /// - Parameter micros: In millionths.
    public func isMet(by micros: Int64) -> Bool {
        let target = targetMilli.multipliedReportingOverflow(by: 1_000).partialValue
        let upper = upperMilli?.multipliedReportingOverflow(by: 1_000).partialValue
        return switch comparison {
        case .atLeast: micros >= target
        case .atMost: micros <= target
        case .between: micros >= target && micros <= upper ?? target
        }
    }
}
