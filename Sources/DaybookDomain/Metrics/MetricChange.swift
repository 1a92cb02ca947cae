import DaybookEvents

/// By how much the two sides of a value are changed. Where a metric is told by group, the sides of the group without a
/// name are those of all groups.
public struct MetricChange: Sendable, Equatable {
    /// So many parts of one.
    public struct Side: Sendable, Equatable {
        /// How many of the parts; may be negative.
        public var number: Int128
        /// At least 1.
        public var parts: Int128
    }

    /// Name of the metric, such as `net_revenue`.
    public var metric: String
    /// Place of the bucket.
    public var bucket: Int
    /// Currency, feature, meter or the like; empty where the metric has one value a bucket.
    public var group: String
    /// Of a cohort; `nil` where the metric has no ages, and for what is of all ages.
    public var age: Int?
    /// Change of the numerator, before rounding; of money in thousandths of the currency.
    public var numerator: Side
    /// Change of the denominator, before rounding; of money in thousandths of the currency.
    public var denominator: Side

    /// Adds up changes of the same values, in the order of their first ones; without what comes to nothing.
    public static func sums(_ changes: [MetricChange]) -> [MetricChange] {
        struct Place: Hashable {
            let metric: String
            let bucket: Int
            let group: ExactText
            let age: Int?

            init(_ change: MetricChange) {
                metric = change.metric
                bucket = change.bucket
                group = ExactText(change.group)
                age = change.age
            }
        }
        var order: [MetricChange] = []
        var totals: [Place: Total] = [:]
        for change in changes {
            let place = Place(change)
            if totals[place] == nil { order.append(change) }
            totals[place, default: Total()].top.add(change.numerator)
            totals[place, default: Total()].bottom.add(change.denominator)
        }
        return order.compactMap { change in
            guard let total = totals[Place(change)], !total.isZero else { return nil }
            var change = change
            (change.numerator, change.denominator) = (total.top.side, total.bottom.side)
            return change
        }
    }
}

extension MetricsAnswer {
    /// Differences of sums of this answer's metrics, value by value: by metric, group, time and age.
    public func changes(_ difference: MetricSums) -> [MetricChange] {
        let totals = Total.byValue(difference)
        return metrics.indices.flatMap { index in
            (totals[index] ?? [:]).sorted { precedesInBytes($0.key, $1.key) }.flatMap { group in
                group.value.sorted { $0.key < $1.key }.compactMap { slot, total in
                    // The bucket before the first has no value of its own.
                    guard slot.bucket >= 0, !total.isZero else { return nil }
                    return MetricChange(
                        metric: metrics[index].name, bucket: slot.bucket, group: group.key,
                        age: slot.age < 0 ? nil : slot.age,
                        numerator: total.top.side, denominator: total.bottom.side)
                }
            }
        }
    }
}

extension ExactSum {
    fileprivate mutating func add(_ side: MetricChange.Side) {
        add(side.number, over: side.parts)
    }

    var side: MetricChange.Side {
        let common = ExactSum.divisor(numerator, denominator)
        return MetricChange.Side(number: numerator / common, parts: denominator / common)
    }
}
