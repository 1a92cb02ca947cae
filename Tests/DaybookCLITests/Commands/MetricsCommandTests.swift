import DaybookEvents
import Foundation
import Testing

@Suite("Command line: metrics and targets")
struct MetricsCommandTests {
    /// Two customers in January 2026, one of whom uses a story and buys.
    private static func bench() throws -> Workbench {
        let bench = try Workbench()
        try #require(try bench.run("init d.sqlite --catalog \(Workbench.dozzi)").status == 0)
        let lines = """
            {"type":"app.launched","v":1,"subject":"ada","occurred_at":1767312000000,"source":{"kind":"native","key":"a"},"trust":"imported","data":{}}
            {"type":"app.launched","v":1,"subject":"bob","occurred_at":1767312000000,"source":{"kind":"native","key":"b"},"trust":"imported","data":{}}
            {"type":"usage.recorded","v":1,"subject":"ada","occurred_at":1767312060000,"source":{"kind":"native","key":"u"},"trust":"imported","data":{"meter":"stories","amount":1,"ref":"s1"}}
            {"type":"purchase.completed","v":1,"subject":"ada","occurred_at":1767312120000,"source":{"kind":"apple_asn_v2","key":"p","signed_at":1767312120000},"trust":"verified","data":{"product":"com.dozzi.unlimited_stories","kind":"non_consumable","transaction_id":"1","price_milli":2990,"currency":"USD"}}

            """
        try lines.write(toFile: bench.folder + "/e.ndjson", atomically: true, encoding: .utf8)
        try #require(try bench.run("import e.ndjson --ledger d.sqlite").status == 0)
        return bench
    }

    private static let range =
        "--from 2026-01-01T00:00:00Z --until 2026-02-01T00:00:00Z --ledger d.sqlite"

    @Test("Without a name they are listed, with --explain told of, and neither needs a ledger")
    func list() throws {
        let bench = try Workbench()
        let list = try bench.run("metrics")
        #expect(list.status == 0 && list.output.contains("net_revenue"))
        let told = try bench.run("metrics mrr --explain")
        #expect(told.output.contains("formula") && !told.output.contains("arr ·"))
        let json = try bench.run("metrics mrr nps --explain --json").json["metrics"]?.array
        #expect(json?.map { $0.object?["name"] } == ["mrr", "nps"])
    }

