import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Metrics: what always holds")
struct MetricLawTests {
    private typealias Bench = MetricBench

    private static func bytes(_ report: MetricsReport) -> [UInt8] {
        var object = JSONObject()
        for series in report.series {
            object[series.metric.name] = .string("\(series.values)")
        }
        return object.canonicalBytes
    }

    @Test("The movements of recurring revenue add up to its change, to the last digit")
    func movements() async throws {
        for seed in UInt64(1)...6 {
            for refunds in MetricRules.Refunds.allCases {
                let bench = try await Bench("nuzzle", now: Bench.may + 200 * Bench.day)
                try await bench.record(SubscriptionHistory.drafts(seed))
                let report = try bench.report(
                    "mrr", "mrr_new", "mrr_reactivation", "mrr_expansion", "mrr_contraction",
                    "mrr_churn"
                ) { $0.rules.refunds = refunds }
                func twelfths(_ name: String, _ bucket: Int) -> Int64 {
                    let series = report.series.first { $0.metric.name == name }
                    let value = series?.values.first { $0.bucket == bucket }
                    return (value?.numerator ?? 0) * 12 / (value?.denominator ?? 1)
                }
                var before: Int64 = 0
                for bucket in report.periods.indices {
                    let after = twelfths("mrr", bucket)
                    let change =
                        twelfths("mrr_new", bucket) + twelfths("mrr_reactivation", bucket)
                        + twelfths("mrr_expansion", bucket) - twelfths("mrr_contraction", bucket)
                        - twelfths("mrr_churn", bucket)
                    #expect(after == before + change, "seed \(seed), \(refunds), \(bucket)")
                    before = after
                }
                #expect(report.series[0].values.contains { $0.numerator > 0 })
            }
        }
    }

    @Test("Trials that converted, wait and were given up are all trials; net is gross less refunds")
    func sums() async throws {
        for seed in UInt64(11)...16 {
            let bench = try await Bench("nuzzle", now: Bench.may)
            try await bench.record(SubscriptionHistory.drafts(seed))
            for period in ["2026-01", "2026-02"] {
                let trials = try [
                    "trials", "trials_converted", "trials_pending", "trials_abandoned",
                ].map { try bench.micros($0, period) ?? 0 }
                #expect(trials[0] == trials[1] + trials[2] + trials[3], "seed \(seed)")
                let money = try ["gross_revenue", "refunds", "net_revenue"].map {
                    try bench.micros($0, period, of: "USD") ?? 0
                }
                #expect(money[0] - money[1] == money[2], "seed \(seed)")
            }
        }
    }

    @Test("The order of arrival, and what comes twice, change no value")
    func order() async throws {
        for seed in UInt64(21)...24 {
            let history = SubscriptionHistory.drafts(seed)
            var random = SplitMix64(seed: seed)
            let one = try await Bench("nuzzle", now: Bench.may)
            try await one.record(history)
            let other = try await Bench("nuzzle", now: Bench.may)
            var shuffled = (history + history.prefix(20)).shuffled(using: &random)
            while !shuffled.isEmpty {
                try await other.record(Array(shuffled.prefix(7)))
                shuffled.removeFirst(min(7, shuffled.count))
            }
            #expect(
                try Self.bytes(one.report()) == Self.bytes(other.report()), "seed \(seed)")
        }
    }

    @Test("What was known at a time has the same values whatever comes later")
    func knowledge() async throws {
        let bench = try await Bench("nuzzle", now: Bench.april)
        try await bench.record(SubscriptionHistory.drafts(31))
        let position = try bench.ledger.head().position
        let known = Moment(knownAt: .position(position))
        let before = try bench.report { $0.moment = known }
        bench.fixture.clock.now = Bench.may
        try await bench.record([
            LineageFixture("s1", product: "com.nestling.pro.monthly", subject: "c1").refunded(
                "s1", at: Bench.january + 3 * Bench.day)
        ])
        try await bench.record(
            SubscriptionHistory.drafts(32).map { draft in
                var draft = draft
                draft.source.key = "later-\(draft.source.key ?? "")"
                draft.data["original_transaction_id"] = draft.data["original_transaction_id"].map {
                    .string("later-\($0.text ?? "")")
                }
                draft.data["transaction_id"] = draft.data["transaction_id"].map {
                    .string("later-\($0.text ?? "")")
                }
                return draft
            })
        try await bench.fixture.perform(.alias(to: "c2"))
        let after = try bench.report { $0.moment = known }
        #expect(Self.bytes(before) == Self.bytes(after))
        #expect(before.asOf.at == after.asOf.at && !after.asOf.isOpen)
        #expect(try Self.bytes(bench.report()) != Self.bytes(before))
    }

    @Test("Two ids of one person are one customer")
    func persons() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record(Bench.seen(2, at: Bench.january))
        #expect(try bench.micros("new_customers", "2026-01") == 2_000_000)
        var fixture = bench.fixture
        fixture.subject = "c0"
        try await fixture.perform(.alias(to: "c1"))
        #expect(try bench.micros("new_customers", "2026-01") == 1_000_000)
        #expect(try bench.micros("active_customers", "2026-01") == 1_000_000)
    }
}
