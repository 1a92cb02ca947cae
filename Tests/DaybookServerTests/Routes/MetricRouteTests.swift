import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import NIOHTTP1
import Testing

/// Metrics and targets over HTTP; the numbers are worked out by hand.
@Suite("Metrics over HTTP")
struct MetricRouteTests {
    private static let january =
        "from=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z&at=2026-06-01T00:00:00Z"

    /// Two customers in January 2026, one of whom buys for 2.99.
    private static func record(_ bench: ServerBench) async throws {
        let lines = ["ada", "bob"].map { name in
            """
            {"type":"app.launched","v":1,"subject":"\(name)","occurred_at":1767312000000,\
            "source":{"kind":"native","key":"l-\(name)"},"trust":"imported","data":{}}
            """
        }
        let purchase = """
            {"type":"purchase.completed","v":1,"subject":"ada","occurred_at":1767312120000,\
            "source":{"kind":"apple","key":"p"},"trust":"imported","data":{\
            "product":"com.dozzi.unlimited_stories","kind":"non_consumable","transaction_id":"1",\
            "price_milli":2990,"currency":"USD"}}
            """
        let reply = try await bench.client.send(
            .POST, "/v1/dozzi/events", headers: [try bench.key(.store)],
            body: Array((lines + [purchase]).joined(separator: "\n").utf8))
        try #require(reply.status == 200, "\(reply.text)")
    }

    @Test("Who is behind a number is told in JSON, CSV and lines")
    func customers() async throws {
        try await ServerBench.serving { bench in
            try await Self.record(bench)
            let key = try bench.key(.analyst)
            let path = "/v1/dozzi/metrics/conversion_to_paying/customers?of=2026-01&" + Self.january
            let reply = try await bench.get(path, [key])
            #expect(reply.status == 200, "\(reply.text)")
            let rows = reply.json["customers"]?.array?.compactMap(\.object) ?? []
            #expect(rows.map { $0["customer"] } == ["ada", "bob"])
            #expect(rows.map { $0["numerator_micros"] } == [1_000_000, 0])
            #expect(rows.map { $0["denominator_micros"] } == [1_000_000, 1_000_000])
            #expect(reply.json["count"] == 2)
            #expect(reply.json["value"]?.object?["numerator"] == 1)
            let csv = try await bench.get(path, [key, ("accept", "text/csv")])
            #expect(csv.text.contains("\nada,,1.000000,1.000000\n"))
            let lines = try await bench.get(
                path + "&limit=1", [key, ("accept", "application/x-ndjson")])
            #expect(lines.text.split(separator: "\n").count == 1 && lines.text.contains("ada"))
            let bad = try await bench.get(path + "&limit=0", [key])
            #expect(bad.status == 422 && bad.json["code"] == "bad_limit", "\(bad.text)")
            let none = try await bench.get(
                "/v1/dozzi/metrics/net_revenue/customers?of=2020-01&" + Self.january, [key])
            #expect(none.status == 422 && none.text.contains("bad_period"), "\(none.text)")
            let funnel = "/v1/dozzi/funnels/paywall_to_purchase/customers"
            let step = try await bench.get(funnel + "?step=paywallShown&stopped=true", [key])
            #expect(step.status == 200 && step.json["stopped"] == true, "\(step.text)")
            let missing = try await bench.get(funnel, [key])
            #expect(missing.status == 422 && missing.text.contains("\\\"step\\\" is missing"))
        }
    }

