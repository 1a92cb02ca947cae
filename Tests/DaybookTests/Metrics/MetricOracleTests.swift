import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// The same numbers by loops over the events as they were told: without a fold, a period or a zone of the ledger.
@Suite("Metrics: against a naive count")
struct MetricOracleTests {
    private typealias Bench = MetricBench

    /// The firsts of January to June 2026 and of July, UTC.
    private static let months: [Int64] = [0, 31, 59, 90, 120, 151, 181].map {
        Bench.january + $0 * Bench.day
    }

    private struct Period {
        var lineage: String
        var isMonthly: Bool
        var isTrial: Bool
        var price: Int64
        var start: Int64
        var end: Int64
        var refundedAt: Int64?
    }

    /// What the drafts of a history say, transaction by transaction.
    private struct Naive {
        var periods: [String: Period] = [:]
        /// By lineage: when charging failed, and until when grace lasts.
        var graces: [String: [(at: Int64, until: Int64)]] = [:]
        var firstSeen: [String: Int64] = [:]
        var launches: [(subject: String, at: Int64)] = []

        init(_ drafts: [EventDraft]) {
            for draft in drafts {
                let id = draft.data["transaction_id"]?.text ?? ""
                let lineage = draft.data["original_transaction_id"]?.text ?? ""
                switch draft.type.rawValue {
                case "subscription.started", "subscription.renewed":
                    periods[id] = Period(
                        lineage: lineage,
                        isMonthly: draft.data["product"]?.text?.hasSuffix("monthly") == true,
                        isTrial: draft.data["offer"] != nil,
                        price: draft.data["price_milli"]?.integer ?? 0,
                        start: draft.data["starts_at"]?.integer ?? 0,
                        end: draft.data["expires_at"]?.integer ?? 0)
                case "subscription.billing_failed":
                    let until = draft.data["grace_expires_at"]?.integer ?? 0
                    graces[lineage, default: []].append((draft.occurredAt ?? 0, until))
                case "app.launched":
                    launches.append((draft.subject ?? "", draft.occurredAt ?? 0))
                default: break
                }
                if let subject = draft.subject {
                    firstSeen[subject] = min(
                        firstSeen[subject] ?? .max, draft.occurredAt ?? 0)
                }
            }
            for draft in drafts where draft.type.rawValue == "purchase.refunded" {
                let id = draft.data["transaction_id"]?.text ?? ""
                periods[id]?.refundedAt = draft.data["revoked_at"]?.integer
            }
        }

        /// Paid periods that serve at a time, grace included.
        func serving(at instant: Int64) -> [Period] {
            periods.values.filter { period in
                guard !period.isTrial, period.start <= instant else { return false }
                if let refundedAt = period.refundedAt, refundedAt <= instant,
                    refundedAt < period.end
                {
                    return false
                }
                if instant < period.end { return true }
                if let refundedAt = period.refundedAt, refundedAt < period.end { return false }
                let next =
                    periods.values.filter {
                        $0.lineage == period.lineage && $0.start >= period.end
                    }.map(\.start).min() ?? .max
                // A charge that succeeded ends what was said about the one that failed.
                return (graces[period.lineage] ?? []).contains {
                    $0.at == period.end && instant < min($0.until, next)
                }
            }
        }
    }

    @Test("Revenue, recurring revenue, subscriptions and customers are what plain loops count")
    func oracle() async throws {
        for seed in UInt64(101)...112 {
            let history = MetricLawTests.history(seed)
            let naive = Naive(history)
            let bench = try await Bench("nuzzle", now: Self.months[6])
            try await bench.record(history)
            let names = [
                "gross_revenue", "refunds", "mrr", "active_subscriptions", "new_customers",
                "active_customers",
            ]
            var request = MetricsRequest(names)
            request.from = Self.months[0]
            request.until = Self.months[6]
            let report = try bench.ledger.metrics(request)
            func found(_ name: String, _ month: Int) -> (Int64, Int64) {
                let value = report.series.first { $0.metric.name == name }?.values.first {
                    $0.bucket == month && ($0.group == "USD" || $0.group.isEmpty)
                }
                return (value?.numerator ?? 0, value?.denominator ?? 1)
            }
            for month in 0..<6 {
                let range = Self.months[month]..<Self.months[month + 1]
                let paid = naive.periods.values.filter { !$0.isTrial }
                let gross = paid.filter { range.contains($0.start) }.reduce(0) { $0 + $1.price }
                #expect(found("gross_revenue", month) == (gross, 1), "seed \(seed) \(month)")
                let back = paid.filter { $0.refundedAt.map(range.contains) ?? false }
                    .reduce(0) { $0 + $1.price }
                #expect(found("refunds", month) == (back, 1), "seed \(seed) \(month)")
                let serving = naive.serving(at: range.upperBound - 1)
                #expect(
                    found("active_subscriptions", month) == (Int64(serving.count), 1),
                    "seed \(seed) \(month)")
                let twelfths = serving.reduce(0) { $0 + $1.price * ($1.isMonthly ? 12 : 1) }
                let mrr = found("mrr", month)
                #expect(mrr.0 * 12 == twelfths * mrr.1, "seed \(seed) \(month)")
                let new = naive.firstSeen.values.count { range.contains($0) }
                #expect(found("new_customers", month) == (Int64(new), 1), "seed \(seed) \(month)")
                let active = Set(naive.launches.filter { range.contains($0.at) }.map(\.subject))
                #expect(
                    found("active_customers", month) == (Int64(active.count), 1),
                    "seed \(seed) \(month)")
            }
        }
    }
}
