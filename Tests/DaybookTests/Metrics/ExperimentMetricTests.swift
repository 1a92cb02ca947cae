import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Experiments and filters; the numbers are worked out by hand.
@Suite("Metrics: experiments and filters")
struct ExperimentMetricTests {
    private typealias Bench = MetricBench
    private let product = "com.dozzi.unlimited_stories"

    private func exposed(
        _ subject: String, _ variant: String, at instant: Int64,
        experiment: String = "paywall_copy"
    ) -> EventDraft {
        .reported(
            .experimentExposed, at: instant, key: "\(experiment)/\(subject)@\(instant)",
            subject: subject, ["experiment": .string(experiment), "variant": .string(variant)])
    }

    /// Ten customers of January: five of each variant. One of `control` and two of `family` buy; another one of
    /// `control` had bought before it was shown, and one sees `family` later.
    private func bench() async throws -> MetricBench {
        let bench = try await Bench("dozzi", now: Bench.may)
        var drafts = Bench.seen(10, at: Bench.january)
        for index in 0..<10 {
            drafts.append(
                exposed(
                    "c\(index)", index < 5 ? "control" : "family",
                    at: Bench.january + 2 * Bench.day))
            // Another experiment, the other way round.
            drafts.append(
                exposed(
                    "c\(index)", index < 5 ? "lower" : "regular", at: Bench.january + Bench.day,
                    experiment: "price"))
        }
        drafts.append(exposed("c1", "family", at: Bench.january + 3 * Bench.day))
        for (subject, day) in [("c0", 1), ("c1", 4), ("c5", 5), ("c6", 60)] {
            drafts.append(
                Bench.bought(
                    product, by: subject, at: Bench.january + Int64(day) * Bench.day + 1,
                    milli: 2_990))
        }
        try await bench.record(drafts)
        return bench
    }

    private func request(_ change: (inout MetricsRequest) -> Void = { _ in }) -> MetricsRequest {
        var request = MetricsRequest()
        request.period = CalendarPeriod("2026-01")
        change(&request)
        return request
    }

    @Test("Each variant has those who saw it first, from then on, with the interval of its share")
    func variants() async throws {
        let bench = try await bench()
        let report = try bench.ledger.experiment("paywall_copy", request())
        #expect(report.variants.map(\.name) == ["control", "family"])
        #expect(report.variants.map(\.numerator) == [1, 2])
        #expect(report.variants.map(\.denominator) == [5, 5])
        #expect(report.variants.map(\.crossovers) == [1, 0])
        #expect(report.variants.map(\.micros) == [200_000, 400_000])
        #expect(report.liftMicros(of: report.variants[1]) == 1_000_000)
        // Wilson's interval of 1 of 5 and 2 of 5.
        #expect(report.variants[0].interval == WilsonInterval(successes: 1, of: 5))
        #expect(report.variants[1].interval?.lowerMicros == 117_621)
        #expect(report.variants[1].interval?.upperMicros == 769_276)
        // 2 × 7.8489 × 0.8 / (0.2 × 0.1²), rounded up.
        #expect(report.sampleSize(detectPermille: 100) == 6_280)
        #expect(report.json(detectPermille: 100)["sample_reached"] == false)
        // Within 30 days one of `family` bought.
        let month = try bench.ledger.experiment(
            "paywall_copy", metric: "conversion_to_paying_30d", request())
        #expect(month.variants.map(\.numerator) == [1, 1])
        #expect(month.variants.allSatisfy { $0.isComplete })
        // No customer saw it in February, and a variant without customers is told all the same.
        let later = try bench.ledger.experiment(
            "paywall_copy", request { $0.period = CalendarPeriod("2026-02") })
        #expect(later.variants.map(\.denominator) == [0, 0])
        #expect(later.variants.allSatisfy { $0.interval == nil })
        // Customers of several experiments count in each by its own variant.
        let price = try bench.ledger.experiment("price", request())
        #expect(price.variants.map(\.name) == ["regular", "lower"])
        #expect(price.variants.map(\.numerator) == [2, 2])
    }

    @Test("What cannot be compared is told with what can")
    func refused() async throws {
        let bench = try await bench()
        func code(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch LedgerError.badInput(let problems) {
                return problems.first?.code
            } catch {
                return "\(error)"
            }
        }
        for metric in ["mrr", "retention", "feature_adoption_by_feature", "uses"] {
            let told = code { _ = try bench.ledger.experiment("price", metric: metric, request()) }
            #expect(told == "no_ratio", "\(metric)")
        }
        let told = code { _ = try bench.ledger.experiment("prise", request()) }
        #expect(told == "unknown_name")
    }

    @Test("A filter counts some customers, some products, or what came after an experiment")
    func filters() async throws {
        let bench = try await bench()
        func customers(_ change: (inout MetricFilter) -> Void) throws -> Int64? {
            try bench.value("paying_customers", "2026-01") { change(&$0.rules.filter) }?.numerator
        }
        #expect(try customers { _ in } == 3)
        #expect(try customers { $0.products = ["com.dozzi.unlimited_stories"] } == 3)
        #expect(try customers { $0.products = ["com.dozzi.other"] } == 0)
        #expect(try customers { $0.experiment = "paywall_copy" } == 2)
        #expect(
            try customers {
                $0.experiment = "paywall_copy"
                $0.variant = "control"
            } == 1)
        #expect(try customers { $0.experiment = "unseen" } == 0)
        #expect(try customers { $0.cohort = CalendarPeriod("2026-01-01") } == 3)
        #expect(try customers { $0.cohort = CalendarPeriod("2026-02") } == 0)
        #expect(try customers { $0.catalogVersion = 1 } == 3)
        #expect(try customers { $0.catalogVersion = 2 } == 0)
        // A report says what it counted, and one that was frozen asks the same again.
        var request = self.request { $0.rules.filter.cohort = CalendarPeriod("2026-01-01") }
        request.rules.filter.products = [product]
        request.rules.filter.experiment = "price"
        request.rules.filter.catalogVersion = 1
        request.metrics = ["net_revenue"]
        let frozen = try await bench.ledger.freeze(ReportFreeze("some", request))
        #expect(frozen.request?.rules == request.rules)
        #expect(try bench.ledger.comparison(of: "some").isSame)
    }

    @Test("Of a product alone a change to another one is an end, and revenue is its own")
    func products() async throws {
        let bench = try await Bench("nuzzle", now: Bench.may)
        let monthly = LineageFixture("s", product: "com.nestling.pro.monthly", subject: "a")
        var yearly = monthly
        yearly.product = "com.nestling.pro.yearly"
        try await bench.record([
            monthly.started(
                "s0", from: Bench.january, until: Bench.february, Bench.price(5_990)),
            yearly.renewed(
                "s1", from: Bench.february, until: Bench.february + 365 * Bench.day,
                Bench.price(39_990)),
        ])
        func micros(_ metric: String, _ period: String, _ products: [String]) throws -> Int64? {
            try bench.micros(metric, period, of: metric == "net_revenue" ? "USD" : "") {
                $0.rules.filter.products = products
            }
        }
        #expect(try micros("net_revenue", "2026-02", ["com.nestling.pro.yearly"]) == 39_990_000)
        #expect(try micros("net_revenue", "2026-02", ["com.nestling.pro.monthly"]) == 0)
        #expect(try micros("churned_subscriptions", "2026-02", []) == 0)
        #expect(
            try micros("churned_subscriptions", "2026-02", ["com.nestling.pro.monthly"])
                == 1_000_000)
        #expect(
            try micros("active_subscriptions", "2026-02", ["com.nestling.pro.yearly"])
                == 1_000_000)
    }
}
