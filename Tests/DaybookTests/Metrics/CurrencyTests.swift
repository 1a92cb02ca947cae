import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Money that is shown in one currency, by rates that the ledger knows.
@Suite("Metrics: currencies")
struct CurrencyTests {
    private typealias Bench = MetricBench
    private let product = "com.nestling.pro.lifetime"

    private func bought(
        _ subject: String, _ milli: Int64, _ currency: String, at instant: Int64 = Bench.january
    ) -> EventDraft {
        Bench.bought(product, by: subject, at: instant, milli: milli, currency: currency)
    }

    private func rate(
        _ from: String, _ to: String, _ nanos: Int64, day: Int64, key: String? = nil,
        signedAt: Int64? = nil
    ) -> EventDraft {
        RateHistory.rate(
            from, to, nanos, at: Bench.january + day * Bench.day,
            key: key ?? "\(from)-\(to)-\(day)", signedAt: signedAt)
    }

    private func inEuro(_ request: inout MetricsRequest) { request.rules.currency = "EUR" }

    @Test("An amount is worth what its day's rate says, its refund too")
    func conversion() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            rate("USD", "EUR", 920_000_001, day: 0), rate("USD", "EUR", 500_000_000, day: 20),
            bought("ada", 10_000, "USD", at: Bench.january + Bench.day - 1),
            bought("bo", 7_000, "EUR"), bought("cy", 3_000, "CHF"),
            LineageFixture("once-ada", product: product, subject: "ada").refunded(
                "once-ada", at: Bench.january + 20 * Bench.day),
        ])
        // 10 dollars at 0.920000001 and 7 euros; francs have no rate, and stay what they are.
        let gross = try bench.value("gross_revenue", "2026-01", of: "EUR", change: inEuro)
        #expect(gross?.micros == 16_200_000 && gross?.numerator == 16_200)
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "CHF", change: inEuro) == 3_000_000)
        #expect(try bench.micros("gross_revenue", "2026-01", of: "USD", change: inEuro) == nil)
        // The refund is worth what the payment was, whatever the rate is on its own day.
        #expect(try bench.micros("net_revenue", "2026-01", of: "EUR", change: inEuro) == 7_000_000)
        #expect(try bench.micros("gross_revenue", "2026-01", of: "USD") == 10_000_000)
        let report = try bench.report("gross_revenue", change: inEuro)
        #expect(report.rates?.count == 2 && report.rates?.sources == ["rates"])
    }

    @Test("A day without a rate takes the newest of the seven before it, in UTC")
    func gaps() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([rate("USD", "EUR", 900_000_000, day: 1)])
        let ends = Bench.january + 9 * Bench.day
        try await bench.record([
            bought("before", 1_000, "USD", at: Bench.january + Bench.day - 1),
            bought("first", 2_000, "USD", at: Bench.january + Bench.day),
            bought("last", 4_000, "USD", at: ends - 1),
            bought("after", 8_000, "USD", at: ends),
        ])
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "EUR", change: inEuro) == 5_400_000)
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "USD", change: inEuro) == 9_000_000)
        // Whatever the zone of the question: its days are not those of rates.
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "EUR") {
                $0.rules.currency = "EUR"
                $0.zone = "Pacific/Kiritimati"
            } == 5_400_000)
    }

    @Test("The other direction serves with twelve decimals, and what is told goes before it")
    func reciprocal() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            rate("EUR", "JPY", 162_000_000_000, day: 0), bought("ada", 1_000_000_000_000, "JPY"),
        ])
        // 1 / 162 = 0.006172839506..., of a billion yen.
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "EUR", change: inEuro)
                == 6_172_839_506_000)
        try await bench.record([rate("JPY", "EUR", 6_000_000, day: 0)])
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "EUR", change: inEuro)
                == 6_000_000_000_000)
    }

    @Test("Two rates of one day give the same, whichever arrives first")
    func arrival() async throws {
        let told = [
            rate("USD", "EUR", 900_000_000, day: 0, key: "b"),
            rate("USD", "EUR", 800_000_000, day: 0, key: "a"),
            rate("USD", "EUR", 700_000_000, day: 0, key: "c", signedAt: Bench.january - 1),
        ]
        for drafts in [told, told.reversed()] {
            let bench = try await Bench("nuzzle")
            for draft in drafts { try await bench.record([draft]) }
            try await bench.record([bought("ada", 10_000, "USD")])
            #expect(
                try bench.micros("net_revenue", "2026-01", of: "EUR", change: inEuro) == 9_000_000)
        }
    }

    @Test("The reciprocal of a rate of a few billionths is no other number")
    func smallRates() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([rate("EUR", "XAU", 6, day: 0), bought("ada", 1, "XAU")])
        // 1 / 6 of a billion.
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "EUR", change: inEuro)
                == 166_666_666_667)
    }

    @Test("A target is compared with what is in the currency, and what is not is shown")
    func targets() async throws {
        let text = String(decoding: try Fixtures.catalogDocument("nuzzle"), as: UTF8.self)
        let document = Array(
            (text + "\nkpis:\n  revenue: { metric: net_revenue, atLeast: 8 }\n").utf8)
        let ledger = try Ledger(
            store: InMemoryEventStore(app: "nuzzle"), zones: ZoneTables(), clock: { Bench.april })
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
        try await ledger.record([
            rate("USD", "EUR", 900_000_000, day: 0), bought("ada", 10_000, "USD"),
            bought("cy", 3_000, "CHF"),
        ])
        var request = MetricsRequest()
        request.period = CalendarPeriod("2026-01")
        request.rules.currency = "EUR"
        let report = try ledger.kpis(request)
        let rows = report.rows.filter { $0.target.name == "revenue" }
        #expect(rows.map(\.group) == ["CHF", "EUR"] && rows.map(\.isMet) == [nil, true])
        #expect(report.rates?.count == 1)
        #expect(report.json["currency"] == "EUR")
    }

    @Test("A ratio has something to divide by, however little it is")
    func littleRatios() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            rate("IDR", "KWD", 18_000, day: 0), bought("ada", 4, "IDR"),
        ])
        let value = try bench.value("refunded_share", "2026-01", of: "KWD") {
            $0.rules.currency = "KWD"
        }
        #expect(value?.micros == 0 && value?.denominator == 1)
    }

    @Test("A question as of an earlier state of knowledge has the rates of then")
    func knowledge() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            bought("ada", 10_000, "USD"), rate("USD", "EUR", 900_000_000, day: 0),
        ])
        let then = try bench.ledger.metrics(MetricsRequest(["net_revenue"])).asOf.position
        func worth(knownAt position: Int64? = nil) throws -> Int64? {
            try bench.micros("net_revenue", "2026-01", of: "EUR") {
                $0.rules.currency = "EUR"
                $0.moment.knownAt = position.map { .position($0) }
            }
        }
        #expect(try worth() == 9_000_000)
        // Told again for the same day: what was signed later counts.
        try await bench.record([
            rate(
                "USD", "EUR", 800_000_000, day: 0, key: "restated",
                signedAt: Bench.january + Bench.day)
        ])
        #expect(try worth() == 8_000_000)
        #expect(try worth(knownAt: then) == 9_000_000)
        #expect(try worth(knownAt: 1 + 1) == nil)
        // Taken back, the first one counts again.
        try await bench.record([
            EventDraft(
                type: .correctionVoided, subject: nil, occurredAt: Bench.april - 1,
                source: EventSource(kind: "support", key: "v"), trust: .admin,
                data: [
                    "target": ["source": "rates", "key": "restated"], "reason": "a wrong table",
                ])
        ])
        #expect(try worth() == 9_000_000)
        #expect(try worth(knownAt: then) == 9_000_000)
    }

    @Test("Movements of recurring revenue add up in one currency as well")
    func identity() async throws {
        let bench = try await Bench("nuzzle", now: Bench.may)
        try await bench.record(
            RateHistory.drafts(7, from: EventGenerator.start, days: 120).map {
                var draft = $0
                draft.recordedAt = nil
                return draft
            })
        try await bench.record(SubscriptionHistory.drafts(17))
        let names = [
            "mrr", "mrr_new", "mrr_reactivation", "mrr_expansion", "mrr_contraction", "mrr_churn",
        ]
        var request = MetricsRequest(names)
        (request.from, request.until) = (Bench.january, Bench.may)
        request.rules.currency = "EUR"
        let report = try bench.ledger.metrics(request)
        // Thousandths of both currencies, since a day may have no rate; each is rounded once.
        func micros(_ name: String, _ bucket: Int, _ group: String) -> Int64 {
            report.series.first { $0.metric.name == name }?.values.first {
                $0.bucket == bucket && $0.group == group
            }?.micros ?? 0
        }
        var moved = 0
        for group in ["EUR", "USD"] {
            for bucket in 1..<report.periods.count {
                let gained = ["mrr_new", "mrr_reactivation", "mrr_expansion"].map {
                    micros($0, bucket, group)
                }.reduce(0, +)
                let lost = ["mrr_contraction", "mrr_churn"].map { micros($0, bucket, group) }
                    .reduce(0, +)
                let change = micros("mrr", bucket, group) - micros("mrr", bucket - 1, group)
                #expect(abs(change - (gained - lost)) <= 4, "\(group) in period \(bucket)")
                if group == "EUR", change != 0 { moved += 1 }
            }
        }
        #expect(moved > 0)
    }

    @Test("A frozen report says that rates made the difference, to the last cent")
    func frozen() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([
            rate("USD", "EUR", 900_000_000, day: 0), bought("ada", 10_000, "USD"),
            bought("bo", 20_000, "USD"), bought("cy", 5_000, "EUR"),
        ])
        var request = MetricsRequest(["net_revenue"])
        request.period = CalendarPeriod("2026-01")
        request.rules.currency = "EUR"
        let frozen = try await bench.ledger.freeze(ReportFreeze("january", request))
        #expect(frozen.request?.rules.currency == "EUR")
        try await bench.record([
            rate(
                "USD", "EUR", 700_000_000, day: 0, key: "restated",
                signedAt: Bench.january + Bench.day),
            rate(
                "USD", "EUR", 800_000_000, day: 0, key: "again",
                signedAt: Bench.january + 2 * Bench.day),
            bought("dee", 1_000, "USD"),
        ])
        let comparison = try bench.ledger.comparison(of: "january")
        #expect(comparison.unexplained.isEmpty)
        #expect(
            comparison.contributions.map { "\($0.subject ?? "-") \($0.cause.rawValue)" }
                == ["ada rates", "bo rates", "dee late_arrival"])
        let sides = comparison.contributions.flatMap(\.changes).map(\.numerator)
        #expect(sides.map { $0.number / $0.parts } == [-1_000, -2_000, 800])
    }

    @Test("What is no currency and no rate is refused")
    func refusals() async throws {
        let bench = try await Bench("nuzzle")
        for currency in ["euro", "EU", "eur", ""] {
            do {
                _ = try bench.report("net_revenue") { $0.rules.currency = currency }
                Issue.record("\(currency) is no currency")
            } catch LedgerError.badInput(let problems) {
                #expect(problems.map(\.code) == ["bad_currency"])
            }
        }
        for (from, to, nanos) in [
            ("EUR", "EUR", 1), ("eur", "USD", 1), ("EUR", "USD", 0), ("EUR", "USD", -5),
            ("EUR", "USD", Int64.max),
        ] {
            await #expect(throws: LedgerError.self, "\(from) \(to) \(nanos)") {
                try await bench.record([rate(from, to, nanos, day: 0)])
            }
        }
    }

    @Test("Prices and rates as large as they may be do not stop a report")
    func bounds() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record([rate("USD", "EUR", CurrencyCode.nanosMax, day: 0)])
        try await bench.record(
            (0..<40).map { bought("c\($0)", EventBounds.moneyMilliMax, "USD") })
        let report = try bench.report("net_revenue", "arpu", "proceeds", change: inEuro)
        #expect(report.series.allSatisfy { !$0.values.isEmpty })
    }
}
