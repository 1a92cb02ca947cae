import DaybookEvents
import Foundation
import Testing

@Suite("Command line: orders with several products")
struct OrderLineTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private static let order =
        #"{"type":"purchase.completed","subject":"ada","occurred_at":"2026-03-01T09:00:00Z","#
        + #""source":{"kind":"web","key":"o-1"},"data":{"store":"web","transaction_id":"o-1","#
        + #""kind":"non_consumable","currency":"USD","items":["#
        + #"{"product":"com.dozzi.unlimited_stories","price_milli":2990},"#
        + #"{"product":"poster","price_milli":9900}]}}"# + "\n"

    @Test("A line of a stream is one commit with one receipt, however many items it has")
    func stream() throws {
        let input = Self.order + Lines.usage("s1")
        let result = try bench.run(
            "record - --stream --json --ledger \(ledger)", input: input)
        #expect(result.status == 0, "\(result.errors)")
        let receipts = try result.output.split(separator: "\n").map {
            try #require(try JSONReader.read(Array($0.utf8)).object)
        }
        #expect(receipts.map { $0["appended"] } == [2, 1])
        let events = try bench.events()
        #expect(events.count == 4)
        #expect(events[1]["recorded_at"] == events[2]["recorded_at"])
        #expect(try bench.run("check ada unlimitedStories --ledger \(ledger)").status == 0)
        let again = try bench.run("record - --json --ledger \(ledger)", input: input).json
        #expect(again["appended"] == 0)
        #expect(again["duplicates"] == 3)
    }

    @Test("An event from its parts takes items too, and names the option where they are wrong")
    func parts() throws {
        let data =
            #"{"store":"web","order_id":"o-2","kind":"consumable","currency":"USD","#
            + #""items":[{"product":"a","price_milli":1},{"price_milli":2}]}"#
        let line = [
            "record", "purchase.completed", "ada", "--source", "web", "--key", "o-2", "--json",
            "--ledger", ledger, "--data",
        ]
        let refused = try bench.run(line + [data])
        #expect(refused.status == 3)
        #expect(refused.output.isEmpty)
        let problem = try #require(try refused.error["problems"]?.array?.first?.object)
        #expect(problem["member"] == "data.items[1].product")
        #expect(problem["reason"]?.text?.hasPrefix("--data, items[1].product: ") == true)
        let mended = data.replacing("{\"price", with: "{\"product\":\"b\",\"price")
        #expect(try bench.run(line + [mended]).json["appended"] == 2)
    }

    @Test("A dry run counts the line and writes nothing; a mistake has line and column")
    func dryRun() throws {
        try bench.write(Self.order, to: "in.ndjson")
        let dry = try bench.run("import in.ndjson --dry-run --json --ledger \(ledger)").json
        #expect(dry["lines"] == 1)
        #expect(try bench.events().count == 1)
        let bad = Self.order.replacing("\"poster\"", with: "\"com.dozzi.unlimited_stories\"")
        try bench.write("\n" + bad, to: "in.ndjson")
        let refused = try bench.run("import in.ndjson --json --ledger \(ledger)")
        #expect(refused.status == 3)
        let problem = try #require(try refused.error["problems"]?.array?.first?.object)
        #expect(problem["line"] == 2)
        #expect(problem["member"] == "data.items[1].product")
        let start = try #require(bad.firstRange(of: "},{\"product\""))
        #expect(
            problem["column"]
                == .integer(
                    Int64(bad.utf8.distance(from: bad.startIndex, to: start.lowerBound) + 4)))
        #expect(refused.errors.has("say quantity"))
    }

    @Test("A refund that names an order instead of its items is recorded, and told")
    func unmet() throws {
        #expect(
            try bench.run("record - --ledger \(ledger)", input: Self.order).status == 0)
        func refund(_ key: String, _ more: String = "") -> String {
            #"{"type":"purchase.refunded","subject":"ada","occurred_at":"2026-03-02T09:00:00Z","#
                + #""source":{"kind":"web","key":"\#(key)"},"data":{"store":"web","#
                + #""transaction_id":"o-1","revoked_at":"2026-03-02T09:00:00Z"\#(more)}}"# + "\n"
        }
        let told = "web:o-1 was taken back and is not known (yet)"
        let whole = try bench.run("record - --json --ledger \(ledger)", input: refund("r-1")).json
        #expect(whole["appended"] == 1)
        #expect(whole["unknown_transactions"] == ["web:o-1"])
        let shown = try bench.run("record - --ledger \(ledger)", input: refund("r-2"))
        #expect(shown.status == 0 && shown.output.has(told))
        let item = try bench.run(
            "record - --json --ledger \(ledger)",
            input: refund("r-3", #","items":[{"product":"poster"}]"#)
        ).json
        #expect(item["appended"] == 1)
        #expect(item["unknown_transactions"] == nil)
        let file = try bench.run("import - --json --ledger \(ledger)", input: refund("r-4")).json
        #expect(file["unknown_transactions"] == ["web:o-1"])
        let dry = try bench.run("import - --dry-run --ledger \(ledger)", input: refund("r-5"))
        #expect(dry.status == 0 && dry.output.has(told))
    }

    @Test("amend takes times as people write them")
    func amendedTime() throws {
        let grant =
            "grant issue ada --meter stories --amount 5 --id g1 --idempotency-key g --ledger \(ledger)"
        #expect(try bench.run(grant).status == 0)
        let amend = "amend ledger/g --reason longer --ledger \(ledger)"
        let bad = try bench.run("\(amend) --set expires_at=2030-01-01 --json")
        #expect(bad.status == 3)
        #expect(bad.output.isEmpty)
        #expect(
            try bad.error["problems"]?.array?.first?.object?["member"] == "data.patch.expires_at")
        let dry = try bench.run("\(amend) --set expires_at=2030-01-01T00:00:00Z --dry-run")
        #expect(dry.status == 0, "\(dry.errors)")
        let done = try bench.run(
            "\(amend) --patch {\"expires_at\":\"2030-01-01T01:00:00+01:00\"}")
        #expect(done.status == 0, "\(done.errors)")
        let last = try #require(try bench.events().last)
        #expect(last.at("data.patch") == .object(["expires_at": 1_893_456_000_000]))
    }
}