    @Test("A value has its parts, in text, JSON and CSV alike")
    func values() throws {
        let bench = try Self.bench()
        let text = try bench.run("metrics conversion_to_paying gross_revenue \(Self.range)")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.contains("50.0 %") && text.output.contains("1 of 2"))
        #expect(text.output.contains("2.99"))
        let json = try bench.run("metrics realized_ltv_per_customer --json \(Self.range)").json
        let value = json["metrics"]?.array?.first?.object?["values"]?.array?.first?.object
        #expect(value?["numerator"] == 2_990 && value?["denominator"] == 2)
        #expect(value?["value_micros"] == 1_495_000 && value?["currency"] == "USD")
        #expect(value?["period"] == "2026-01")
        let csv = try bench.run("metrics uses --csv \(Self.range)").output
        #expect(
            csv == """
                metric,group,from,until,numerator,denominator,value,complete,age
                uses,stories,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,1,1,1.000000,true,

                """)
        let all = try bench.run("metrics --all --csv --by week \(Self.range)")
        #expect(all.status == 0 && all.output.contains("gross_revenue,USD,"))
    }

    @Test("The same question about what was known has the same bytes, whatever came since")
    func known() throws {
        let bench = try Self.bench()
        let question = "metrics --all --json --known-at @5 \(Self.range)"
        let before = try bench.run(question).output
        _ = try bench.run("consume ada stories --ref s2 --ledger d.sqlite")
        _ = try bench.run("alias ada bob --ledger d.sqlite")
        #expect(try bench.run(question).output == before)
        #expect(try bench.run("metrics --all --json \(Self.range)").output != before)
    }

    @Test("Targets: exit 1 where one is missed, 0 where none is")
    func targets() throws {
        let bench = try Self.bench()
        let missed = try bench.run("kpi \(Self.range)")
        #expect(missed.status == 1 && missed.output.contains("missed"))
        let json = try bench.run("kpi --json \(Self.range)").json
        let paying = json["kpis"]?.array?.compactMap(\.object).first {
            $0["name"] == "freeToPaidConversion"
        }
        #expect(paying?["met"] == false && paying?["value_micros"] == 500_000)
        #expect(paying?["complete"] == false)
        let early = try bench.run(
            "kpi --from 2025-01-01T00:00:00Z --until 2025-02-01T00:00:00Z --ledger d.sqlite")
        #expect(early.status == 0 && early.output.contains("no value"))
        _ = try bench.run("init n.sqlite --catalog \(Workbench.nuzzle)")
        let none = try bench.run("kpi --ledger n.sqlite")
        #expect(none.status == 0 && none.output.contains("has no targets"))
    }

    @Test(
        "What cannot be asked says why, and what to do",
        arguments: [
            ("metrics mrrr", 3, "did you mean mrr?"),
            ("metrics mrr --tz Mars", 3, "IANA"),
            ("metrics mrr --commission 101", 3, "0 to 100"),
            ("metrics mrr --by day --from 1980-01-01T00:00:00Z", 3, "3660 periods"),
            ("metrics mrr --from 2026-02-01T00:00:00Z --until 2026-01-01T00:00:00Z", 2, "--until"),
            ("metrics mrr --known-at @99", 3, "position 99"),
            ("metrics mrr --all", 2, "leave out the names"),
            ("metrics --all --csv --json", 2, "choose one"),
            ("metrics mrr --by fortnight", 2, "fortnight"),
        ])
    func refusals(_ command: String, _ status: Int32, _ word: String) throws {
        let bench = try Self.bench()
        let result = try bench.run("\(command) --ledger d.sqlite")
        #expect(result.status == status && result.errors.contains(word), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test("A frozen report gives its bytes for ever; what is different is explained")
    func reports() throws {
        let bench = try Self.bench()
        let freeze = "report freeze january net_revenue uses --period 2026-01 --ledger d.sqlite"
        let made = try bench.run(freeze + " --actor eva")
        #expect(made.status == 0 && made.output.contains("is frozen at @"), "\(made.errors)")
        #expect(try bench.run(freeze).output.contains("was frozen before"))
        let kept = try bench.run("report show january --json --ledger d.sqlite").output
        #expect(try bench.run("report compare january --ledger d.sqlite").status == 0)
        let line = """
            {"type":"purchase.completed","v":1,"subject":"bob","occurred_at":1767312120000,"source":{"kind":"apple_asn_v2","key":"p2","signed_at":1767312120000},"trust":"verified","data":{"product":"com.dozzi.unlimited_stories","kind":"non_consumable","transaction_id":"2","price_milli":2990,"currency":"USD"}}

            """
        try line.write(toFile: bench.folder + "/l.ndjson", atomically: true, encoding: .utf8)
        try #require(try bench.run("import l.ndjson --ledger d.sqlite").status == 0)
        #expect(try bench.run("report show january --json --ledger d.sqlite").output == kept)
        let shown = try bench.run("report show january --ledger d.sqlite").output
        #expect(shown.contains("2.99") && !shown.contains("5.98"))
        let csv = try bench.run("report show january --csv --ledger d.sqlite").output
        #expect(csv.contains("net_revenue,USD,") && csv.contains(",2.990000,"))
        let told = try bench.run("report compare january --ledger d.sqlite")
        #expect(told.status == 1 && told.output.contains("late arrival"), "\(told.output)")
        #expect(told.output.contains("bob") && told.output.contains("+2.99"))
        let json = try bench.run("report compare january --json --ledger d.sqlite").json
        #expect(json["unexplained"] == [] && json["same"] == false)
        #expect(json["contributions"]?.array?.count == 1)
        let list = try bench.run("report list --ledger d.sqlite").output
        #expect(list.contains("january") && list.contains("2026-01") && list.contains("eva"))
        let taken = try bench.run(
            "report freeze january mrr --period 2026-01 --ledger d.sqlite")
        #expect(taken.status == 3 && taken.errors.contains("take another name"))
        let period = try bench.run("metrics mrr --period 2026-1 --ledger d.sqlite")
        #expect(period.status == 3 && period.errors.contains("2026-Q1"), "\(period.errors)")
        #expect(try bench.run("verify --ledger d.sqlite").output.contains("reports: documents"))
    }
}