    @Test("They are listed, and computed with the words of the command line, in JSON and CSV")
    func values() async throws {
        try await ServerBench.serving { bench in
            try await Self.record(bench)
            let key = try bench.key(.analyst)
            let list = try await bench.get("/v1/dozzi/metrics", [key])
            let names = (list.json["metrics"]?.array ?? []).compactMap { $0.object?["name"]?.text }
            #expect(names.contains("mrr") && names.count > 50)
            let path = "/v1/dozzi/metrics/net_revenue,conversion_to_paying?" + Self.january
            let reply = try await bench.get(path, [key])
            #expect(reply.status == 200, "\(reply.text)")
            let series = reply.json["metrics"]?.array?.compactMap(\.object) ?? []
            #expect(series.map { $0["name"] } == ["net_revenue", "conversion_to_paying"])
            let revenue = series.first?["values"]?.array?.first?.object
            #expect(revenue?["numerator"] == 2_990 && revenue?["currency"] == "USD")
            #expect(revenue?["period"] == "2026-01" && revenue?["complete"] == true)
            let conversion = series.last?["values"]?.array?.first?.object
            #expect(conversion?["numerator"] == 1 && conversion?["denominator"] == 2)
            let csv = try await bench.get(path, [key, ("accept", "text/csv")])
            #expect(csv.headers["content-type"]?.hasPrefix("text/csv") == true)
            #expect(
                csv.text.contains(
                    "net_revenue,USD,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,2990,1,2.990000,"))
            #expect(csv.headers["etag"] == reply.headers["etag"] && csv.headers["vary"] == "Accept")
            let all = try await bench.get("/v1/dozzi/metrics/all?by=whole&" + Self.january, [key])
            #expect((all.json["metrics"]?.array?.count ?? 0) == names.count)
        }
    }

    @Test("The same question about what was known has the same answer after later events")
    func known() async throws {
        try await ServerBench.serving { bench in
            try await Self.record(bench)
            let key = try bench.key(.analyst)
            let path =
                "/v1/dozzi/metrics/all?from=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z"
            let before = try await bench.get(path + "&known_at=@4", [key])
            #expect(before.status == 200, "\(before.text)")
            let alias = try await bench.post(
                "/v1/dozzi/customers/ada/alias", ["canonical": "bob"])
            #expect(alias.status == 200, "\(alias.text)")
            let after = try await bench.get(path + "&known_at=@4", [key])
            #expect(after.body == before.body)
            let now = try await bench.get(path, [key])
            #expect(now.json["metrics"] != before.json["metrics"])
            let tag = try #require(before.headers["etag"])
            let same = try await bench.get(
                path + "&known_at=@4", [key, ("if-none-match", tag)])
            #expect(same.status == 304 && same.body.isEmpty)
        }
    }

    @Test("Targets are compared, as daybook kpi does")
    func targets() async throws {
        try await ServerBench.serving { bench in
            try await Self.record(bench)
            let reply = try await bench.get(
                "/v1/dozzi/kpis?" + Self.january, [try bench.key(.analyst)])
            #expect(reply.json["period"] == "2026-01", "\(reply.text)")
            let paying = reply.json["kpis"]?.array?.compactMap(\.object).first {
                $0["name"] == "freeToPaidConversion"
            }
            #expect(paying?["value_micros"] == 500_000 && paying?["met"] == false)
        }
    }

    @Test(
        "What cannot be meant is told with what can",
        arguments: [
            ("metrics/net_revenu", "unknown_name", "did you mean net_revenue?"),
            ("metrics/mrr?by=fortnight", "unknown_choice", "quarter"),
            ("metrics/mrr?refunds=never", "unknown_choice", "retroactive"),
            ("metrics/mrr?commission=101", "bad_percent", "0 to 100"),
            ("metrics/mrr?tz=Mars", "unknown_time_zone", "Mars"),
            ("metrics/mrr?currency=euro", "bad_currency", "ISO 4217"),
            ("metrics/mrr?countries=DE,Atlantis", "bad_country", "Atlantis"),
            ("funnels/paywall_to_purchase?countries=ZZ", "bad_country", "ZZ"),
            ("metrics/,", "no_metric", "no metric"),
            ("metrics/mrr?by=day&from=1970-01-01T00:00:00Z", "bad_range", "periods"),
            ("kpis?zone=UTC", "unknown_member", "tz"),
        ])
    func badQuestions(path: String, code: String, word: String) async throws {
        try await ServerBench.serving { bench in
            let reply = try await bench.get("/v1/dozzi/" + path, [try bench.key(.analyst)])
            #expect(reply.status == 422 && reply.code == code, "\(reply.text)")
            #expect(reply.text.contains(word), "\(reply.text)")
        }
    }
}
