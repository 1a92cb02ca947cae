import DaybookEvents
import Foundation
import Testing

/// What is told before a catalog is published or brought back, and what is then written (rule 8).
@Suite("Command line: publishing catalogs")
struct PublishingTests {
    let bench: Workbench
    let ledger: String
    static let past = "--effective 2026-01-01T00:00:00Z"

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
        let text = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        for (name, limit) in [("five", 5), ("seven", 7)] {
            try bench.write(
                text.replacing("limit: 2\n", with: "limit: \(limit)\n"), to: "\(name).yaml")
        }
        let lines = ["ada", "bob", "cy"].map { Lines.usage("s-\($0)", subject: $0) }.joined()
        let loaded = try bench.run(["import", "-", "--ledger", ledger], input: lines)
        try #require(loaded.status == 0, "\(loaded.errors)")
    }

    private func tell(_ line: String) throws -> ToolResult {
        try bench.run(line + " --ledger \(ledger)")
    }

    /// Every byte that stands in the ledger's files.
    private func bytes() throws -> [Data] {
        try ["", "-wal"].map { suffix in
            // A reader may leave an empty log behind.
            guard FileManager.default.fileExists(atPath: ledger + suffix) else { return Data() }
            return try Data(contentsOf: URL(filePath: ledger + suffix))
        }
    }

    private func limit(_ options: String = "") throws -> Int64? {
        try tell("check ada stories --json \(options)").json["limit"]?.integer
    }

    @Test("A dry run tells how many answers would change, and writes nothing")
    func dryRun() throws {
        let before = try bytes()
        let result = try tell("catalog publish five.yaml \(Self.past) --retroactive --dry-run")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.has(
                "6 answers of 3 of 3 customers would change, asked for 2026-01-01T00:00:00Z and "))
        #expect(result.output.has("nothing is written"))
        #expect(result.output.has("five.yaml is published as version 2"))
        let json = try tell(
            "catalog publish five.yaml \(Self.past) --retroactive --dry-run --json"
        ).json
        #expect(json["dry_run"] == true)
        #expect(json["published"] == false)
        #expect(json["version"] == 2)
        #expect(json["effective_at"] == 1_767_225_600_000)
        #expect(json["applies_to"] == "all")
        #expect(json["customers"] == 3)
        #expect(json["changed_customers"] == 3)
        #expect(json["changed_answers"] == 6)
        #expect(json["moments"]?.array?.count == 2)
        #expect(json["superseded_at"] == .null)
        #expect(try bytes() == before)
        #expect(try tell("catalog show --json").json["versions"]?.array?.count == 1)
    }

    @Test("A dry run of a catalog to come asks for the time at which it takes effect")
    func dryRunLater() throws {
        let json = try tell(
            "catalog publish five.yaml --effective 2099-01-01T00:00:00Z --applies-to cohort:0 --dry-run --json"
        ).json
        #expect(json["moments"] == [4_070_908_800_000])
        #expect(json["changed_answers"] == 0)
        #expect(json["applies_to"] == "cohort:0")
        let all = try tell(
            "catalog publish five.yaml --effective 2099-01-01T00:00:00Z --dry-run --json"
        ).json
        #expect(all["changed_answers"] == 3)
    }

    @Test("A dry run fails where publishing would")
    func dryRunRefused() throws {
        let before = try bytes()
        let past = try tell("catalog publish five.yaml \(Self.past) --dry-run --json")
        #expect(past.status == 3)
        #expect(try past.error["code"] == "retroactive")
        #expect(past.errors.has("--dry-run"))
        #expect(try tell("catalog rollback 9 --dry-run").status == 3)
        #expect(
            try bench.run(
                ["catalog", "publish", Workbench.ollie, "--dry-run", "--ledger", ledger]
            ).status == 3)
        #expect(try bytes() == before)
    }

    @Test("The count stands before the receipt, and is that of the dry run")
    func retroactive() throws {
        let result = try tell("catalog publish five.yaml \(Self.past) --retroactive")
        #expect(result.status == 0, "\(result.errors)")
        let count = try #require(result.output.firstRange(of: "6 answers of 3 of 3 customers"))
        let receipt = try #require(result.output.firstRange(of: "is published as version 2"))
        #expect(count.lowerBound < receipt.lowerBound)
        #expect(try limit("--at 2026-01-01T00:00:00Z") == 5)
        let json = try tell("catalog publish seven.yaml \(Self.past) --retroactive --json").json
        #expect(json["changed_answers"] == 6)
        #expect(json["changed_customers"] == 3)
        #expect(json["version"] == 3)
        #expect(json["dry_run"] == false)
        #expect(try tell("catalog publish five.yaml --json").json["changed_answers"] == .null)
    }

    @Test("Where nothing can be written the count is shown all the same, and nothing is there")
    func shownBeforeWriting() throws {
        // A document that does not fit where a file may have 256 KiB.
        let comment = String(repeating: "# \(String(repeating: "x", count: 97))\n", count: 6_000)
        try bench.write(try bench.text(of: "five.yaml") + comment, to: "large.yaml")
        let result = try bench.run(
            "catalog publish large.yaml \(Self.past) --retroactive --ledger \(ledger)",
            fileByteCountMax: 256 << 10)
        #expect(result.status == 4, "\(result.output)\(result.errors)")
        #expect(result.output.has("6 answers of 3 of 3 customers would change"))
        #expect(!result.output.has("is published as"))
        #expect(try limit() == 2)
        #expect(try tell("verify").status == 0)
    }

    @Test("X-14 A rollback is counted and tried in a dry run like a publication")
    func rollback() throws {
        #expect(try tell("catalog publish five.yaml").status == 0)
        #expect(try limit() == 5)
        let before = try bytes()
        let dry = try tell("catalog rollback 1 --dry-run")
        #expect(dry.output.has("3 answers of 3 of 3 customers would change"))
        #expect(dry.output.has("version 1 is in force again"))
        #expect(try bytes() == before)
        let past = try tell("catalog rollback 1 \(Self.past)")
        #expect(past.status == 3)
        let back = try tell("catalog rollback 1 \(Self.past) --retroactive")
        #expect(back.status == 0, "\(back.errors)")
        // It ruled then as well, and is overtaken by what was published since: nothing changes.
        #expect(back.output.has("0 answers of 0 of 3 customers would change"))
        #expect(back.output.has("another catalog takes over at"))
        #expect(try limit() == 5)
        let now = try tell("catalog rollback 1 --json").json
        #expect(now["published"] == true)
        #expect(now["version"] == 1)
        #expect(try limit() == 2)
        let again = try tell("catalog rollback 1")
        #expect(again.output.has("version 1 is in force already"))
        #expect(try tell("catalog rollback 1 --dry-run").output.has("nothing to do"))
        #expect(try tell("catalog publish seven.yaml --applies-to cohort:100").status == 0)
        #expect(try limit() == 7)
    }

    @Test(
        "Every scope is written as it is said",
        arguments: [
            ("all", "all"), ("new", "new"), ("next-period", "next-period"),
            ("cohort:20", "cohort:20"), ("new_users", "new"),
        ])
    func scopes(_ text: String, _ shown: String) throws {
        let result = try tell("catalog publish five.yaml --applies-to \(text) --json")
        #expect(result.status == 0, "\(result.errors)")
        let versions = try #require(try tell("catalog show --json").json["versions"]?.array)
        #expect(versions.last?.object?["applies_to"] == .string(shown))
        // Known customers are not new, their month runs, and a cohort of all of them is not asked for.
        if text == "new" || text == "next-period" { #expect(try limit() == 2) }
        #expect(try tell("verify").status == 0)
    }

    @Test("An export with all its catalogs gives the same answers elsewhere")
    func exported() throws {
        for line in [
            "publish five.yaml --applies-to cohort:50", "publish seven.yaml --applies-to new",
            "rollback 1", "publish five.yaml --effective 2030-01-01T00:00:00Z",
        ] {
            #expect(try tell("catalog \(line)").status == 0)
        }
        #expect(try tell("export --output all.ndjson").status == 0)
        let other = bench.path("b.sqlite")
        try #require(try bench.run("init \(other) --app dozzi").status == 0)
        let loaded = try bench.run(
            ["import", bench.path("all.ndjson"), "--as-recorded", "--ledger", other])
        #expect(loaded.status == 0, "\(loaded.errors)")
        for time in ["2026-06-01T00:00:00Z", "2031-01-01T00:00:00Z"] {
            for subject in ["ada", "bob", "nobody"] {
                let answers = try [ledger, other].map {
                    try bench.run("check \(subject) stories --at \(time) --json --ledger \($0)")
                        .json["limit"]
                }
                #expect(answers[0] == answers[1])
            }
        }
    }
}
