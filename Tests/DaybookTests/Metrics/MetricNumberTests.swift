import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Numbers that the apps' documents work out themselves, from events.
@Suite("Metrics: the documents' numbers")
struct MetricNumberTests {
    private typealias Bench = MetricBench
    private static let monthly = "com.magicalstories.premium.monthly"

    private static func product(_ catalog: Catalog, _ months: Int) throws -> String {
        let length = CivilDuration(years: months / 12, months: months % 12)
        return try #require(catalog.products.first { $0.period == length }).id
    }

    private func ids(_ bench: MetricBench) throws -> (monthly: String, yearly: String) {
        let catalog = try #require(try bench.ledger.catalogs().newest?.catalog)
        return (try Self.product(catalog, 1), try Self.product(catalog, 12))
    }

    @Test(
        "DZ-31 Of 100 customers 3 or 5 who paid 2.99: 0.0897 and 0.1495 a download",
        arguments: [(3, 89_700), (5, 149_500)])
    func perDownload(_ buyers: Int, _ micros: Int64) async throws {
        let bench = try await Bench("dozzi")
        try await bench.record(Bench.seen(100, at: Bench.january))
        try await bench.record(
            (0..<buyers).map {
                Bench.bought(
                    "com.dozzi.unlimited_stories", by: "c\($0)", at: Bench.january + Bench.day,
                    milli: 2_990)
            })
        let value = try #require(
            try bench.value("realized_ltv_per_customer", "2026-01", of: "USD"))
        #expect(value.micros == micros)
        #expect((value.numerator, value.denominator) == (Int64(buyers) * 2_990, 100))
        // The same of what was paid at all, and by whom.
        #expect(
            try bench.micros("gross_revenue", "2026-01", of: "USD") == Int64(buyers) * 2_990_000)
        #expect(try bench.micros("paying_customers", "2026-01") == Int64(buyers) * 1_000_000)
    }

    @Test("DZ-30 FR-22 FR-23 Who pays, of all who came: over all time and within 30 days")
    func conversion() async throws {
        let bench = try await Bench("dozzi")
        try await bench.record(Bench.seen(200, at: Bench.january))
        try await bench.record(
            (0..<8).map {
                Bench.bought(
                    "com.dozzi.unlimited_stories", by: "c\($0)",
                    at: Bench.january + Int64($0 * 6 + 1) * Bench.day, milli: 2_990)
            })
        let ever = try #require(try bench.value("conversion_to_paying", "2026-01"))
        #expect((ever.numerator, ever.denominator, ever.micros) == (8, 200, 40_000))
        // On days 1, 7, 13, 19, 25, and too late on 31, 37 and 43.
        let soon = try #require(try bench.value("conversion_to_paying_30d", "2026-01"))
        #expect((soon.numerator, soon.denominator) == (5, 200))
        // Those who came in January had 30 days each by 2 March.
        #expect(soon.isComplete)
        let early = try #require(
            try bench.value("conversion_to_paying_30d", "2026-01") {
                $0.moment = Moment(at: Bench.february + 29 * Bench.day)
            })
        #expect(!early.isComplete)
    }

    @Test("MS-58 100 monthly and 12 yearly subscriptions are 988.99 a month")
    func recurring() async throws {
        let bench = try await Bench("magical-stories")
        let (monthly, yearly) = try ids(bench)
        try await bench.record(
            (0..<112).map { index in
                let isYearly = index >= 100
                return LineageFixture(
                    "s\(index)", product: isYearly ? yearly : monthly, subject: "c\(index)"
                ).started(
                    "s\(index)", from: Bench.january,
                    until: isYearly ? Bench.january + 365 * Bench.day : Bench.february,
                    Bench.price(isYearly ? 89_990 : 8_990))
            })
        let value = try #require(try bench.value("mrr", "2026-01", of: "USD"))
        #expect(value.micros == 988_990_000)
        // Exactly 100 × 8,990 + 12 × 89,990 ÷ 12 thousandths.
        #expect(value.numerator == 988_990 * value.denominator)
        #expect(try bench.micros("active_subscriptions", "2026-01") == 112_000_000)
        // The monthly ones were not paid again; one rounding of 12 × 7.4991666…
        #expect(try bench.micros("mrr", "2026-02", of: "USD") == 89_990_000)
    }

    @Test(
        "FR-22 FR-23 30 at 0.99 are 29.70 a month and 356.40 a year, 250 at 3.99 are 997.50 and 11,970",
        arguments: [
            (1_000, 30, 990, 29_700_000, 356_400_000, 30_000),
            (5_000, 250, 3_990, 997_500_000, 11_970_000_000, 50_000),
        ])
    func forkYears(
        _ users: Int, _ paying: Int, _ milli: Int64, _ mrr: Int64, _ arr: Int64, _ share: Int64
    ) async throws {
        let bench = try await Bench("fork-in-the-road")
        let (monthly, _) = try ids(bench)
        try await bench.record(Bench.seen(users, at: Bench.january))
        try await bench.record(
            (0..<paying).map {
                LineageFixture("s\($0)", product: monthly, subject: "c\($0)").started(
                    "s\($0)", from: Bench.january + Bench.day, until: Bench.february + Bench.day,
                    Bench.price(milli))
            })
        #expect(try bench.micros("mrr", "2026-01", of: "USD") == mrr)
        #expect(try bench.micros("arr", "2026-01", of: "USD") == arr)
        #expect(try bench.micros("conversion_to_paying", "2026-01") == share)
    }

    @Test(
        "FR-20 FR-21 MS-50 A new price counts from the renewal on; who keeps the old one keeps it")
    func newPrice() async throws {
        let bench = try await Bench("fork-in-the-road")
        let (monthly, _) = try ids(bench)
        let (old, other) = (
            LineageFixture("s1", product: monthly, subject: "ada"),
            LineageFixture("s2", product: monthly, subject: "bob")
        )
        let middle = 14 * Bench.day
        try await bench.record([
            old.started(
                "s1", from: Bench.january + middle, until: Bench.february + middle,
                Bench.price(990)),
            other.started(
                "s2", from: Bench.january + middle, until: Bench.february + middle,
                Bench.price(990)),
            // Agreed on in January already.
            other.event(
                .subscriptionPriceIncrease, at: Bench.january + 20 * Bench.day,
                ["status": "accepted", "new_price_milli": 3_990, "currency": "USD"]),
            old.renewed(
                "s1-2", from: Bench.february + middle, until: Bench.march + middle,
                Bench.price(990)),
            other.renewed(
                "s2-2", from: Bench.february + middle, until: Bench.march + middle,
                Bench.price(3_990)),
        ])
        #expect(try bench.micros("mrr", "2026-01", of: "USD") == 1_980_000)
        #expect(try bench.micros("mrr", "2026-02", of: "USD") == 4_980_000)
        #expect(try bench.micros("mrr_expansion", "2026-02", of: "USD") == 3_000_000)
        #expect(try bench.micros("mrr_new", "2026-02", of: "USD") == 0)
        // 3.00 of 1.98
        #expect(try bench.micros("mrr_growth", "2026-02", of: "USD") == 1_515_152)
    }

    @Test("NZ-27 A yearly subscription of 39.99 is 3.3325 a month")
    func yearly() async throws {
        let bench = try await Bench("nuzzle")
        let (_, yearly) = try ids(bench)
        try await bench.record([
            LineageFixture("s1", product: yearly).started(
                "s1", from: Bench.january, until: Bench.january + 365 * Bench.day,
                Bench.price(39_990))
        ])
        #expect(try bench.micros("mrr", "2026-01", of: "USD") == 3_332_500)
    }

    @Test("OL-24 A dog that was paid for at the sale price brings in 14.99")
    func sale() async throws {
        let bench = try await Bench("ollie")
        try await bench.record([
            Bench.bought(
                "com.ollie.premium.perdog", by: "ada", at: Bench.january + Bench.day,
                milli: 14_990, currency: "EUR")
        ])
        #expect(try bench.micros("gross_revenue", "2026-01", of: "EUR") == 14_990_000)
        #expect(try bench.micros("mrr", "2026-01", of: "EUR") == nil)
    }

    @Test("DZ-38 MS-55 MS-67 Two stories at 0.012 are 0.024 for each who used them")
    func cost() async throws {
        let bench = try await Bench("dozzi")
        var drafts = Bench.seen(100, at: Bench.january)
        for index in 0..<100 {
            for use in 0..<2 {
                drafts.append(
                    .used(
                        "stories", at: Bench.january + Bench.day, ref: "\(index)-\(use)",
                        subject: "c\(index)"))
            }
        }
        try await bench.record(drafts)
        #expect(try bench.micros("usage_cost", "2026-01", of: "USD") == 2_400_000)
        #expect(try bench.micros("usage_cost_per_customer", "2026-01", of: "USD") == 24_000)
        #expect(try bench.micros("uses", "2026-01", of: "stories") == 200_000_000)
        #expect(
            try bench.micros("uses_per_active_customer", "2026-01", of: "stories") == 2_000_000)
    }
}
