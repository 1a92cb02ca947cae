import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Metrics of customers of some countries, and retention by each customer's own calendar.
@Suite("Metrics: countries and own calendars")
struct CountryTests {
    private typealias Bench = MetricBench

    private func seen(
        _ subject: String, at instant: Int64, _ data: JSONObject
    ) -> EventDraft {
        var data = data
        data["first_seen_at"] = .integer(instant)
        return .reported(
            .subjectCreated, at: instant, key: "seen-\(subject)", subject: subject, data)
    }

    private func bought(
        _ subject: String?, _ name: String, at instant: Int64, in storefront: String
    ) -> EventDraft {
        let lineage = LineageFixture(
            name, product: "com.nestling.pro.monthly", subject: subject)
        var data = Bench.price(1_000)
        data["storefront"] = .string(storefront)
        return lineage.started(name, from: instant, until: instant + 30 * Bench.day, data)
    }

    private func revenue(_ bench: MetricBench, _ countries: String...) throws -> Int64? {
        try bench.micros("net_revenue", "2026-01", of: "USD") {
            $0.rules.filter.countries = countries
        }
    }

    @Test("A customer is where the newest purchase was made, else where the first sight was")
    func filter() async throws {
        let bench = try await Bench("nuzzle")
        let start = Bench.january
        try await bench.record([
            seen("ada", at: start, ["country": "FR"]),
            bought("ada", "a1", at: start + Bench.day, in: "DEU"),
            seen("bo", at: start, ["country": "DE"]),
            bought("cy", "c1", at: start, in: "USA"), bought("cy", "c2", at: start + 1, in: "DEU"),
            bought(nil, "orphan", at: start, in: "USA"),
        ])
        #expect(try revenue(bench) == 4_000_000)
        #expect(try revenue(bench, "DE") == 3_000_000)
        #expect(try revenue(bench, "US") == 1_000_000)
        #expect(try revenue(bench, "FR") == nil)
        #expect(try revenue(bench, "FR", "US", "DE") == 4_000_000)
        let new = try bench.value("new_customers", "2026-01") {
            $0.rules.filter.countries = ["DE"]
        }
        #expect(new?.numerator == 3)
        // As of the time before the second purchase the customer is where the first one was made.
        let before = try bench.micros("net_revenue", "2026-01", of: "USD") {
            $0.rules.filter.countries = ["US"]
            $0.moment.at = start
        }
        #expect(before == 2_000_000)
        // A correction moves the customer.
        let amended = EventDraft(
            type: .correctionAmended, subject: nil, occurredAt: Bench.april - 1,
            source: EventSource(kind: "support", key: "a"), trust: .admin,
            data: [
                "target": ["source": "native", "key": "seen-bo"], "patch": ["country": "AT"],
                "reason": "told wrong",
            ])
        try await bench.record([amended])
        let moved = try bench.value("new_customers", "2026-01") {
            $0.rules.filter.countries = ["AT"]
        }
        #expect(moved?.numerator == 1)
    }

    @Test("What only a client says of a store, and what a family shares, moves no one")
    func trust() async throws {
        let bench = try await Bench("nuzzle")
        let start = Bench.january
        var shared = bought("ada", "family", at: start + 3 * Bench.day, in: "FRA")
        shared.data["ownership"] = "family_shared"
        var claimed = bought("ada", "claimed", at: start + 2 * Bench.day, in: "CHE")
        claimed.trust = .clientAsserted
        claimed.source = EventSource(kind: "native", key: "claimed")
        try await bench.record([
            bought("ada", "a1", at: start + Bench.day, in: "USA"), claimed, shared,
        ])
        #expect(try revenue(bench, "US") == 1_000_000)
        #expect(try revenue(bench, "CH", "FR") == nil)
    }

    @Test("Codes of both lengths are understood, and nothing else")
    func codes() {
        #expect(CountryCode.short("DEU") == "DE" && CountryCode.short("de") == "DE")
        #expect(CountryCode.short("GB") == "GB" && CountryCode.short("gbr") == "GB")
        for text in ["", "D", "ZZ", "XXX", "GERMANY", "ﬁ", "D\u{301}E", "UK"] {
            #expect(CountryCode.short(text) == nil, "\(text)")
        }
    }

    @Test("By the own calendar, day 1 is the day after the first where the customer is")
    func ownCalendar() async throws {
        let bench = try await Bench("nuzzle")
        // 20:00 in Berlin is the next morning in Tokyo, where the day after that begins at 16:00 in Berlin.
        let first = Bench.january + 10 * Bench.day + 19 * 3_600_000
        let back = Bench.january + 11 * Bench.day + 21 * 3_600_000
        let soon = Bench.january + 11 * Bench.day + 3_600_000
        try await bench.record([
            seen("tokyo", at: first, ["tz": "Asia/Tokyo"]),
            .reported(.appLaunched, at: soon, key: "t", subject: "tokyo"),
            seen("berlin", at: first, ["tz": "Europe/Berlin"]),
            .reported(.appLaunched, at: back, key: "b", subject: "berlin"),
            seen("nowhere", at: first, [:]),
            .reported(.appLaunched, at: back, key: "n", subject: "nowhere"),
        ])
        func retained(_ retention: MetricRules.Retention) throws -> [Int64] {
            let value = try bench.value("d1_retention", "2026-01") {
                $0.rules.retention = retention
                $0.zone = "Europe/Berlin"
            }
            return [value?.numerator ?? -1, value?.denominator ?? -1]
        }
        // To the question's zone all three were back on the day after.
        #expect(try retained(.calendar) == [3, 3])
        #expect(try retained(.ownCalendar) == [2, 3])
    }
}
