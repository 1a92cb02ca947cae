import Daybook
import DaybookEvents
import Foundation
import Testing

/// A life of the sandbox on the command line, webhooks of RevenueCat, and payloads read again.
@Suite("Command line: a life, webhooks, and payloads read again")
struct ReadAgainTests {
    private static let believing = "--bundle-id com.example --root sandbox.pem --env test"
    private static let product = "com.magicalstories.premium.monthly"

    /// A ledger with a whole life in it.
    private func lived(_ more: String = "") throws -> Workbench {
        let bench = try Workbench()
        try bench.begin(Workbench.magical)
        let made = try bench.shell(
            """
            set -e; export DAYBOOK_LEDGER=a.sqlite
            daybook sandbox create sandbox.key --root sandbox.pem
            daybook sandbox life --authority sandbox.key --product \(Self.product) \
              --bundle-id com.example --token ada --price 8990 --currency USD --output life.ndjson \(more)
            daybook ingest life.ndjson \(Self.believing)
            """)
        try #require(made.status == 0, "\(made.output)\(made.errors)")
        return bench
    }

    @Test("A life is signed, taken in, shown by status and history, and replayed")
    func life() throws {
        let bench = try lived()
        let lines = try bench.text(of: "life.ndjson").split(separator: "\n")
        #expect(lines.count == 11)
        let shown = try bench.shell(
            """
            export DAYBOOK_LEDGER=a.sqlite
            tail -r life.ndjson 2>/dev/null > again.ndjson || tac life.ndjson > again.ndjson
            daybook ingest again.ndjson \(Self.believing) --json
            daybook status ada --env test --json
            daybook replay --json
            """)
        let answers = try shown.output.split(separator: "\n").map {
            try #require(try JSONReader.read(Array($0.utf8)).object)
        }
        #expect(answers[0]["appended"] == 0)
        #expect(answers[0]["texts"] == 11)
        #expect(answers[1].at("entitlements.premium.state") == "expired")
        #expect(shown.status == 0)
        let history = try bench.run("history ada --env test --ledger a.sqlite").output
        for word in [
            "subscription started", "subscription renewed", "subscription billing failed",
            "purchase refunded", "purchase refund reversed", "subscription expired",
        ] {
            #expect(history.has(word), "\(word)")
        }
    }

    @Test("A life may begin when it likes, and a step that cannot follow is bad input")
    func plans() throws {
        let bench = try lived("--start 2026-03-01T00:00:00Z --plan purchase,retry --transaction 77")
        let status = try bench.run(
            "status ada --env test --at 2026-03-01T00:04:59Z --json --ledger a.sqlite")
        #expect(try status.json.at("entitlements.premium.state") == "active")
        let later = try bench.run(
            "status ada --env test --at 2026-03-01T00:05:00Z --json --ledger a.sqlite")
        #expect(try later.json.at("entitlements.premium.state") == "billing_retry")
        func life(_ more: String) throws -> ToolResult {
            try bench.run(
                "sandbox life --authority sandbox.key --product p --bundle-id b --output x \(more)")
        }
        let wrong = try life("--plan purchase,recovery")
        #expect(wrong.status == 3)
        #expect(wrong.errors.has("step 2, recovery"))
        #expect(try life("--plan birth").errors.has("\"birth\" is no step"))
        #expect(try life("--period PT5M").status == 3)
        #expect(try life("--speed 7m").status == 2)
        #expect(!bench.exists("x"))
    }

