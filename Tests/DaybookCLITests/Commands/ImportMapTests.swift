import DaybookEvents
import Foundation
import Testing

/// Delimited text that becomes events by a map (docs/import-maps.md).
@Suite("Command line: import with a map")
struct ImportMapTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin("\(Workbench.repository)/datasets/webshop/catalog.yaml")
    }

    private static let map = """
        source: test
        events:
          - type: milestone.reached
            subject: "{who}"
            occurred_at: { column: when, format: "yyyy-MM-dd HH:mm" }
            key: "k-{row}"
            data: { name: "{what}" }

        """

    private func load(
        _ rows: String, map: String = Self.map, _ options: String...
    ) throws -> ToolResult {
        try bench.write(rows, to: "in.csv")
        try bench.write(map, to: "map.yaml")
        return try bench.run(
            [
                "import", bench.path("in.csv"), "--map", bench.path("map.yaml"), "--ledger", ledger,
                "--json",
            ] + options)
    }

    /// The last line's data and envelope.
    private func last() throws -> JSONObject { try #require(try bench.events().last) }

    @Test(
        "The example's orders are purchases and a refund, and the same file again is there before")
    func webshop() throws {
        let folder = "\(Workbench.repository)/datasets/webshop"
        let words = [
            "import", "\(folder)/orders.csv", "--map", "\(folder)/map.yaml", "--ledger", ledger,
            "--json",
        ]
        let report = try bench.run(words).json
        #expect(report["lines"] == 5)
        #expect(report["appended"] == 4)
        #expect(try bench.run(words).json["duplicates"] == 4)
        let revenue = try bench.run([
            "metrics", "net_revenue", "--period", "2026-Q1", "--by", "month", "--csv", "--ledger",
            ledger,
        ])
        let rows = revenue.output.split(separator: "\n").map(String.init)
        // Summer time is far, so nine in the morning in Amsterdam is eight in UTC; 12.5 + 12, 1.99 - 12.
        #expect(rows.contains { $0.has("2026-01") && $0.has("24500") }, "\(revenue.output)")
        #expect(rows.contains { $0.has("2026-02") && $0.has("-10010") }, "\(revenue.output)")
        let first = try bench.events()[1]
        #expect(first["occurred_at"] == 1_767_428_100_000)
        #expect(first.at("data.price_milli") == 12_500)
    }

    @Test("Quotes, commas and line breaks in fields, a mark at the beginning, and CRLF")
    func quoting() throws {
        let rows = "\u{FEFF}who,when,what\r\nada,2026-01-01 10:00,\"a,\"\"b\"\"\r\nc\"\r\n"
        #expect(try load(rows).json["appended"] == 1)
        #expect(try last().at("data.name") == "a,\"b\"\r\nc")
    }

    @Test("What is no part of a time stands for itself in a pattern")
    func literals() throws {
        let map = Self.map.replacing("yyyy-MM-dd HH:mm", with: "yyyy-MM-ddTHH:mm:ss.SSS UTC")
        let rows = "who,when,what\nada,2026-01-01T10:00:07.250 UTC,x\n"
        #expect(try load(rows, map: map).json["appended"] == 1)
        #expect(try last()["occurred_at"] == 1_767_261_607_250)
    }

    @Test("Columns that spaces part, without names; values, times and flags")
    func spaces() throws {
        let map = """
            source: test
            separator: spaces
            header: false
            columns: [who, seconds, kind, price]
            events:
              - type: purchase.completed
                subject: "{who}"
                occurred_at: { column: seconds, format: unix }
                key: "{who}/{row}"
                data:
                  product: { column: kind, values: { a: album }, otherwise: single }
                  kind: consumable
                  transaction_id: "{who}-{row}"
                  price_milli: { column: price, times: 1000 }
                  currency: EUR

            """
        #expect(
            try load("  ada 1767225600.5  a 1.25\n\tben 1767225601 x 3\n", map: map).json[
                "appended"] == 2)
        let events = try bench.events().suffix(2).map { $0 }
        #expect(events[0]["occurred_at"] == 1_767_225_600_500)
        #expect(events[0].at("data.product") == "album")
        #expect(events[0].at("data.price_milli") == 1_250)
        #expect(events[1].at("data.product") == "single")
        #expect(events[1].at("source.key") == "ben/2")
        #expect(events[1].at("source.kind") == "test")
    }

    @Test(
        "What is wrong with a row is told with its place, and nothing is taken",
        arguments: [
            ("who,when,what\nada,2026-01-01 10:00\n", "bad_row", 2, 1),
            ("who,when,what\nada,2026-13-01 10:00,x\n", "wrong_type", 2, 5),
            ("who,when,what\nada,yesterday,x\n", "wrong_type", 2, 5),
            ("who,when,what\nada,2026-01-01 10:00,\"x\n\n", "bad_row", 2, 22),
            ("who,when,what\nada,2026-01-01 10:00,\"x\"y\n", "bad_row", 2, 25),
            ("who,when,what\nada,2026-01-01 10:00,x\"y\n", "bad_row", 2, 23),
            ("who,when,what\n,2026-01-01 10:00,x\n", "missing_subject", 2, 1),
            ("who,when,what\nada,2026-01-01 10:00,\n", "missing_field", 2, 22),
            ("who,when,wat\nada,2026-01-01 10:00,x\n", "bad_row", 1, 1),
            ("who,when,what,who\nada,2026-01-01 10:00,x,y\n", "bad_row", 1, 15),
            ("who,when,what\n\nada@b.c,2026-01-01 10:00,x\n", "pii_forbidden", 3, 1),
        ])
    func refused(rows: String, code: String, line: Int64, column: Int64) throws {
        let result = try load("\(rows)ben,2026-01-01 10:00,x\n")
        #expect(result.status == 3)
        let problem = try #require(try result.error["problems"]?.array?.first?.object)
        #expect(problem["code"] == .string(code), "\(result.errors)")
        #expect(problem["line"] == .integer(line), "\(result.errors)")
        #expect(problem["column"] == .integer(column), "\(result.errors)")
        #expect(try bench.events().count == 1)
    }

    @Test("A quote inside a field spoils its row alone, and the rest is taken")
    func strayQuote() throws {
        let rows =
            "who,when,what\nada,2026-01-01 10:00,5\" disk\nben,2026-01-01 10:00,x\ncy,2026-01-01 10:00,y\n"
        let result = try load(rows, "--keep-going")
        #expect(result.status == 3)
        #expect(try bench.events().count == 3)
    }

    @Test("With --keep-going the bad row is kept with its text, and the rest is taken")
    func keepsGoing() throws {
        let result = try load(
            "who,when,what\nada,x,\"a\nb\"\nben,2026-01-01 10:00,x\n", "--keep-going")
        #expect(result.status == 3)
        #expect(try bench.events().count == 2)
        let refused = try JSONReader.read(Array(try bench.text(of: "in.csv.refused").utf8)).object
        #expect(refused?["line"] == 2)
        #expect(refused?["text"] == "ada,x,\"a\nb\"")
        // The row's number counts what was refused, so that the key is the same once it is mended.
        #expect(try last().at("source.key") == "k-2")
    }

    @Test("A purchase of a row that is refused meets no refund, and the row leaves nothing behind")
    func refusedPurchase() throws {
        let time = #"{ column: when, format: "yyyy-MM-dd" }"#
        let map = """
            source: test
            events:
              - type: purchase.completed
                when: { what: buy }
                subject: "{who}"
                occurred_at: \(time)
                key: "p-{order}"
                data:
                  product: gift-card
                  kind: consumable
                  store: web
                  transaction_id: "{order}"
                  price_milli: { text: "990" }
              - type: usage.recorded
                when: { what: buy }
                subject: "{who}"
                occurred_at: \(time)
                key: "u-{order}"
                data: { meter: gadgets, amount: { text: "1" }, ref: "{order}" }
              - type: purchase.refunded
                when: { what: refund }
                subject: "{who}"
                occurred_at: \(time)
                key: "r-{order}"
                data:
                  transaction_id: "{order}"
                  kind: consumable
                  store: web
                  revoked_at: \(time)

            """
        let rows = "what,who,when,order\nbuy,ada,2026-01-01,o-1\nrefund,ada,2026-01-02,o-1\n"
        let result = try load(rows, map: map, "--keep-going")
        #expect(result.status == 3)
        #expect(try result.json["refused"] == 1)
        #expect(try result.json["appended"] == 1)
        #expect(try result.json["unknown_transactions"] == ["web:o-1"])
        #expect(try bench.events().count == 2)
        #expect(try last()["type"] == "purchase.refunded")
    }

    @Test(
        "What is wrong with a map is told with its place",
        arguments: [
            (
                "type: milestone.reached", "type: milestone.reach",
                "Did you mean `milestone.reached`?"
            ),
            ("name: \"{what}\"", "nam: \"{what}\"", "Did you mean `name`?"),
            ("    key: \"k-{row}\"\n", "", "`key` is missing"),
            ("k-{row}", "k-{row", "is not closed"),
            ("yyyy-MM-dd HH:mm", "d.M.", "is no format of a time"),
            ("yyyy-MM-dd HH:mm", "yyyy-MM-dd HH:mm:ss.SSSSSS", "is no format of a time"),
            ("source: test", "sauce: test", "`source` is missing"),
            ("column: when,", "column: when, times: 10,", "only a number is multiplied"),
            ("source: test", "source: test\nzone: Europe/Amsterdm", "no time zone"),
            (
                "source: test", "source: test\nheader: false\ncolumns: [who, what]",
                "no column `when`"
            ),
        ])
    func badMap(old: String, new: String, sentence: String) throws {
        let map = Self.map.replacing(old, with: new)
        #expect(map != Self.map)
        let result = try load("who,when,what\n", map: map)
        #expect(result.status == 3)
        #expect(try result.error["code"] == "bad_map")
        #expect(result.errors.has(sentence), "\(result.errors)")
        #expect(result.errors.has("map.yaml:"), "\(result.errors)")
    }

    @Test("A row that no event fits is refused, or skipped where the map says so")
    func others() throws {
        let some = Self.map.replacing(
            "    subject:", with: "    when: { what: [x, y] }\n    subject:")
        let rows = "who,when,what\nada,2026-01-01 10:00,x\nada,2026-01-01 10:01,z\n"
        let result = try load(rows, map: some)
        #expect(result.status == 3)
        #expect(result.errors.has("no event of the map fits the row"), "\(result.errors)")
        #expect(try load(rows, map: "otherRows: skip\n" + some).json["appended"] == 1)
    }

    @Test("A field that goes on over pieces of the file is one field")
    func pieces() throws {
        // Longer than what is read at once, so that a quoted field and its quotes are cut anywhere.
        let long = String(repeating: "a\"\"\n,", count: 100)
        let rows = (0..<6_000).map { "u\($0),2026-01-01 10:00,m\($0),\"\(long)\"\n" }.joined()
        #expect(rows.utf8.count > 2 << 20)
        let result = try load("who,when,what,note\n" + rows)
        #expect(try result.json["appended"] == 6_000)
        #expect(try last().at("data.name") == "m5999")
    }
}
