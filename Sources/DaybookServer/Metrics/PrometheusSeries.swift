import CoreMetrics
import Synchronization

/// The numbers of one name with one set of labels.
final class PrometheusSeries: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String {
        case counter, gauge, histogram
    }

    private struct Values {
        var sum = 0.0
        var count: Int64 = 0
        /// Of a histogram: as many as there are bounds; each counts what is at most its bound.
        var buckets: [Int64] = []
    }

    /// Upper bounds of buckets, in seconds: from what a check takes to what a client gives up after.
    private static let secondsBounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    private let kind: Kind
    private let bounds: [Double]
    private let values: Mutex<Values>

    /// - Parameter bounds: Of a histogram's buckets; `nil`: those of times.
    init(kind: Kind, bounds: [Double]? = nil) {
        self.kind = kind
        let bounds = kind == .histogram ? bounds ?? Self.secondsBounds : []
        self.bounds = bounds
        values = Mutex(Values(buckets: [Int64](repeating: 0, count: bounds.count)))
    }

    private func observe(_ value: Double) {
        values.withLock { values in
            values.sum += value
            values.count += 1
            for index in bounds.indices where value <= bounds[index] {
                values.buckets[index] += 1
            }
        }
    }

    /// Sets a histogram to what is counted elsewhere.
    /// - Parameters:
    ///   - counts: For each bound, and for what is beyond all of them: what is in no bucket before.
    ///   - sum: Of everything that was counted.
    func set(counts: [Int64], sum: Int64) {
        var total: Int64 = 0
        let cumulated = counts.map { count in
            total += count
            return total
        }
        values.withLock { values in
            values.buckets = Array(cumulated.prefix(bounds.count))
            values.count = total
            values.sum = Double(sum)
        }
    }

    func text(_ name: String, _ labels: String) -> String {
        let values = values.withLock { $0 }
        let all = labels.isEmpty ? "" : "{\(labels)}"
        guard kind == .histogram else { return "\(name)\(all) \(Self.number(values.sum))\n" }
        let before = labels.isEmpty ? "" : "\(labels),"
        var text = ""
        for (bound, count) in zip(bounds, values.buckets) {
            text += "\(name)_bucket{\(before)le=\"\(Self.number(bound))\"} \(count)\n"
        }
        text += "\(name)_bucket{\(before)le=\"+Inf\"} \(values.count)\n"
        text += "\(name)_sum\(all) \(Self.number(values.sum))\n"
        return text + "\(name)_count\(all) \(values.count)\n"
    }

    /// Whole numbers without a fraction, which is how people read them.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    // MARK: swift-metrics

    func increment(by amount: Int64) { values.withLock { $0.sum += Double(amount) } }
    func reset() {
        values.withLock {
            $0 = Values(buckets: [Int64](repeating: 0, count: bounds.count))
        }
    }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { values.withLock { $0.sum = value } }
    func increment(by amount: Double) { values.withLock { $0.sum += amount } }
    func decrement(by amount: Double) { values.withLock { $0.sum -= amount } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { kind == .gauge ? set(value) : observe(value) }
    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
