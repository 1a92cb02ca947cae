import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Cohorts by age; the numbers are worked out by hand.
@Suite("Metrics: cohorts")
struct CohortTests {
    private typealias Bench = MetricBench
    private let monthly = "com.nestling.pro.monthly"

    private func launch(_ subject: String, at instant: Int64) -> EventDraft {
        .reported(.appLaunched, at: instant, key: "\(subject)@\(instant)", subject: subject)
    }

    /// `2/5` by age of a cohort, with a star where time may change it.
    private func row(
        _ bench: MetricBench, _ name: String, _ period: String,
        change: (inout MetricsRequest) -> Void = { _ in }
    ) throws -> [String] {
        let report = try bench.report(name, change: change)
        return report.series[0].values.filter { report.periods[$0.bucket].name == period }.map {
            "\($0.age ?? -1): \($0.numerator)/\($0.denominator)\($0.isComplete ? "" : "*")"
        }
    }

    @Test("Who comes back in which month, and by day: on the calendar, by hours, or from then on")
    func retention() async throws {
        let bench = try await Bench("nuzzle", now: Bench.april + 10 * Bench.day)
        let noon = Bench.january + Bench.day / 2
        try await bench.record([
            launch("a", at: noon), launch("b", at: noon), launch("c", at: Bench.february),
            // In February, and in April.
            launch("a", at: Bench.february + 1), launch("b", at: Bench.april + Bench.day),
        ])
        let months = try row(bench, "retention", "2026-01")
        #expect(months == ["0: 2/2", "1: 1/2", "2: 0/2", "3: 1/2*"])
        #expect(try row(bench, "retention", "2026-02") == ["0: 1/1", "1: 0/1", "2: 0/1*"])
        // The month that has no customers has no value, which is not 0.
        #expect(try row(bench, "retention", "2026-03").first == "0: 0/0")
        let later = try row(bench, "retention", "2026-01") { $0.rules.retention = .onOrAfter }
        #expect(later == ["0: 2/2*", "1: 2/2*", "2: 1/2*", "3: 1/2*"])

        // The last moment of the day after, and 23 hours and 59 minutes after the first sight.
        let days = try await Bench("nuzzle", now: Bench.february)
        try await days.record([
            launch("a", at: noon), launch("a", at: Bench.january + 2 * Bench.day - 1),
            launch("b", at: noon), launch("b", at: noon + Bench.day - 60_000),
        ])
        func byDay(_ mode: MetricRules.Retention) throws -> [String] {
            try row(days, "retention", "2026-01-01") {
                $0.period = CalendarPeriod("2026-01-01")
                $0.from = nil
                $0.rules.ageMax = 2
                $0.rules.retention = mode
            }
        }
        #expect(try byDay(.calendar) == ["0: 2/2", "1: 2/2", "2: 0/2"])
        #expect(try byDay(.hours24) == ["0: 2/2", "1: 1/2", "2: 0/2"])
        #expect(try byDay(.onOrAfter) == ["0: 2/2*", "1: 2/2*", "2: 0/2*"])
    }

