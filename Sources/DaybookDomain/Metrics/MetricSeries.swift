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
        /// Of a cohort; `nil` where the metric has no ages.
        public var age: Int?
        /// The dividend; rounded where money was converted, and held at the limits of the type.
        public var numerator: Int64
        /// 0: there is no value.
        public var denominator: Int64
        /// Whether time alone changes it no more.
        public var isComplete: Bool
        /// In millionths, of money of the currency itself; rounded once, half to even. `nil`: there is no value, or
        /// it does not fit.
        public var micros: Int64?

        /// Makes a value of its parts; `micros` is not computed from the others.
        public init(
            bucket: Int, range: Range<Int64>, group: String, age: Int?, numerator: Int64,
            denominator: Int64, isComplete: Bool, micros: Int64?
        ) {
            self.bucket = bucket
            self.range = range
            self.group = group
            self.age = age
            self.numerator = numerator
            self.denominator = denominator
            self.isComplete = isComplete
            self.micros = micros
        }
    }

    /// The metric whose values these are.
    public var metric: Metric
    /// By group, then by time, then by age.
    public var values: [Value]

    /// Makes a series; nothing is checked or sorted.
    public init(metric: Metric, values: [Value]) {
        self.metric = metric
        self.values = values
    }
}

/// Several metrics over one set of buckets: one pass over the subjects evaluates all of them.
public struct MetricsAnswer: Sendable {
    /// In the order in which series are given.
    public let metrics: [Metric]
    /// What the values are computed for.
    public let buckets: MetricBuckets
    /// What was contributed until now.
    public private(set) var sums = MetricSums()

    /// Makes an answer without contributions.
    public init(_ metrics: [Metric], _ buckets: MetricBuckets) {
        self.metrics = metrics
        self.buckets = buckets
    }

    /// Adds what one subject contributes to each metric; a subject that is added twice counts twice.
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

    /// Adds what was contributed to another answer of the same question.
    public mutating func add(_ other: MetricsAnswer) { sums.add(other.sums) }

    /// Adds what was contributed to an answer of the same question elsewhere.
    package mutating func add(_ other: MetricSums) { sums.add(other) }

    /// Takes back what was contributed to it.
    /// - Returns: `false` where not all of it was; the answer is of no use then.
    public mutating func remove(_ other: MetricsAnswer) -> Bool { sums.remove(other.sums) }

    /// - Parameter instant: The time of the question.
    public func series(
        at instant: Int64, _ rules: MetricRules = MetricRules()
    ) -> [MetricSeries] {
        let totals = Total.byValue(sums)
        return metrics.indices.map { index in
            series(metrics[index], totals[index] ?? [:], at: instant, rules)
        }
    }

    private func series(
        _ metric: Metric, _ totals: [String: [Slot: Total]], at instant: Int64,
        _ rules: MetricRules
    ) -> MetricSeries {
        var groups = metric.groups == nil ? [""] : totals.keys.filter { !$0.isEmpty }
        groups.sort(by: precedesInBytes)
        let ages: [Int?] = metric.ages == nil ? [nil] : Array(0...rules.ageMax)
        var values: [MetricSeries.Value] = []
        for group in groups {
            for bucket in 0..<buckets.count {
                for age in ages {
                    let total = total(totals, group, bucket, age)
                    let value = value(metric, bucket, group, age, total, at: instant, rules)
                    if let value { values.append(value) }
                }
            }
        }
        return MetricSeries(metric: metric, values: values)
    }

    /// Where values are told apart, a denominator of all of them stands without a group, and without an age.
    private func total(
        _ totals: [String: [Slot: Total]], _ group: String, _ bucket: Int, _ age: Int?
    ) -> Total {
        let own = Slot(bucket: bucket, age: age ?? -1)
        var total = totals[group]?[own] ?? Total()
        let whole = Slot(bucket: bucket, age: -1)
        for (group, slot) in [(group, whole), ("", own), ("", whole)]
        where total.bottom == ExactSum() {
            total.bottom = totals[group]?[slot]?.bottom ?? ExactSum()
        }
        return total
    }

    /// - Returns: `nil` for an age to which no customer has come.
    private func value(
        _ metric: Metric, _ bucket: Int, _ group: String, _ age: Int?, _ total: Total,
        at instant: Int64, _ rules: MetricRules
    ) -> MetricSeries.Value? {
        var isOver = true
        if let age, let ages = metric.ages {
            let isAhead =
                ages.window == nil
                ? total.bottom == ExactSum()
                : ages.isAhead(age, buckets[bucket], at: instant, buckets, rules)
            if isAhead { return nil }
            isOver = ages.isOver(age, buckets[bucket], at: instant, buckets, rules)
        }
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
        var shown = (numerator, denominator)
        if rules.currency != nil, metric.groups == "currency" {
            // Rates have many decimals; the value itself is made of all of them.
            // A part of a thousandth is still something to divide by.
            let whole = bottom.numerator == 0 ? 0 : max(1, bottom.rounded)
            shown = (top.rounded, metric.shape == .money ? 1 : whole)
        }
        return MetricSeries.Value(
            bucket: bucket, range: buckets[bucket], group: group, age: age,
            numerator: Int64(clamping: shown.0), denominator: Int64(clamping: shown.1),
            isComplete: isOver && metric.isMature(buckets[bucket], at: instant, rules)
                && total.openCount == 0,
            micros: isTooLarge
                ? nil : numerator.micros(over: denominator, isMoney: metric.shape.isMoney))
    }
}

/// The place of a value among those of a metric and group.
struct Slot: Hashable, Comparable {
    var bucket: Int
    /// -1: of all ages.
    var age: Int

    static func < (left: Slot, right: Slot) -> Bool {
        (left.bucket, left.age) < (right.bucket, right.age)
    }
}

/// Both sides of a value.
struct Total {
    var top = ExactSum()
    var bottom = ExactSum()
    var openCount: Int128 = 0

    /// Whether it changes nothing that is told.
    var isZero: Bool { top.numerator == 0 && bottom.numerator == 0 }

    /// By metric, group, bucket and age.
    static func byValue(_ sums: MetricSums) -> [Int: [String: [Slot: Total]]] {
        var totals: [Int: [String: [Slot: Total]]] = [:]
        for (cell, sum) in sums.cells {
            totals[cell.metric, default: [:]][cell.group, default: [:]][
                Slot(bucket: cell.bucket, age: cell.age), default: Total()
            ].add(sum.value, cell)
        }
        return totals
    }

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
