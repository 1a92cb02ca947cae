import DaybookEvents

/// The values of one metric.
public struct MetricSeries: Sendable, Equatable {
    /// One value: `numerator` ÷ `denominator`, of money in thousandths of the currency.
    public struct Value: Sendable, Equatable {
        /// Place of the bucket.
        public var bucket: Int
        /// Of the bucket, half-open.
        public var range: Range<Int64>
        /// Currency, feature or meter; empty where the metric has one value a bucket.
        public var group: String
        public var numerator: Int64
        /// 0: there is no value.
        public var denominator: Int64
        /// Whether time alone changes it no more.
        public var isComplete: Bool
        /// In millionths, of money of the currency itself; rounded once, half to even. `nil`: there is no value, or
        /// it does not fit.
        public var micros: Int64?
    }

    public var metric: Metric
    /// By group, then by time.
    public var values: [Value]

    public static func == (left: MetricSeries, right: MetricSeries) -> Bool {
        left.metric.name == right.metric.name && left.values == right.values
    }
}

/// Several metrics over one set of buckets: one pass over the subjects evaluates all of them.
public struct MetricsAnswer: Sendable {
    public let metrics: [Metric]
    public let buckets: MetricBuckets
    private var sums = MetricSums()

    public init(_ metrics: [Metric], _ buckets: MetricBuckets) {
        self.metrics = metrics
        self.buckets = buckets
    }

    public mutating func add(_ subject: MetricSubject) {
        var tally = MetricTally(buckets: buckets, metric: 0, sums: MetricSums())
        // Handed over and taken back: a second reference would cost a copy of all sums.
        swap(&tally.sums, &sums)
        for (index, metric) in metrics.enumerated() {
            tally.metric = index
            metric.contribute(subject, &tally)
        }
        swap(&tally.sums, &sums)
    }

    /// - Parameter instant: The time of the question.
    public func series(
        at instant: Int64, _ rules: MetricRules = MetricRules()
    ) -> [MetricSeries] {
        var totals: [Int: [String: [Int: Total]]] = [:]
        for (cell, value) in sums.cells {
            totals[cell.metric, default: [:]][cell.group, default: [:]][
                cell.bucket, default: Total()
            ].add(value, cell)
        }
        return metrics.indices.map { index in
            series(metrics[index], totals[index] ?? [:], at: instant, rules)
        }
    }

    private func series(
        _ metric: Metric, _ totals: [String: [Int: Total]], at instant: Int64,
        _ rules: MetricRules
    ) -> MetricSeries {
        // Where values are told apart, a denominator of all of them stands without a group.
        let shared = metric.groups == nil ? [:] : totals[""] ?? [:]
        var groups = metric.groups == nil ? [""] : totals.keys.filter { !$0.isEmpty }
        groups.sort(by: precedesInBytes)
        var values: [MetricSeries.Value] = []
        for group in groups {
            for bucket in 0..<buckets.count {
                var total = totals[group]?[bucket] ?? Total()
                if metric.groups != nil, total.bottom == ExactSum() {
                    total.bottom = shared[bucket]?.bottom ?? ExactSum()
                }
                values.append(value(metric, bucket, group, total, at: instant, rules))
            }
        }
        return MetricSeries(metric: metric, values: values)
    }

    private func value(
        _ metric: Metric, _ bucket: Int, _ group: String, _ total: Total, at instant: Int64,
        _ rules: MetricRules
    ) -> MetricSeries.Value {
        let (top, bottom) = (total.top, total.bottom)
        var numerator = top.numerator
        var denominator = top.denominator
        var isTooLarge = top.isTooLarge
        switch metric.shape {
        case .count, .money: break
        case .ratio, .average, .moneyAverage:
            // Without what both are divided by: so many of so many stay what they are.
            let common = ExactSum.divisor(top.denominator, bottom.denominator)
            let above = top.numerator.multipliedReportingOverflow(by: bottom.denominator / common)
            let below = bottom.numerator.multipliedReportingOverflow(by: top.denominator / common)
            isTooLarge = isTooLarge || bottom.isTooLarge || above.overflow || below.overflow
            (numerator, denominator) = (above.partialValue, below.partialValue)
        }
        return MetricSeries.Value(
            bucket: bucket, range: buckets[bucket], group: group,
            numerator: Int64(clamping: numerator),
            denominator: Int64(clamping: denominator),
            isComplete: metric.isMature(buckets[bucket], at: instant, rules)
                && total.openCount == 0,
            micros: isTooLarge
                ? nil : Self.micros(numerator, denominator, isMoney: metric.shape.isMoney))
    }

    /// Millionths, rounded half to even.
    private static func micros(
        _ numerator: Int128, _ denominator: Int128, isMoney: Bool
    ) -> Int64? {
        guard denominator > 0 else { return nil }
        let scaled = numerator.multipliedReportingOverflow(by: isMoney ? 1_000 : 1_000_000)
        guard !scaled.overflow else { return nil }
        let (quotient, rest) = scaled.partialValue.flooredDivision(by: denominator)
        let half = denominator - rest
        let isUp = rest > half || (rest == half && quotient % 2 != 0)
        return Int64(exactly: quotient + (isUp ? 1 : 0))
    }
}

/// Both sides of a value.
private struct Total {
    var top = ExactSum()
    var bottom = ExactSum()
    var openCount: Int128 = 0

    mutating func add(_ value: Int128, _ cell: MetricSums.Cell) {
        switch MetricSums.Part(rawValue: cell.part) {
        case .numerator: top.add(value, over: cell.divisor)
        case .denominator: bottom.add(value, over: cell.divisor)
        case .open, nil: openCount += value
        }
    }
}

extension Metric.Shape {
    /// Whether values are amounts of a currency.
    public var isMoney: Bool { self == .money || self == .moneyAverage }
}