    @Test("Day 7 has the same three ways")
    func daySeven() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            launch("a", at: Bench.january + 1_000), launch("b", at: Bench.january + 1_000),
            launch("c", at: Bench.january + 1_000),
            // The first moment of day 7, which is not yet 7 times 24 hours later; and day 9.
            launch("a", at: Bench.january + 7 * Bench.day),
            launch("b", at: Bench.january + 9 * Bench.day),
        ])
        func seven(_ mode: MetricRules.Retention) throws -> MetricSeries.Value? {
            try bench.value("d7_retention", "2026-01") { $0.rules.retention = mode }
        }
        #expect(try seven(.calendar)?.numerator == 1)
        #expect(try seven(.hours24)?.numerator == 0)
        #expect(try seven(.onOrAfter)?.numerator == 2)
        #expect(try seven(.onOrAfter)?.isComplete == false)
        #expect(try seven(.hours24)?.isComplete == true)
    }

    @Test("What a customer has brought in by an age, refunds by their date or at their payment")
    func ltv() async throws {
        let bench = try await Bench("dozzi", now: Bench.may)
        let product = "com.dozzi.unlimited_stories"
        try await bench.record(
            Bench.seen(4, at: Bench.january) + [
                Bench.bought(product, by: "c0", at: Bench.january + Bench.day / 2, milli: 2_990),
                Bench.bought(product, by: "c1", at: Bench.january + 8 * Bench.day, milli: 2_990),
                LineageFixture("once-c0", product: product, subject: "c0").refunded(
                    "once-c0", at: Bench.january + 15 * Bench.day),
            ])
        func ltv(_ refunds: MetricRules.Refunds) throws -> [String] {
            try row(bench, "ltv", "2026-01") {
                $0.rules.ageUnit = .week
                $0.rules.ageMax = 3
                $0.rules.refunds = refunds
            }
        }
        // Age 0 is the first day, age 1 ends with day 7, age 2 with day 14.
        #expect(try ltv(.atRefundDate) == ["0: 2990/4", "1: 2990/4", "2: 5980/4", "3: 2990/4"])
        #expect(try ltv(.retroactive) == ["0: 0/4*", "1: 0/4*", "2: 2990/4*", "3: 2990/4*"])
        #expect(try ltv(.ignore).last == "3: 5980/4")
    }

    @Test("Who bought again, by month")
    func repurchase() async throws {
        let bench = try await Bench("nuzzle", now: Bench.april)
        let times = [("a", 0), ("a", 20), ("a", 40), ("b", 3), ("c", 31), ("c", 60)]
        try await bench.record(
            times.enumerated().map { index, time in
                let id = "\(time.0)\(index)"
                return LineageFixture(id, product: monthly, subject: time.0).started(
                    id, from: Bench.january + Int64(time.1) * Bench.day,
                    until: Bench.january + Int64(time.1 + 30) * Bench.day, Bench.price(5_990))
            })
        // The second purchase of January is one again; the first is not.
        #expect(
            try row(bench, "repurchase", "2026-01") == ["0: 1/2", "1: 1/2", "2: 0/2", "3: 0/2*"])
        #expect(try row(bench, "repurchase", "2026-02") == ["0: 0/1", "1: 1/1", "2: 0/1*"])
    }

    @Test("A subscription is paid again as often as it could be; a refund ends it, grace waits")
    func renewals() async throws {
        let bench = try await Bench("nuzzle", now: Bench.april)
        func lineage(_ name: String) -> LineageFixture {
            LineageFixture(name, product: monthly, subject: name)
        }
        func paid(_ name: String, _ months: Int, from start: Int64 = 0) -> [EventDraft] {
            let starts = [
                Bench.january, Bench.february, Bench.march, Bench.april,
            ]
            return (0..<months).map { index in
                let (from, until) = (starts[index] + start, starts[index + 1] + start)
                let price = Bench.price(5_990)
                return index == 0
                    ? lineage(name).started("\(name)0", from: from, until: until, price)
                    : lineage(name).renewed("\(name)\(index)", from: from, until: until, price)
            }
        }
        try await bench.record(
            // Three payments; one; two of which the second went back; a trial and two payments.
            paid("a", 3) + paid("b", 1) + paid("c", 2)
                + [
                    lineage("c").refunded("c1", at: Bench.february + Bench.day),
                    lineage("d").started(
                        "d", from: Bench.january - 7 * Bench.day, until: Bench.january,
                        Bench.price(5_990, trial: true)),
                    lineage("d").renewed(
                        "d1", from: Bench.january, until: Bench.february, Bench.price(5_990)),
                    lineage("d").renewed(
                        "d2", from: Bench.february, until: Bench.march, Bench.price(5_990)),
                ])
        #expect(
            try row(bench, "subscription_retention", "2026-01") == [
                "0: 4/4", "1: 2/4", "2: 1/4", "3: 0/4",
            ])
        // On 15 March the third renewal is not due for anyone, and the second was.
        let march = try row(bench, "subscription_retention", "2026-01") {
            $0.moment = Moment(at: Bench.march + 14 * Bench.day)
        }
        #expect(march == ["0: 4/4", "1: 2/4", "2: 1/4"])
        let ignored = try row(bench, "subscription_retention", "2026-01") {
            $0.rules.refunds = .ignore
        }
        #expect(ignored == ["0: 4/4", "1: 3/4", "2: 1/4", "3: 0/4"])
    }

    @Test("Too many ages are refused")
    func bounds() async throws {
        let bench = try await Bench("nuzzle")
        for change in [
            { (request: inout MetricsRequest) in request.rules.ageMax = 401 },
            { $0.rules.ageMax = -1 },
            {
                $0.resolution = .day
                $0.rules.ageMax = 400
                $0.until = Bench.january + 200 * Bench.day
            },
        ] {
            #expect(throws: LedgerError.self) { try bench.report("retention", change: change) }
        }
        // Also of what has no ages: a report that was frozen could not be asked again.
        #expect(throws: LedgerError.self) { try bench.report("mrr") { $0.rules.ageMax = 401 } }
        // The end of the calendar is a time as any other.
        let all = try bench.report {
            $0.from = 0
            $0.until = 253_402_300_799_999
            $0.resolution = .whole
        }
        #expect(all.series.count == Metric.all.count)
    }
}
