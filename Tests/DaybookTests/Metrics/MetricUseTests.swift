import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Metrics: use, retention, checkout, surveys, targets")
struct MetricUseTests {
    private typealias Bench = MetricBench

    private func seen(
        _ type: String, _ subject: String, at instant: Int64, _ data: JSONObject = [:]
    ) -> EventDraft {
        .reported(
            EventTypeName(rawValue: type), at: instant, key: "\(subject)/\(type)/\(instant)",
            subject: subject, data)
    }

    @Test("DZ-32 DZ-33 Active customers by month, their growth, and day 7 by the calendar")
    func active() async throws {
        let bench = try await Bench("dozzi")
        var drafts: [EventDraft] = []
        for index in 0..<5 {
            drafts.append(
                seen("app.launched", "c\(index)", at: Bench.january + 20 * LedgerFixture.hour))
        }
        // Seven calendar days later: six days and four hours after the first.
        drafts.append(seen("app.launched", "c0", at: Bench.january + 7 * Bench.day))
        drafts.append(
            seen("app.launched", "c1", at: Bench.january + 8 * Bench.day - 1))
        drafts.append(seen("app.launched", "c2", at: Bench.january + 8 * Bench.day))
        for index in 0..<6 {
            drafts.append(seen("app.launched", "c\(index)", at: Bench.february + Bench.day))
        }
        try await bench.record(drafts)
        #expect(try bench.micros("active_customers", "2026-01") == 5_000_000)
        #expect(try bench.micros("active_customers", "2026-02") == 6_000_000)
        let growth = try #require(try bench.value("mau_growth", "2026-02"))
        #expect((growth.numerator, growth.denominator, growth.micros) == (1, 5, 200_000))
        #expect(try bench.micros("mau_growth", "2026-01") == nil)
        let retention = try #require(try bench.value("d7_retention", "2026-01"))
        #expect((retention.numerator, retention.denominator) == (2, 5))
        // By days of another zone the first was on 2 January already.
        let tokyo = try bench.value("d7_retention", "2026-01") { $0.zone = "Asia/Tokyo" }
        #expect(tokyo?.numerator == 2)
        #expect(
            try bench.micros("active_customers", "2026-01-08") { $0.resolution = .day } == 2_000_000
        )
    }

    @Test("DZ-29 DZ-36 Attempts that were begun, completed, failed, turned back, and verified")
    func checkout() async throws {
        let bench = try await Bench("dozzi")
        let product = "com.dozzi.unlimited_stories"
        var drafts: [EventDraft] = []
        for (index, end) in ["completed", "completed", "failed", "canceled"].enumerated() {
            let data: JSONObject = [
                "product": .string(product), "attempt": .string("a\(index)"),
            ]
            drafts.append(seen("checkout.started", "c\(index)", at: Bench.january, data))
            drafts.append(seen("checkout.\(end)", "c\(index)", at: Bench.january + 60_000, data))
        }
        // Told twice, and once more a week too late.
        drafts.append(
            seen(
                "checkout.started", "c4", at: Bench.january,
                ["product": .string(product), "attempt": "a4"]))
        drafts.append(
            seen(
                "checkout.completed", "c4", at: Bench.january + 8 * Bench.day,
                ["product": .string(product), "attempt": "a4"]))
        drafts.append(Bench.bought(product, by: "c0", at: Bench.january + 61_000, milli: 2_990))
        try await bench.record(drafts)
        let completion = try #require(try bench.value("purchase_completion_rate", "2026-01"))
        #expect((completion.numerator, completion.denominator) == (2, 5))
        // One of the three that were completed is a fact of the store.
        let success = try #require(try bench.value("storekit_success", "2026-01"))
        #expect((success.numerator, success.denominator) == (1, 4))
    }

    @Test("MS-49 MS-53 Onboarding: completed, skipped, and what came after it")
    func onboarding() async throws {
        let bench = try await Bench("magical-stories")
        let catalog = try #require(try bench.ledger.catalogs().newest?.catalog)
        let product = try #require(catalog.products.first { $0.kind == .autoRenewable }).id
        var drafts: [EventDraft] = []
        for index in 0..<10 {
            drafts.append(seen("onboarding.started", "c\(index)", at: Bench.january))
            if index < 6 {
                drafts.append(
                    seen("onboarding.completed", "c\(index)", at: Bench.january + Bench.day))
            }
            if index >= 8 {
                drafts.append(
                    seen("onboarding.skipped", "c\(index)", at: Bench.january + Bench.day))
            }
            if index < 2 {
                drafts.append(
                    LineageFixture("s\(index)", product: product, subject: "c\(index)").started(
                        "s\(index)", from: Bench.january + 2 * Bench.day,
                        until: Bench.february + 2 * Bench.day,
                        Bench.price(8_990, trial: index == 0)))
            }
        }
        try await bench.record(drafts)
        let completion = try #require(try bench.value("onboarding_completion", "2026-01"))
        #expect((completion.numerator, completion.denominator) == (6, 8))
        #expect(try bench.micros("onboarding_to_subscription", "2026-01") == 200_000)
        #expect(try bench.micros("onboarding_to_paid", "2026-01") == 100_000)
    }

    @Test("DZ-35 MS-54 Of those who may use a locked feature, those who do")
    func adoption() async throws {
        let bench = try await Bench("nuzzle")
        var drafts: [EventDraft] = []
        for index in 0..<4 {
            drafts.append(
                LineageFixture(
                    "s\(index)", product: "com.nestling.pro.monthly", subject: "c\(index)"
                ).started(
                    "s\(index)", from: Bench.january, until: Bench.february, Bench.price(5_990)))
        }
        drafts += [
            seen("feature.used", "c0", at: Bench.january + Bench.day, ["feature": "aiAssistant"]),
            seen("feature.used", "c1", at: Bench.january + Bench.day, ["feature": "aiAssistant"]),
            seen(
                "feature.used", "c1", at: Bench.january + 2 * Bench.day, ["feature": "cryInsights"]),
            // A free one, one of a customer who has nothing, and one of another month.
            seen("feature.used", "c2", at: Bench.january + Bench.day, ["feature": "dashboard"]),
            seen("feature.used", "c9", at: Bench.january + Bench.day, ["feature": "aiAssistant"]),
            seen("feature.used", "c3", at: Bench.february + Bench.day, ["feature": "aiAssistant"]),
        ]
        try await bench.record(drafts)
        let any = try #require(try bench.value("feature_adoption", "2026-01"))
        #expect((any.numerator, any.denominator, any.micros) == (2, 4, 500_000))
        #expect(
            try bench.micros("feature_adoption_by_feature", "2026-01", of: "cryInsights")
                == 250_000)
        #expect(
            try bench.micros("feature_adoption_by_feature", "2026-01", of: "smartPredictions") == 0)
        #expect(
            try bench.value("feature_adoption_by_feature", "2026-01", of: "dashboard") == nil)
    }

    @Test("MS-56 Promoters less detractors, of all answers from 0 to 10")
    func survey() async throws {
        let bench = try await Bench("magical-stories")
        try await bench.record(
            [10, 9, 8, 7, 6, 0, 9].enumerated().map { index, score in
                seen(
                    "survey.answered", "c\(index)", at: Bench.january,
                    ["survey": "nps", "score": .integer(Int64(score))])
            })
        let value = try #require(try bench.value("nps", "2026-01", of: "nps"))
        #expect((value.numerator, value.denominator, value.micros) == (1, 7, 142_857))
    }

    @Test("Targets have their values, met or not, and those that others measured have the newest")
    func targets() async throws {
        let bench = try await Bench("dozzi", now: Bench.february + 5 * Bench.day)
        var drafts = Bench.seen(100, at: Bench.january)
        for index in 0..<3 {
            drafts.append(
                Bench.bought(
                    "com.dozzi.unlimited_stories", by: "c\(index)", at: Bench.january + Bench.day,
                    milli: 2_990))
        }
        for (index, value) in ["4.4", "4.6"].enumerated() {
            drafts.append(
                seen(
                    "kpi.recorded", "ops", at: Bench.january + Int64(index) * Bench.day,
                    ["name": "app_rating", "value": .number(value)]))
        }
        try await bench.record(drafts)
        let report = try bench.ledger.kpis()
        #expect(report.period.name == "2026-01")
        func row(_ name: String) throws -> KPIReport.Row {
            try #require(report.rows.first { $0.target.name == name })
        }
        let paying = try row("freeToPaidConversion")
        #expect((paying.numerator, paying.denominator, paying.isMet) == (3, 101, false))
        let revenue = try row("averageRevenuePerUser")
        #expect((revenue.group, revenue.numerator, revenue.isMet) == ("USD", 8_970, false))
        let rating = try row("appRating")
        #expect((rating.micros, rating.isMet) == (4_600_000, true))
        #expect(try row("crashRate").isMet == nil)
        #expect(try row("retentionDay7").isComplete == false)
        #expect(report.rows.count == 12)
    }

    @Test("A target of a metric that there is not is refused, with the nearest name")
    func unknownMetric() async throws {
        let text = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
            .replacing("metric: refund_rate", with: "metric: refund_rat")
        await #expect {
            _ = try await LedgerFixture("dozzi", document: Array(text.utf8))
        } throws: { error in
            "\(error)".contains("refund_rate") && "\(error)".contains("no metric")
        }
    }
}
