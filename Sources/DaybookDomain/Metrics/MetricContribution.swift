import DaybookEvents

/// What one customer, or one lineage without an owner, adds to one value of a metric.
///
/// Sums of these are the two sides of the value, before it is rounded.
public struct MetricContribution: Sendable, Equatable {
    /// What is added to the numerator, before rounding; of money in thousandths of the currency.
    public var numerator: MetricChange.Side
    /// What is added to the denominator, before rounding; of money in thousandths of the currency.
    public var denominator: MetricChange.Side

    /// In millionths, of money of the currency itself; rounded half to even. `nil`: it does not fit.
    public func micros(_ side: KeyPath<Self, MetricChange.Side>, isMoney: Bool) -> Int64? {
        let value = self[keyPath: side]
        return value.number.micros(over: value.parts, isMoney: isMoney)
    }

    /// Whether it comes before another one in a list: the larger first, whatever their sign; `nil`: neither does.
    public func precedes(_ other: MetricContribution) -> Bool? {
        for side in [\Self.numerator, \Self.denominator] {
            let own = self[keyPath: side].magnitude
            let others = other[keyPath: side].magnitude
            if others.isLess(than: own) { return true }
            if own.isLess(than: others) { return false }
        }
        return nil
    }
}

extension MetricsAnswer {
    /// What a subject adds to a value of the only metric of this answer; what is in the answer makes no difference.
    /// - Parameters:
    ///   - group: Empty where the metric has one value a bucket.
    ///   - age: `nil` where the metric has no ages.
    /// - Returns: `nil`: nothing. What cancels out is told as 0: a purchase that was given back in the same period.
    public func contribution(
        of subject: MetricSubject, bucket: Int, group: String, age: Int?
    ) -> MetricContribution? {
        var own = MetricsAnswer(metrics, buckets)
        own.add(subject)
        var top = ExactSum()
        var bottom = ExactSum()
        var isPart = false
        for (cell, sum) in own.sums.cells where cell.metric == 0 && cell.bucket == bucket {
            let part = MetricSums.Part(rawValue: cell.part)
            switch part {
            case .numerator:
                guard haveSameBytes(cell.group, group), cell.age == age ?? -1 else { continue }
                top.add(sum.value, over: cell.divisor)
            case .denominator:
                // A denominator of all groups or ages stands without one.
                guard cell.group.isEmpty || haveSameBytes(cell.group, group),
                    cell.age < 0 || cell.age == age
                else { continue }
                bottom.add(sum.value, over: cell.divisor)
            case .open, nil: continue
            }
            isPart = true
        }
        return isPart ? MetricContribution(numerator: top.side, denominator: bottom.side) : nil
    }
}

extension MetricChange.Side {
    fileprivate var magnitude: ExactSum {
        var sum = ExactSum()
        sum.add(number < 0 ? -number : number, over: parts)
        return sum
    }
}
