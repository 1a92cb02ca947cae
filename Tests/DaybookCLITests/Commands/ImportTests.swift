import DaybookEvents
import Foundation
import Testing

@Suite("Command line: import, export, record")
struct ImportTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private func load(_ lines: String, _ options: String...) throws -> ToolResult {
        try bench.write(lines, to: "in.ndjson")
        return try bench.run(["import", bench.path("in.ndjson"), "--ledger", ledger] + options)
    }

    @Test("An import appends all, and the same file again appends nothing")
    func twice() throws {
        let lines = (1...3).map { Lines.usage("s\($0)") }.joined()
        let first = try load(lines, "--json").json
        #expect(first["lines"] == 3)
        #expect(first["appended"] == 3)
        #expect(first["refused"] == 0)
        #expect(first["refused_file"] == .null)
        let again = try load(lines, "--json").json
        #expect(again["appended"] == 0)
        #expect(again["duplicates"] == 3)
        #expect(try load(lines).output.has("0 events appended, 3 there before"))
    }

    @Test("A bad line is told with line and column, and nothing is appended")
    func badLine() throws {
        let bad = Lines.usage("s1") + "{\"type\":\"usage.recorded\",}\n" + Lines.usage("s2")
        let result = try load(bad, "--json")
        #expect(result.status == 3)
        #expect(result.output.isEmpty)
        let problem = try #require(try result.error["problems"]?.array?.first?.object)
        #expect(problem["line"] == 2)
        #expect(problem["column"] == 26)
        #expect(problem["code"] == "bad_json")
        #expect(result.errors.has("line 2, column 26"))
        #expect(try bench.events().count == 1)
    }

    @Test(
        "Every kind of bad input is refused with 3 and a code, and nothing is appended",
        arguments: [
            ("{\"type\":\"usage.recorded\"", "bad_json"),
            ("[1,2]", "wrong_type"),
            ("{\"type\":\"app.launched\",\"type\":\"x\",\"subject\":\"ada\"}", "bad_json"),
            (String(repeating: "[", count: 5_000), "bad_json"),
            ("{\"subject\":\"ada\"}", "missing_field"),
            (Lines.usage("s1", amount: -3), "out_of_bounds"),
            (Lines.usage("s1", amount: 2_000_000_000), "out_of_bounds"),
            (Lines.usage("s1", at: 78_766_000_000_000_000), "out_of_bounds"),
            (Lines.usage("s1").replacing("\"key\":\"s1\"", with: "\"x\":\"s1\""), "missing_key"),
            (Lines.usage("s1").replacing("\"amount\":1", with: "\"amount\":\"1\""), "wrong_type"),
            (
                Lines.usage("s1").replacing("ada", with: String(repeating: "a", count: 300)),
                "too_large"
            ),
            (
                Lines.usage("s1").replacing("\"data\"", with: "\"email\":\"a@b.c\",\"data\""),
                "pii_forbidden"
            ),
            (Lines.usage(String(repeating: "s", count: 70_000)), "too_large"),
        ])
    func badInput(line: String, code: String) throws {
        let result = try load(Lines.usage("good") + line, "--json")
        #expect(result.status == 3)
        #expect(try result.error["code"] == .string(code), "\(result.errors.prefix(400))")
        #expect(try bench.events().count == 1)
    }

    @Test("Text that is not UTF-8 is refused, with its place")
    func notUTF8() throws {
        var bytes = Array(Lines.usage("s1").utf8)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "a")))
        bytes[place] = 0xFF
        try Data(bytes).write(to: URL(filePath: bench.path("in.ndjson")))
        let result = try bench.run("import in.ndjson --json --ledger \(ledger)")
        #expect(result.status == 3)
        #expect(try result.error["code"] == "bad_json")
    }

    @Test("--dry-run checks everything and appends nothing")
    func dryRun() throws {
        let fine = try load(Lines.usage("s1"), "--dry-run", "--json")
        #expect(fine.status == 0)
        #expect(try fine.json["dry_run"] == true)
        #expect(try load("{}\n", "--dry-run").status == 3)
        #expect(try bench.events().count == 1)
    }

    @Test("--keep-going appends the rest and writes refused lines with reasons to a file")
    func keepGoing() throws {
        let lines =
            Lines.usage("s1") + "{\"oops\"}\n" + Lines.usage("s2", amount: -1) + Lines.usage("s3")
        let result = try load(lines, "--keep-going", "--json")
        #expect(result.status == 3)
        #expect(try result.json["appended"] == 2)
        #expect(try result.json["refused"] == 2)
        let refused = try bench.text(of: "in.ndjson.refused").split(separator: "\n")
        #expect(refused.count == 2)
        let first = try #require(try JSONReader.read(Array(refused[0].utf8)).object)
        #expect(first["line"] == 2)
        #expect(first["column"]?.integer != nil)
        #expect(first["reason"]?.text?.isEmpty == false)
        #expect(first["text"] == "{\"oops\"}")
        #expect(try bench.events().count == 3)
        let named = try load("{}\n", "--keep-going", "--refused", bench.path("bad.txt"))
        #expect(named.status == 3)
        #expect(bench.exists("bad.txt"))
    }

    @Test("The same key with other content is refused, and the file as a whole with it")
    func conflict() throws {
        _ = try load(Lines.usage("s1"))
        let other =
            Lines.usage("s2") + Lines.usage("s1").replacing("\"amount\":1", with: "\"amount\":2")
        let refused = try load(other, "--json")
        #expect(refused.status == 3)
        #expect(try refused.error["code"] == "idempotency_conflict")
        let problem = try #require(try refused.error["problems"]?.array?.first?.object)
        #expect(problem["line"] == 2)
        #expect(problem["code"] == "idempotency_conflict")
        #expect(problem["column"]?.integer ?? 0 > 1)
        #expect(try bench.events().count == 2)
    }

    @Test("--keep-going writes a refused key's line as it came, and appends the rest")
    func keptLine() throws {
        _ = try load(Lines.usage("s1"))
        // Not canonical: the members stand in the source's own order.
        let line = Lines.usage("s1").replacing("\"amount\":1", with: "\"amount\":  2")
        let twin = Lines.usage("s2").replacing("\"amount\":1", with: "\"amount\":3")
        let result = try load(
            Lines.usage("s2") + line + twin + Lines.usage("s3"), "--keep-going", "--json")
        #expect(result.status == 3)
        #expect(try result.json["appended"] == 2)
        let refused = try bench.text(of: "in.ndjson.refused").split(separator: "\n").map {
            try #require(try JSONReader.read(Array($0.utf8)).object)
        }
        #expect(refused.map { $0["line"]?.integer } == [2, 3])
        #expect(refused.map { $0["text"]?.text } == [line, twin].map { String($0.dropLast()) })
        #expect(refused.allSatisfy { $0["code"] == "idempotency_conflict" })
    }

    @Test(
        "An export fits byte for byte into a ledger without events, with the times that it carries",
        arguments: [nil, "1970-01-01T00:00:00Z", "2026-01-01T00:00:00Z"])
    func roundTrip(at: String?) throws {
        let ledger = try bench.begin(name: "from.sqlite", at: at)
        _ = try bench.run(
            "import - --ledger \(ledger)",
            input: Lines.usage("s1") + Lines.purchase("ada") + Lines.refund("ada"))
        _ = try bench.run("consume ada stories --ref s2 --ledger \(ledger)")
        _ = try bench.run("consume ada stories --ref s3 --env sandbox --ledger \(ledger)")
        let exported = try bench.run("export --ledger \(ledger)").output
        try bench.write(exported, to: "all.ndjson")
        let copy = bench.path("b.sqlite")
        let made = try bench.run("init b.sqlite --app dozzi --json")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try made.json["position"] == 0)
        let none = try bench.run("status ada --json --ledger \(copy)")
        #expect(try none.error["code"] == "no_catalog")
        #expect(try none.error["remedy"] == "daybook catalog publish FILE")
        let result = try bench.run("import all.ndjson --as-recorded --ledger \(copy)")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try bench.run("export --ledger \(copy)").output == exported)
        let digests = try [ledger, copy].map {
            try bench.run("replay --json --ledger \($0)").json["digest"]
        }
        #expect(digests[0] == digests[1])
    }

    @Test("A recorded stream keeps its times behind a catalog that was recorded before")
    func asRecorded() throws {
        let stream = "\(Workbench.repository)/events/dozzi/refund-after-two-stories.ndjson"
        let late = try bench.run(["import", stream, "--as-recorded", "--ledger", ledger])
        #expect(late.status == 3)
        #expect(late.errors.has("recorded times never go back"))
        #expect(late.errors.has("daybook init LEDGER --app dozzi"))
        let ledger = try bench.begin(name: "early.sqlite", at: "2026-01-01T00:00:00Z")
        let result = try bench.run(["import", stream, "--as-recorded", "--ledger", ledger])
        #expect(result.status == 0, "\(result.errors)")
        let before = try bench.run(
            "check u_1199 premiumVoices --at 2026-02-05T12:00:00Z --known-at 2026-02-04T00:00:00Z --ledger \(ledger)"
        )
        #expect(before.status == 0)
    }

    @Test("export goes into a file, from a position, for one customer, by the apps' names")
    func exportOptions() throws {
        _ = try load(Lines.usage("s1") + Lines.usage("s2", subject: "bob"))
        _ = try bench.run("export --output out.ndjson --after 1 --ledger \(ledger)")
        #expect(try bench.text(of: "out.ndjson").split(separator: "\n").count == 2)
        _ = try bench.run("consume cy stories --ref t1 --ledger \(ledger)")
        _ = try bench.run("consume cy stories --ref t2 --env sandbox --ledger \(ledger)")
        func count(_ options: String) throws -> Int {
            try bench.run("export --subject cy \(options) --ledger \(ledger)")
                .output.split(separator: "\n").count
        }
        #expect(try count("") == 2)
        #expect(try count("--env sandbox") == 1)
        #expect(try count("--env production") == 1)
        #expect(try count("--env test") == 0)
        let bob = try bench.run("export --subject bob --names app --ledger \(ledger)").output
        #expect(bob.split(separator: "\n").count == 1)
        #expect(bob.has("storyCreatedFree"))
        func positions(_ options: String) throws -> [Int64] {
            try bench.run("export \(options) --ledger \(ledger)").output.split(separator: "\n").map
            {
                try #require(try JSONReader.read(Array($0.utf8)).object?["position"]?.integer)
            }
        }
        let last = try #require(try positions("").last)
        #expect(try positions("") == Array(1...last))
        #expect(try positions("--newest-first") == Array((1...last).reversed()))
        #expect(try positions("--newest-first --limit 2") == [last, last - 1])
        #expect(try positions("--limit 2") == [1, 2])
        #expect(try positions("--after 1 --through 3") == [2, 3])
        #expect(try positions("--after 1 --through 3 --newest-first --limit 1") == [3])
        #expect(try positions("--subject bob --limit 5").count == 1)
        #expect(try positions("--through 999 --newest-first").count == Int(last))
        #expect(try positions("--after \(last)").isEmpty)
        for (option, status) in [("--limit 0", 2), ("--through 0", 3), ("--limit x", 2)] {
            #expect(try bench.run("export \(option) --ledger \(ledger)").status == status)
        }
        #expect(try bench.run("export --names other --ledger \(ledger)").status == 2)
        #expect(try bench.run("export --output no/such/folder --ledger \(ledger)").status == 4)
        #expect(try bench.run("export --after -1 --ledger \(ledger)").status != 0)
    }

    @Test("record takes an event in parts, as JSON, and as lines")
    func record() throws {
        func tell(_ arguments: [String], _ input: String? = nil) throws -> ToolResult {
            try bench.run(["record"] + arguments + ["--ledger", ledger], input: input)
        }
        #expect(try tell(["paywall.shown", "ada", "--data", #"{"context":"x"}"#]).status == 0)
        let json = try tell([Lines.usage("s1"), "--json"]).json
        #expect(json["appended"] == 1)
        #expect(try tell([Lines.usage("s1"), "--json"]).json["duplicates"] == 1)
        #expect(try tell(["-"], Lines.usage("s2") + Lines.usage("s3")).status == 0)
        let empty = try tell(["-"], "\n")
        #expect(empty.status == 0)
        #expect(empty.output.has("no event in it"))
        let stream = try tell(["-", "--stream", "--json"], Lines.usage("s4") + Lines.usage("s5"))
        #expect(stream.output.split(separator: "\n").count == 2)
        #expect(try bench.events().count == 7)
        #expect(try tell(["paywall.shown", "ada", "--data", "{"]).status == 3)
        #expect(try tell(["paywall.shown", "ada", "--at", "noon"]).status == 3)
        #expect(
            try tell(["storyCreatedFree", "ada", "--key", "k", "--data", #"{"storyId":"s9"}"#])
                .status == 0)
        #expect(try tell(["app.launched", "ada", "--stream"]).status == 2)
        #expect(try tell(["-", "ada"]).status == 2)
        // Without a key the time tells one from the next: the same screen, shown again, is another event.
        let again = try tell(["paywall.shown", "ada", "--data", #"{"context":"x"}"#, "--json"])
        #expect(try again.json["appended"] == 1)
        let timeless = try tell([#"{"type":"paywall.shown","subject":"ada"}"#, "--json"])
        #expect(timeless.status == 3)
        #expect(timeless.errors.has("occurred_at or source.key"))
    }

    @Test("An unknown type is recorded by a person only with --allow-unknown")
    func unknownType() throws {
        func tell(_ arguments: [String], _ input: String? = nil) throws -> ToolResult {
            try bench.run(["record"] + arguments + ["--ledger", ledger], input: input)
        }
        let before = try bench.events().count
        let typo = Lines.usage("s1").replacing("usage.recorded", with: "usage.recorde")
        for arguments in [["usage.recorde", "ada", "--key", "k"], [typo]] {
            let refused = try tell(arguments + ["--json"])
            #expect(refused.status == 3)
            #expect(try refused.error["code"] == "unknown_type")
            #expect(refused.errors.has(#"did you mean \"usage.recorded\"?"#), "\(refused.errors)")
            #expect(refused.errors.has("--allow-unknown"))
        }
        #expect(try tell(["storyCreatedFre", "ada"]).errors.has("\"storyCreatedFree\""))
        #expect(try tell(["nothing.like.it.at.all", "ada"]).status == 3)
        #expect(try bench.events().count == before)
        #expect(try tell(["usage.recorde", "ada", "--key", "k", "--allow-unknown"]).status == 0)
        let other = Lines.usage("s2").replacing("usage.recorded", with: "usage.recorde")
        #expect(try tell(["-"], typo).status == 3)
        #expect(try tell(["-", "--stream"], other).status == 3)
        #expect(try tell(["-", "--allow-unknown"], typo).status == 0)
        #expect(try tell(["-", "--stream", "--allow-unknown"], other).status == 0)
        #expect(try bench.events().count == before + 3)
    }

    @Test("Mistyped members and names are refused with the nearest, kept only when that is said")
    func unknownNames() throws {
        func told(_ lines: String, _ options: [String] = []) throws -> ToolResult {
            try bench.run(
                ["import", "-", "--json", "--ledger", ledger] + options, input: lines)
        }
        let before = try bench.events().count
        let good = Lines.usage("s1")
        for (line, code, near) in [
            (
                good.replacing("\"occurred_at\"", with: "\"occured_at\""), "unknown_member",
                "occurred_at"
            ),
            (
                good.replacing("\"subject\"", with: "\"enviroment\":\"sandbox\",\"subject\""),
                "unknown_member", "environment"
            ),
            (good.replacing("\"stories\"", with: "\"storys\""), "unknown_name", "stories"),
            (
                #"{"data":{"entitlement":"unlimted","grant_id":"g","starts_at":0},"source":{"key":"g"},"subject":"ada","type":"grant.issued"}"#
                    + "\n", "unknown_name", "unlimited"
            ),
        ] {
            #expect(line != good)
            for options in [["--dry-run"], []] {
                let refused = try told(line, options)
                #expect(refused.status == 3)
                #expect(try refused.error["code"]?.text == code, "\(refused.errors)")
                #expect(refused.errors.has("did you mean \\\"\(near)\\\"?"), "\(refused.errors)")
            }
            let record = try bench.run(["record", "-", "--ledger", ledger], input: line)
            #expect(record.status == 3 && record.errors.has("did you mean \"\(near)\"?"))
        }
        #expect(try bench.events().count == before)
        // What is fine goes in with --keep-going, and the rest is refused.
        let both = good + Lines.usage("s2").replacing("\"stories\"", with: "\"storys\"")
        let kept = try told(both, ["--keep-going", "--refused", bench.path("r.ndjson")])
        #expect(kept.status == 3)
        #expect(try kept.json["appended"] == 1 && kept.json["refused"] == 1)
        // A line out of an export is no typing error; it is counted.
        let old = Lines.usage("s3").replacing("\"stories\"", with: "\"storys\"")
            .replacing("\"subject\"", with: "\"recorded_at\":1767225600000,\"note\":1,\"subject\"")
        let exported = try told(old)
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(try exported.json["unknown_names"] == ["member note": 1, "meter storys": 1])
        let recorded = try bench.run(
            ["record", "-", "--json", "--allow-unknown", "--ledger", ledger],
            input: Lines.usage("s5").replacing("\"stories\"", with: "\"storys\""))
        #expect(try recorded.json["unknown_names"] == ["meter storys"])
        let allowed = try told(
            Lines.usage("s4").replacing("\"stories\"", with: "\"storys\""), ["--allow-unknown"])
        #expect(try allowed.json["unknown_names"] == ["meter storys": 1])
    }

    @Test("A name that is published further down in the file counts")
    func namesOfTheFile() throws {
        let document = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        let newer = document.replacing(
            "meters:\n", with: "meters:\n  songs: { kind: counter, limit: 2 }\n")
        #expect(newer != document)
        _ = try bench.run(["init", bench.path("d.sqlite"), "--app", "dozzi"])
        func published(_ version: Int64, _ text: String) -> String {
            let data: JSONObject = [
                "version": .integer(version), "effective_at": 0, "applies_to": "all",
                "document": .string(text),
                "document_sha256": .string(Digest.hexadecimal(Digest.sha256(Array(text.utf8)))),
            ]
            let object: JSONObject = [
                "type": "catalog.published", "data": .object(data), "trust": "admin",
                "source": ["kind": "ledger", "key": .string("catalog/\(version)")],
            ]
            return String(decoding: object.canonicalBytes, as: UTF8.self) + "\n"
        }
        let lines =
            published(1, document) + Lines.usage("s1").replacing("\"stories\"", with: "\"songs\"")
        let ledger = bench.path("d.sqlite")
        #expect(try bench.run(["import", "-", "--ledger", ledger], input: lines).status == 3)
        let whole = try bench.run(
            ["import", "-", "--json", "--ledger", ledger], input: lines + published(2, newer))
        #expect(whole.status == 0, "\(whole.errors)")
        #expect(try whole.json["appended"] == 3)
    }

    @Test("An import keeps unknown types when that is said, as a dry run before it")
    func unknownTypesOfFiles() throws {
        let typos = (1...3).map {
            Lines.usage("t\($0)").replacing("usage.recorded", with: "usage.recorde")
        }
        let lines = typos.joined() + Lines.usage("s1")
        #expect(try bench.run(["import", "-", "--ledger", ledger], input: lines).status == 3)
        for options in [["--dry-run"], []] {
            let told = try bench.run(
                ["import", "-", "--allow-unknown", "--ledger", ledger] + options, input: lines)
            #expect(told.status == 0)
            #expect(
                told.output.has(
                    "3 events have the unknown type usage.recorde, kept as it came; did you mean \"usage.recorded\"?"
                ),
                "\(told.output)")
        }
        let again = try bench.run(
            ["import", "-", "--json", "--allow-unknown", "--ledger", ledger], input: lines)
        #expect(try again.json["unknown_types"] == .object([:]))
        #expect(try again.json["duplicates"] == 4)
    }
}
