import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Paywalls, limits, prices and how subscriptions stand; the numbers are worked out by hand.
@Suite("Metrics: paywalls, prices and states")
struct PaywallMetricTests {
    private typealias Bench = MetricBench
    private let product = "com.dozzi.unlimited_stories"

    private func told(
        _ type: EventTypeName, _ subject: String, day: Int64, _ data: JSONObject = [:]
    ) -> EventDraft {
        .reported(
            type, at: Bench.january + day * Bench.day, key: "\(type)/\(subject)/\(day)",
            subject: subject, data)
    }

    private func used(_ subject: String, day: Int64) -> EventDraft {
        told(
            .usageRecorded, subject, day: day,
            ["meter": "stories", "amount": 1, "ref": .string("\(subject)-\(day)")])
    }

    private func group(
        _ bench: MetricBench, _ metric: String, _ period: String = "2026-01",
        change: (inout MetricsRequest) -> Void = { _ in }
    ) throws -> [String: String] {
        let report = try bench.report(metric, change: change)
        var found: [String: String] = [:]
        for value in report.series[0].values where report.periods[value.bucket].name == period {
            found[value.group] = "\(value.numerator)/\(value.denominator)"
        }
        return found
    }

    @Test("DZ-40 What was used before the first paywall, and what came of paywalls and limits")
    func paywalls() async throws {
        let bench = try await Bench("dozzi", now: Bench.may)
        let shown: JSONObject = ["context": "usage_limit"]
        var drafts = Bench.seen(5, at: Bench.january)
        // Two stories and the limit, one story, none; c3 sees no paywall; c4 in settings.
        drafts += [used("c0", day: 1), used("c0", day: 2), used("c1", day: 1), used("c3", day: 1)]
        drafts += [
            told(.limitReached, "c0", day: 2, ["meter": "stories"]),
            told(.limitReached, "c3", day: 2, ["meter": "stories"]),
            told(.paywallShown, "c0", day: 3, shown), told(.paywallShown, "c1", day: 3, shown),
            told(.paywallShown, "c2", day: 3, shown),
            told(.paywallShown, "c4", day: 3, ["context": "settings"]),
            // Seen again: the first time is what counts.
            told(.paywallShown, "c1", day: 20, shown),
            told(.checkoutPending, "c2", day: 4, ["product": .string(product)]),
            told(.appLaunched, "c3", day: 8),
        ]
        drafts += [used("c0", day: 4)]
        drafts.append(
            Bench.bought(product, by: "c0", at: Bench.january + 5 * Bench.day, milli: 2_990))
        drafts.append(
            Bench.bought(product, by: "c1", at: Bench.january + 21 * Bench.day, milli: 2_990))
        try await bench.record(drafts)

        #expect(
            try group(bench, "customers_by_uses_before_paywall") == [
                "stories: 0": "2/1", "stories: 1": "1/1", "stories: 2": "1/1",
            ])
        #expect(try group(bench, "uses_before_paywall") == ["stories": "3/4"])
        #expect(
            try group(bench, "paywall_conversion_3d") == ["settings": "0/1", "usage_limit": "1/3"])
        #expect(
            try group(bench, "paywall_paid_conversion_3d") == [
                "settings": "0/1", "usage_limit": "1/3",
            ])
        #expect(
            try group(bench, "paywall_abandonment_3d") == ["settings": "1/1", "usage_limit": "1/3"])
        #expect(try group(bench, "limit_to_paywall_1d") == ["stories": "1/2"])
        #expect(try group(bench, "limit_to_purchase_1d") == ["stories": "0/2"])
        #expect(try group(bench, "limit_to_purchase_7d") == ["stories": "1/2"])
        #expect(try group(bench, "limit_to_return_7d") == ["stories": "1/2"])
    }

    @Test("DZ-42 Purchases that are bought once have no recurring revenue")
    func nothingRecurs() async throws {
        let bench = try await Bench("dozzi", now: Bench.may)
        try await bench.record([
            Bench.bought(product, by: "c0", at: Bench.january, milli: 2_990)
        ])
        #expect(try bench.micros("gross_revenue", "2026-01", of: "USD") == 2_990_000)
        for metric in ["mrr", "arr", "active_subscriptions", "churned_subscriptions"] {
            let values = try bench.report(metric).series[0].values
            #expect(values.allSatisfy { $0.numerator == 0 }, "\(metric)")
        }
    }

    @Test(
        "DZ-38 A hundred customers with two stories each cost 2.40: 0.80 purchases, 1.15 of proceeds"
    )
    func breakEven() async throws {
        let bench = try await Bench("dozzi", now: Bench.may)
        try await bench.record(
            (0..<100).flatMap { index in
                (1...2).map { used("c\(index)", day: Int64($0)) }
            })
        #expect(try bench.micros("usage_cost", "2026-01", of: "USD") == 2_400_000)
        #expect(try bench.micros("break_even_purchases", "2026-01", of: "gross") == 802_676)
        #expect(try bench.micros("break_even_purchases", "2026-01", of: "proceeds") == 1_146_679)
        let small = try bench.micros("break_even_purchases", "2026-01", of: "proceeds") {
            $0.rules.commissionMilli = 15_000
        }
        #expect(small == 944_324)
        // A customer who used nothing costs nothing.
        #expect(try bench.micros("break_even_purchases", "2026-02", of: "gross") == 0)
    }

    @Test(
        "FR-24 A year saves 15.8 % at launch and 16.5 % after it; NZ-27 and Magical Stories alike")
    func saving() async throws {
        /// - Returns: In millionths.
        func saving(
            _ app: String, _ product: String, at start: Int64, milli: Int64
        ) async throws -> Int64? {
            let bench = try await Bench(app, now: start + 40 * Bench.day)
            try await bench.record([
                LineageFixture("y", product: product, subject: "ada").started(
                    "y", from: start, until: start + 365 * Bench.day, Bench.price(milli))
            ])
            let report = try bench.report("yearly_saving") { $0.from = start }
            return report.series[0].values.first { $0.group == product }?.micros
        }
        let fork = "com.forkintheroad.app.premium.yearly"
        let year: Int64 = 1_801_440_000_000
        #expect(
            try await saving("fork-in-the-road", fork, at: Bench.january, milli: 10_000) == 158_249)
        #expect(
            try await saving("fork-in-the-road", fork, at: year, milli: 39_990) == 164_787)
        #expect(
            try await saving(
                "nuzzle", "com.nestling.pro.yearly", at: Bench.january, milli: 39_990) == 443_656)
        // At an offer it is not the price of a year, and a month saves nothing.
        #expect(
            try await saving(
                "nuzzle", "com.nestling.pro.monthly", at: Bench.january, milli: 5_990) == nil)
    }

    @Test("NZ-30 Subscriptions by what is to come are all of them, and why they ended is told")
    func states() async throws {
        let bench = try await Bench("nuzzle", now: Bench.may)
        func lineage(_ name: String) -> LineageFixture {
            LineageFixture(name, product: "com.nestling.pro.monthly", subject: name)
        }
        let end = Bench.february + Bench.day
        func began(_ name: String) -> EventDraft {
            lineage(name).started(
                name, from: Bench.january + Bench.day, until: end, Bench.price(5_990))
        }
        try await bench.record(["a", "b", "c", "d", "e"].map(began))
        try await bench.record([
            // a renews; b switches it off, and on again in February, too late; c cannot be charged and has grace.
            lineage("a").renewed(
                "a1", from: end, until: Bench.march + Bench.day, Bench.price(5_990)),
            lineage("b").autoRenew(false, at: Bench.january + 9 * Bench.day),
            lineage("b").expired("voluntary", at: end),
            lineage("c").billingFailed(at: end, graceUntil: end + 16 * Bench.day),
            lineage("c").expired("billing_retry", at: end + 16 * Bench.day),
            lineage("d").refunded("d", at: Bench.january + 12 * Bench.day),
            // e ends without a word, with renewal off.
            lineage("e").autoRenew(false, at: Bench.january + 20 * Bench.day),
        ])
        #expect(
            try group(bench, "subscriptions_by_state") == ["renewing": "2/1", "canceling": "2/1"])
        #expect(try bench.micros("active_subscriptions", "2026-01") == 4_000_000)
        // In the middle of grace.
        let grace = try group(bench, "subscriptions_by_state", "2026-02") {
            $0.moment = Moment(at: end + 8 * Bench.day)
        }
        #expect(grace == ["renewing": "1/1", "canceling": "0/1", "billing_problem": "1/1"])
        #expect(
            try group(bench, "churned_by_reason") == [
                "refund": "1/1", "voluntary": "0/1", "involuntary": "0/1", "unknown": "0/1",
            ])
        #expect(
            try group(bench, "churned_by_reason", "2026-02") == [
                "refund": "0/1", "voluntary": "2/1", "involuntary": "1/1", "unknown": "0/1",
            ])
        // a ends in March without a word, with renewal on.
        #expect(try group(bench, "churned_by_reason", "2026-03")["unknown"] == "1/1")
        // On 6 January all of them were to renew.
        let before = try group(bench, "subscriptions_by_state") {
            $0.moment = Moment(at: Bench.january + 5 * Bench.day)
        }
        #expect(before == ["renewing": "5/1"])
    }

    @Test("A charge that went through within grace is no failure, be it given back since")
    func recoveredAndGivenBack() async throws {
        let bench = try await Bench("nuzzle", now: Bench.may)
        let lineage = LineageFixture("g", product: "com.nestling.pro.monthly", subject: "g")
        let end = Bench.february + Bench.day
        let recovered = end + 12 * Bench.day
        try await bench.record([
            lineage.started("g", from: Bench.january + Bench.day, until: end, Bench.price(5_990)),
            lineage.billingFailed(at: end, graceUntil: end + 16 * Bench.day),
            lineage.renewed(
                "g1", from: recovered, until: recovered + 28 * Bench.day, Bench.price(5_990)),
            lineage.refunded("g1", at: recovered + 5 * Bench.day),
        ])
        // As if it had never been paid, the time ended where it went on; charging had not failed.
        let reasons = try group(bench, "churned_by_reason", "2026-02") {
            $0.rules.refunds = .retroactive
        }
        #expect(reasons["unknown"] == "1/1" && reasons["involuntary"] ?? "0/1" == "0/1")
        #expect(try group(bench, "churned_by_reason", "2026-02")["refund"] == "1/1")
    }

    @Test("Refunds by their date, and of the money")
    func refunds() async throws {
        let bench = try await Bench("dozzi", now: Bench.may)
        try await bench.record(
            (0..<4).map {
                Bench.bought(
                    product, by: "c\($0)", at: Bench.january + Int64($0) * Bench.day, milli: 2_990)
            } + [
                LineageFixture("once-c0", product: product, subject: "c0").refunded(
                    "once-c0", at: Bench.february),
                LineageFixture("once-c1", product: product, subject: "c1").refunded(
                    "once-c1", at: Bench.january + 9 * Bench.day, signedAt: nil,
                    ["type": "prorated", "pct_milli": 50_000]),
            ])
        let byDate = try #require(try bench.value("refund_rate_by_date", "2026-01"))
        #expect((byDate.numerator, byDate.denominator) == (1, 4))
        #expect(try bench.value("refund_rate_by_date", "2026-02")?.numerator == 1)
        #expect(try bench.value("refund_rate", "2026-01")?.numerator == 2)
        let money = try #require(try bench.value("refunded_share", "2026-01", of: "USD"))
        #expect((money.numerator, money.denominator) == (4_485, 11_960))
    }
}