    @Test("Reading again finds nothing; what older code recorded is shown, applied, and then gone")
    func reinterpret() async throws {
        let bench = try lived()
        let same = try bench.run("reinterpret --json --ledger a.sqlite")
        #expect(same.status == 0)
        #expect(try same.json["payloads"] == 11)
        #expect(try same.json["differences"] == .array([]))
        // As older code had recorded it.
        let ledger = try Ledger.open(bench.path("a.sqlite"))
        var options = ReinterpretOptions()
        options.isApplied = true
        let older = PayloadMapping { payload in
            try PayloadMapping.present.events(of: payload).map { draft in
                var draft = draft
                if draft.type == .subscriptionRenewed { draft.data["product"] = "former" }
                return draft
            }
        }
        #expect(try await ledger.reinterpret(options, mapping: older).differenceCount == 3)
        try ledger.close()
        let before = try bench.run("export --ledger a.sqlite").output
        let shown = try bench.run("reinterpret --json --ledger a.sqlite")
        #expect(shown.status == 1)
        #expect(try shown.json.at("changes.replaced") == 3)
        let first = try #require(try shown.json["differences"]?.array?.first?.object)
        #expect(first["type"] == "subscription.renewed")
        let field = try #require(first["fields"]?.array?.first?.object)
        #expect(field["name"] == "data.product")
        #expect(field["recorded"] == "former")
        #expect(field["now"] == .string(Self.product))
        let text = try bench.run("reinterpret --ledger a.sqlite")
        #expect(text.output.has("data.product former → \(Self.product)"))
        #expect(text.output.has("--apply"))
        #expect(try bench.run("export --ledger a.sqlite").output == before)
        let applied = try bench.run(
            "reinterpret --apply --reason renamed --ticket OPS-7 --actor kim --json --ledger a.sqlite"
        )
        #expect(applied.status == 0)
        #expect(try applied.json["appended"] == 6)
        let voided = try bench.events().filter { $0["type"] == "correction.voided" }
        #expect(voided.last?.at("data.ticket") == "OPS-7")
        #expect(voided.last?["actor"] == "kim")
        #expect(try bench.run("reinterpret --apply --json --ledger a.sqlite").json["appended"] == 0)
        #expect(try bench.run("verify --ledger a.sqlite").status == 0)
    }

    @Test("An export has no payloads: its events are counted by source")
    func withoutPayloads() throws {
        let bench = try lived()
        let copied = try bench.shell(
            """
            set -e; daybook export --ledger a.sqlite > all.ndjson
            daybook init copy.sqlite --app magical-stories > /dev/null
            daybook import all.ndjson --as-recorded --ledger copy.sqlite > /dev/null
            daybook reinterpret --json --ledger copy.sqlite
            """)
        #expect(copied.status == 0)
        #expect(try copied.json["payloads"] == 0)
        let count = try bench.events().count { $0.at("source.kind") == "apple_asn_v2" }
        #expect(try copied.json.at("without_payload.apple_asn_v2") == .integer(Int64(count)))
    }

    @Test(
        "Webhooks of RevenueCat, one per line: taken in, known by id, refused ones kept with their line"
    )
    func webhooks() throws {
        let bench = try Workbench()
        let ledger = try bench.begin("\(Workbench.repository)/events/nuzzle/catalog.yaml")
        func webhook(_ id: String, _ environment: String = "PRODUCTION") -> String {
            """
            {"event":{"type":"INITIAL_PURCHASE","id":"\(id)","event_timestamp_ms":1768478400000,\
            "app_user_id":"ada","environment":"\(environment)","store":"APP_STORE",\
            "product_id":"com.nestling.pro.monthly","original_transaction_id":"\(id)",\
            "transaction_id":"\(id)","purchased_at_ms":1768478400000,\
            "expiration_at_ms":1771156800000,"currency":"USD","price_in_purchased_currency":5.99}}
            """
        }
        try bench.write(
            [webhook("w1"), "", webhook("w2", "SANDBOX"), webhook("w3"), "{"].joined(
                separator: "\n"), to: "hooks.ndjson")
        let line = "ingest hooks.ndjson --as revenuecat --ledger \(ledger)"
        let dry = try bench.run("\(line) --dry-run --json")
        #expect(dry.status == 3)
        #expect(try dry.json["appended"] == 2)
        #expect(try dry.json["dry_run"] == true)
        let first = try bench.run("\(line) --json")
        #expect(first.status == 3)
        #expect(try first.json["appended"] == 2)
        let refused = try #require(try first.json["refused"]?.array)
        #expect(refused.map { $0.object?["place"] } == ["line 3", "line 5"])
        #expect(refused.map { $0.object?["code"] } == ["environment", "format"])
        let again = try bench.run(line)
        #expect(again.output.has("4 webhooks, 0 events appended, 2 events there already"))
        let deadLetters = try bench.run("dead-letters list --json --ledger \(ledger)").json[
            "dead_letters"]
        #expect(deadLetters?.array?.map { $0.object?["kind"] } == ["revenuecat", "revenuecat"])
        // Neither roots nor bundle identifiers are needed.
        let retried = try bench.run("dead-letters retry --json --ledger \(ledger)")
        #expect(retried.status == 3)
        #expect(try retried.json["refused"]?.array?.count == 2)
        let home = try bench.run("\(line) --env sandbox --json")
        #expect(try home.json["appended"] == 1)
        #expect(
            try bench.run("ingest hooks.ndjson --as revenuecat --subject ada --ledger \(ledger)")
                .status == 2)
        #expect(try bench.run("reinterpret --json --ledger \(ledger)").json["payloads"] == 3)
    }
}
