import DaybookEvents
import Foundation
import Testing

/// Subscriber documents of RevenueCat on the command line.
@Suite("Command line: moving from RevenueCat")
struct SubscriberTests {
    private static func document(
        _ customer: String, transaction: String = "9100", _ more: String = "",
        beside: String = ""
    ) -> String {
        """
        {"request_date_ms":1768478400000\(beside),"subscriber":{\
        "original_app_user_id":"\(customer)","first_seen":"2025-12-01T00:00:00Z",\
        "entitlements":{},"non_subscriptions":{},"subscriptions":{"com.nestling.pro.monthly":{\
        "purchase_date":"2026-01-01T00:00:00Z","original_purchase_date":"2025-06-01T00:00:00Z",\
        "expires_date":"2036-02-01T00:00:00Z","store":"app_store","is_sandbox":false,\
        "store_transaction_id":"\(transaction)"\(more)}}}}
        """
    }

    @Test("One per line: taken in, listed where they cannot say it, and twice is once")
    func lines() throws {
        let bench = try Workbench()
        let ledger = try bench.begin(Workbench.nuzzle)
        let strange = Self.document("cat", transaction: "9102", #","purchase_date":5"#)
            .replacing(#""purchase_date":"2026-01-01T00:00:00Z","#, with: "")
        try bench.write(
            [
                Self.document("ada"), "",
                Self.document(
                    "$RCAnonymousID:8", transaction: "9101", beside: #","app_user_id":"bea""#),
                strange,
            ].joined(separator: "\n"), to: "moved.ndjson")
        let line = "ingest moved.ndjson --as revenuecat-subscriber --ledger \(ledger)"
        let dry = try bench.run("\(line) --dry-run --json")
        #expect(dry.status == 3)
        #expect(try dry.json["dry_run"] == true)
        #expect(try dry.json["appended"] == 5)
        #expect(try dry.json["duplicates"] == 0)
        #expect(try bench.events().count == 1)
        let first = try bench.run("\(line) --json")
        #expect(first.status == 3)
        #expect(try first.json["dry_run"] == false)
        // Two events for ada, and for bea an alias besides.
        #expect(try first.json["appended"] == 5)
        #expect(
            try first.json["gap_counts"] == ["earlier_periods": 2, "original_transaction": 2])
        let gaps = try #require(try first.json["gaps"]?.array)
        #expect(gaps.map { $0.object?["subject"] } == ["ada", "ada", "bea", "bea"])
        let refused = try #require(try first.json["refused"]?.array)
        #expect(refused.map { $0.object?["place"] } == ["line 4"])
        #expect(
            refused[0].object?["reason"]?.text?.contains(
                "subscriber.subscriptions[\"com.nestling.pro.monthly\"].purchase_date") == true)
        let again = try bench.run(line)
        #expect(
            again.output.has("3 subscriber documents, 0 events appended, 5 events there already"))
        #expect(again.output.has("earlier_periods  ada: com.nestling.pro.monthly: bought first on"))
        for name in ["ada", "bea"] {
            #expect(
                try bench.run("check \(name) smartPredictions --ledger \(ledger)").status == 0)
        }
        let deadLetters = try bench.run("dead-letters list --json --ledger \(ledger)").json[
            "dead_letters"]
        #expect(deadLetters?.array?.map { $0.object?["kind"] } == ["revenuecat-subscriber"])
        // Neither roots nor bundle identifiers are needed.
        let retried = try bench.run("dead-letters retry --json --ledger \(ledger)")
        #expect(retried.status == 3)
        #expect(try retried.json["refused"]?.array?.count == 1)
        let read = try bench.run("reinterpret --json --ledger \(ledger)")
        #expect(read.status == 0)
        #expect(try read.json["payloads"] == 2)
    }

    @Test("A dry run counts once what two documents of a file say, and writes nothing")
    func dryRun() throws {
        let bench = try Workbench()
        let ledger = try bench.begin(Workbench.nuzzle)
        try bench.write(Self.document("ada") + "\n" + Self.document("ada"), to: "twice.ndjson")
        let line = "ingest twice.ndjson --as revenuecat-subscriber --ledger \(ledger)"
        let dry = try bench.run("\(line) --dry-run")
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(
            dry.output.has(
                "2 subscriber documents, 2 events would be appended, 2 events there already; "
                    + "a dry run: nothing is written"))
        #expect(try bench.events().count == 1)
        #expect(try bench.run(line).status == 0)
        let again = try bench.run("\(line) --dry-run --json")
        #expect(try again.json["appended"] == 0)
        #expect(try again.json["duplicates"] == 4)
        #expect(try bench.events().count == 3)
    }

    @Test("--subject names the customer of a single document, and is refused for several")
    func subject() throws {
        let bench = try Workbench()
        let ledger = try bench.begin(Workbench.nuzzle)
        try bench.write(Self.document("$RCAnonymousID:8"), to: "one.json")
        try bench.write(
            Self.document("ada") + "\n" + Self.document("bea", transaction: "9101"),
            to: "two.ndjson")
        let line = "--as revenuecat-subscriber --ledger \(ledger)"
        #expect(try bench.run("ingest two.ndjson --subject eve \(line)").status == 2)
        #expect(try bench.run("ingest one.json one.json --subject eve \(line)").status == 2)
        #expect(try bench.run("ingest one.json --product p \(line)").status == 2)
        let taken = try bench.run("ingest one.json --subject eve --json \(line)")
        #expect(taken.status == 0)
        #expect(try taken.json["appended"] == 3)
        #expect(try bench.run("check eve smartPredictions --ledger \(ledger)").status == 0)
    }

    @Test(
        "One file is open at a time, and one that is missing or blank ends it before any is taken")
    func manyFiles() throws {
        let bench = try Workbench()
        let ledger = try bench.begin(Workbench.nuzzle)
        for index in 0..<80 {
            try bench.write(
                Self.document("cat-\(index)", transaction: "9\(100 + index)"),
                to: "moved-\(index).json")
        }
        try bench.write(" \n\t\r\n", to: "blank.json")
        let options = "--as revenuecat-subscriber --json --ledger \(ledger)"
        for (file, status) in [("blank.json", 3), ("missing.json", 4)] as [(String, Int32)] {
            let refused = try bench.run("ingest moved-0.json \(file) \(options)")
            #expect(refused.status == status)
            #expect(try refused.error["code"] == (status == 3 ? "empty" : "no_file"))
            #expect(try bench.events().count == 1)
        }
        // Fewer files than are named may be open, and the program needs about a dozen for itself.
        let taken = try bench.shell(
            "ulimit -n 64; daybook ingest moved-*.json - \(options) < moved-0.json")
        #expect(taken.status == 0, "\(taken.errors)")
        #expect(try taken.json["texts"] == 81)
        // A pipe can be read only once.
        let piped = try bench.shell("daybook ingest <(cat moved-0.json) \(options)")
        #expect(piped.status == 0, "\(piped.errors)")
        #expect(try piped.json["texts"] == 1)
        #expect(try piped.json["appended"] == 0)
    }

    @Test("The lists of --json are there also where a document says everything")
    func noGaps() throws {
        let bench = try Workbench()
        let ledger = try bench.begin(Workbench.nuzzle)
        try bench.write(
            Self.document("ada").replacing("2025-06-01", with: "2026-01-01"), to: "one.json")
        let taken = try bench.run(
            "ingest one.json --as revenuecat-subscriber --json --ledger \(ledger)")
        #expect(taken.status == 0)
        #expect(try taken.json["gaps"] == .array([]))
        #expect(try taken.json["gap_counts"] == .object(JSONObject()))
    }

    @Test("A document that was asked for another customer than --subject names is refused")
    func mislabelled() throws {
        let bench = try Workbench()
        let ledger = try bench.begin(Workbench.nuzzle)
        try bench.write(Self.document("ada", beside: #","app_user_id":"bea""#), to: "one.json")
        let refused = try bench.run(
            "ingest one.json --as revenuecat-subscriber --subject eve --json --ledger \(ledger)")
        #expect(refused.status == 3)
        let reason = try refused.json["refused"]?.array?.first?.object?["reason"]?.text
        #expect(reason?.contains("app_user_id") == true)
        #expect(reason?.contains("forbidden") == true)
        #expect(try refused.json["appended"] == 0)
    }
}
