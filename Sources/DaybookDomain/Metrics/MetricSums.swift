import DaybookEvents

/// Sums of what subjects contributed to metrics; sums of parts add up to the sum of the whole, in any order.
public struct MetricSums: Sendable, Equatable {
    /// Which side of the fraction a number is on.
    enum Part: UInt8 {
        case numerator, denominator
        /// How many contributions of the bucket may still change by time alone.
        case open
    }

    struct Cell: Hashable, Sendable {
        /// Place of the metric in the question.
        var metric: Int
        /// Of the buckets; -1 is the one before the first.
        var bucket: Int
        /// Of a metric with ages how long after the beginning; -1: of all ages.
        var age: Int
        var part: UInt8
        /// The number is so many parts of one.
        var divisor: Int128
        /// Currency, feature or meter; empty where the metric has one value a bucket.
        var group: String
    }

    /// Contributions that are not 0, added up. Those that cancel out are told as 0, which is not the same as none.
    struct Sum: Sendable, Equatable {
        var value: Int128 = 0
        var count = 0

        /// Of 2^50 contributions of 2^60 each, more than any ledger has.
        var isPlausible: Bool {
            (1...1 << 50).contains(count) && value.magnitude < UInt128(1) << 110
        }
    }

    private(set) var cells: [Cell: Sum] = [:]

    /// Makes sums without contributions.
    public init() {}

    /// Of 2^63 contributions of 2^63 each the sum still fits.
    mutating func add(_ value: Int128, to cell: Cell) {
        guard value != 0 else { return }
        cells[cell, default: Sum()].value += value
        cells[cell, default: Sum()].count += 1
    }

    /// Takes a sum that was written down.
    /// - Returns: `false` where there is one already.
    mutating func insert(_ sum: Sum, at cell: Cell) -> Bool {
        guard cells[cell] == nil else { return false }
        cells[cell] = sum
        return true
    }

    /// Adds what was summed elsewhere.
    public mutating func add(_ other: MetricSums) {
        for (cell, sum) in other.cells {
            cells[cell, default: Sum()].value += sum.value
            cells[cell, default: Sum()].count += sum.count
        }
    }

    /// Whether no number is beyond what there can be: parts that anyone may have written must not overflow.
    package var isPlausible: Bool { cells.allSatisfy { $0.value.isPlausible } }

    /// Takes back what was added: what is left is as if it had never been.
    /// - Returns: `false` where not all of it was added; the sums are of no use then.
    public mutating func remove(_ other: MetricSums) -> Bool {
        for (cell, sum) in other.cells {
            var rest = cells[cell] ?? Sum()
            rest.value -= sum.value
            rest.count -= sum.count
            guard rest.count > 0 || rest == Sum() else { return false }
            cells[cell] = rest.count == 0 ? nil : rest
        }
        return true
    }

    /// By how much sums grew; without the numbers that stayed.
    public static func - (left: MetricSums, right: MetricSums) -> MetricSums {
        var difference = MetricSums()
        for (cell, sum) in left.cells {
            difference.add(sum.value - (right.cells[cell]?.value ?? 0), to: cell)
        }
        for (cell, sum) in right.cells where left.cells[cell] == nil {
            difference.add(-sum.value, to: cell)
        }
        return difference
    }

    /// Whether no number but 0 is among them.
    public var isZero: Bool { cells.allSatisfy { $0.value.value == 0 } }

    /// How many numbers there are.
    public var count: Int { cells.count }
}

/// Where the contributions of one subject to one metric go.
struct MetricTally {
    let buckets: MetricBuckets
    var metric: Int
    var sums: MetricSums

    mutating func add(
        _ value: Int64, _ part: MetricSums.Part = .numerator, over divisor: Int64 = 1,
        in bucket: Int?, age: Int = -1, of group: String = ""
    ) {
        guard let bucket else { return }
        sums.add(
            Int128(value),
            to: .init(
                metric: metric, bucket: bucket, age: age, part: part.rawValue,
                divisor: Int128(divisor), group: group))
    }

    /// Counts one more, and whether it is so.
    mutating func count(
        _ isSo: Bool, in bucket: Int?, age: Int = -1, of group: String = ""
    ) {
        add(1, .denominator, in: bucket, age: age, of: group)
        if isSo { add(1, in: bucket, age: age, of: group) }
    }

    mutating func add(
        _ share: Share, _ part: MetricSums.Part = .numerator, in bucket: Int?, of group: String
    ) {
        add(share.numerator, part, over: share.denominator, in: bucket, of: group)
    }

    /// Adds money in the currency in which it is shown.
    mutating func add(
        _ amount: ExactAmount, _ part: MetricSums.Part = .numerator, in bucket: Int?,
        age: Int = -1, of currency: String
    ) {
        guard let bucket else { return }
        sums.add(
            amount.numerator,
            to: .init(
                metric: metric, bucket: bucket, age: age, part: part.rawValue,
                divisor: amount.denominator, group: currency))
    }

    /// - Parameter amount: Thousandths of a currency, before it is shown in another one.
    mutating func add(
        money amount: Int64, _ part: MetricSums.Part = .numerator, times share: Share = .one,
        in bucket: Int?, age: Int = -1, of currency: ShownCurrency
    ) {
        add(
            ExactAmount(amount, times: share, in: currency), part, in: bucket, age: age,
            of: currency.name)
    }

    /// Which bucket an instant is in.
    func bucket(_ instant: Int64) -> Int? { buckets.index(of: instant) }
}
