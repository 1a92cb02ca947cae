import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Who is behind a number: parts that add up to it.
@Suite("Metrics: who is behind a value")
struct ContributionTests {
    private typealias Bench = MetricBench

    @Test("A purchase, one given back, and one in another currency")
    func revenue() async throws {
        let bench = try await Bench("dozzi")
        let given = LineageFixture("back", product: "com.dozzi.unlimited_stories", subject: "c2")
        try await bench.record(
            Bench.seen(4, at: Bench.january)
                + [
                    Bench.bought(
                        "com.dozzi.unlimited_stories", by: "c0", at: Bench.january + 1_000,
                        milli: 2_990),
                    Bench.bought(
                        "com.dozzi.unlimited_stories", by: "c1", at: Bench.january + 2_000,
                        milli: 4_990),
                    Bench.bought(
                        "com.dozzi.unlimited_stories", by: "c3", at: Bench.january + 2_000,
                        milli: 3_990, currency: "EUR"),
                    given.event(
                        .purchaseCompleted, at: Bench.january + 3_000,
                        [
                            "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                            "transaction_id": "back", "price_milli": 1_990, "currency": "USD",
                        ]),
                    given.refunded("back", at: Bench.january + Bench.day),
                ])
        var request = MetricsRequest(["net_revenue"])
        request.from = Bench.january
        var asked = ContributionsRequest(request)
        asked.period = "2026-01"
        asked.group = "USD"
        let found = try bench.ledger.contributions(asked)
        #expect(found.value.numerator == 7_980 && found.count == 3)
        #expect(found.rows.map(\.name) == ["c1", "c0", "c2"])
        #expect(found.rows.map { found.micros($0, \.numerator) } == [4_990_000, 2_990_000, 0])
        #expect(!found.rows.contains { !$0.isCustomer })
        #expect(
            found.csv
                == "customer,lineage,numerator,denominator\nc1,,4.990000,0.000000\nc0,,2.990000,0.000000\nc2,,0.000000,0.000000\n"
        )
        asked.limit = 1
        let first = try bench.ledger.contributions(asked)
        #expect(first.rows.map(\.name) == ["c1"] && first.count == 3)
        asked.group = "EUR"
        #expect(try bench.ledger.contributions(asked).rows.map(\.name) == ["c3"])
        // A quarter is no month of the answer; alone it is a period of its own.
        asked.metrics.from = nil
        asked.period = "2026-Q1"
        #expect(throws: LedgerError.self) { try bench.ledger.contributions(asked) }
        #expect(try bench.ledger.contributions(asked.aboutPeriod).value.numerator == 3_990)
    }

    @Test("A purchase that no customer owns is told by its lineage")
    func ownerless() async throws {
        let bench = try await Bench("dozzi")
        let lineage = LineageFixture("lost", product: "com.dozzi.unlimited_stories", subject: nil)
        try await bench.record([
            lineage.event(
                .purchaseCompleted, at: Bench.january,
                [
                    "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                    "transaction_id": "lost", "price_milli": 2_990, "currency": "USD",
                ])
        ])
        var request = MetricsRequest(["gross_revenue"])
        request.from = Bench.january
        var asked = ContributionsRequest(request)
        asked.period = "2026-01"
        let found = try bench.ledger.contributions(asked)
        #expect(found.rows.count == 1 && !found.rows[0].isCustomer)
        #expect(found.csv.contains("\n,\(found.rows[0].name),2.990000,"))
    }

    @Test("What is no value is told, with the values that there are")
    func refusals() async throws {
        let bench = try await Bench("dozzi")
        try await bench.record(
            [("c0", "USD"), ("c1", "EUR")].map {
                Bench.bought(
                    "com.dozzi.unlimited_stories", by: $0.0, at: Bench.january, milli: 2_990,
                    currency: $0.1)
            })
        func problem(
            _ metric: String, _ change: (inout ContributionsRequest) -> Void
        ) -> InputProblem? {
            var metrics = MetricsRequest(metric.split(separator: ",").map(String.init))
            metrics.from = Bench.january
            var asked = ContributionsRequest(metrics)
            asked.period = "2026-01"
            change(&asked)
            let error = #expect(throws: LedgerError.self) {
                try bench.ledger.contributions(asked)
            }
            return error?.problems.first
        }
        let period = problem("net_revenue") { $0.period = "2025-01" }
        #expect(period?.code == "bad_period" && period?.reason.contains("2026-01 to") == true)
        let group = problem("net_revenue") { _ in }
        #expect(group?.code == "bad_group" && group?.reason.contains("EUR, USD") == true)
        #expect(problem("new_customers") { $0.group = "USD" }?.code == "bad_group")
        let age = problem("retention") { _ in }
        #expect(age?.code == "bad_age" && age?.reason.contains("0 to") == true)
        #expect(problem("net_revenue,mrr") { _ in }?.code == "bad_range")
        #expect(problem("nothing") { _ in }?.code == "unknown_name")
    }

    // MARK: Synthetic months

    private static func ledger(_ app: String) async throws -> Ledger {
        let clock = FixtureClock(0)
        let ledger = try Ledger(inMemory: app, clock: { clock.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        clock.now = SyntheticMonth.end + 30 * LedgerFixture.day
        let month = SyntheticMonth(catalog: try Fixtures.catalog(app), seed: 20_260_301)
        try await ledger.record(month.deliveries, options: ReportOptions(isAsRecorded: true))
        return ledger
    }

    @Test("The parts of every metric add up to both sides of its value", arguments: Fixtures.apps)
    func sums(_ app: String) async throws {
        let ledger = try await Self.ledger(app)
        var request = MetricsRequest()
        request.from = SyntheticMonth.start
        request.until = SyntheticMonth.end
        request.resolution = .week
        request.rules.ageMax = 3
        request.moment = Moment(
            at: SyntheticMonth.end, knownAt: .position(try ledger.head().position))
        // Each metric with one app: a look at all customers for each value takes its time.
        let place = try #require(Fixtures.apps.firstIndex(of: app))
        request.metrics = Metric.all.enumerated().filter {
            $0.offset % Fixtures.apps.count == place
        }
        .map(\.element.name)
        let report = try ledger.metrics(request)
        var count = 0
        for series in report.series {
            // The largest value has the most parts.
            let values = series.values.filter { $0.numerator != 0 || $0.denominator > 1 }
                .sorted { $0.numerator.magnitude > $1.numerator.magnitude }.prefix(1)
            for value in values {
                var own = request
                own.metrics = [series.metric.name]
                var asked = ContributionsRequest(own)
                asked.period = report.periods[value.bucket].name
                asked.group = value.group
                asked.age = value.age
                let found = try ledger.contributions(asked)
                #expect(found.value == value)
                try Self.expectSum(found, "\(series.metric.name) \(value)")
                count += 1
            }
        }
        #expect(count > 6, "\(count)")
    }

    /// A sum of fractions, added up one after the other.
    private struct Fraction {
        var above: Int128 = 0
        var below: Int128 = 1

        static func sum(_ sides: [MetricChange.Side]) -> Fraction {
            var sum = Fraction()
            for side in sides {
                sum.above = sum.above * side.parts + side.number * sum.below
                sum.below *= side.parts
                var (larger, smaller) = (sum.above.magnitude, sum.below.magnitude)
                while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
                sum.above /= Int128(max(1, larger))
                sum.below /= Int128(max(1, larger))
            }
            return sum
        }
    }

    private static func expectSum(_ found: Contributions, _ place: String) throws {
        let top = Fraction.sum(found.rows.map(\.part.numerator))
        let bottom = Fraction.sum(found.rows.map(\.part.denominator))
        let value = found.value
        switch found.metric.shape {
        case .count, .money:
            #expect(
                top.above * Int128(value.denominator) == Int128(value.numerator) * top.below,
                "\(place)")
        case .ratio, .average, .moneyAverage:
            #expect(
                top.above * bottom.below * Int128(value.denominator)
                    == Int128(value.numerator) * top.below * bottom.above, "\(place)")
            #expect((bottom.above > 0) == (value.denominator > 0), "\(place)")
        }
        #expect(found.rows.count == found.count && found.count > 0, "\(place)")
        #expect(Set(found.rows.map(\.name)).count == found.count, "\(place)")
    }

    @Test("As many customers as a step of a funnel counts, and those who went no further")
    func funnels() async throws {
        var count = 0
        for app in ["dozzi", "ollie"] {
            let ledger = try await Self.ledger(app)
            for funnel in try Fixtures.catalog(app).funnels.prefix(1) {
                let report = try ledger.funnel(FunnelRequest(funnel.name))
                for (index, step) in report.steps.enumerated() {
                    var asked = FunnelStepRequest(FunnelRequest(funnel.name), step: step.name)
                    let all = try ledger.customers(at: asked)
                    #expect(all.count == step.count && all.rows.count == step.count)
                    guard report.order != .anyOrder else { continue }
                    asked.isStopped = true
                    let stopped = try ledger.customers(at: asked)
                    let next = index + 1 < report.steps.count ? report.steps[index + 1].count : 0
                    #expect(stopped.count == step.count - next)
                    let further = Set(all.rows.filter { $0.nextCount > 0 }.map(\.name))
                    #expect(further.isDisjoint(with: stopped.rows.map(\.name)))
                    asked.limit = 2
                    let few = try ledger.customers(at: asked)
                    #expect(few.rows == Array(stopped.rows.prefix(2)) && few.count == stopped.count)
                    count += stopped.count
                }
            }
        }
        #expect(count > 20, "\(count)")
        let bench = try await Bench("dozzi")
        let error = #expect(throws: LedgerError.self) {
            try bench.ledger.customers(
                at: FunnelStepRequest("paywall_to_purchase", step: "nothing"))
        }
        #expect(error?.problems.first?.reason.contains("paywallShown") == true)
    }
}
