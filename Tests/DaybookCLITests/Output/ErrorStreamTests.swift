import DaybookEvents
import Foundation
import Testing

/// Where answers and errors go, as docs/cli.md says.
@Suite("Command line: standard output and standard error of ingest")
struct ErrorStreamTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
        try bench.sign("--transaction 7", to: "good.jws")
        try bench.write("no.signed.text\n", to: "bad.jws")
        try bench.write("\n  \n", to: "empty.jws")
    }

    private func ingest(_ line: String, ledger: String? = nil) throws -> ToolResult {
        try bench.run(
            "ingest \(line) --as app-store-transaction --subject ada \(Workbench.sandbox) --ledger \(ledger ?? self.ledger)"
        )
    }

    /// One line, which is the error object; what a person reads stands before it.
    private func code(_ result: ToolResult) throws -> String? { try result.error["code"]?.text }

    @Test("A refused payload is reported on both: the receipt on stdout, the error on stderr")
    func refused() throws {
        let result = try ingest("bad.jws --json")
        #expect(result.status == 3)
        let receipt = try result.json
        #expect(receipt["appended"] == 0)
        #expect(receipt["refused"]?.array?.count == 1)
        #expect(try code(result) == "refused")
        #expect(try result.error["retryable"] == false)
        #expect(try result.error["remedy"] == "daybook dead-letters list")
        let problems = try #require(try result.error["problems"]?.array)
        #expect(problems.count == 1)
        #expect(problems.first?.object?["code"] == "format")
        #expect(
            result.errors.hasPrefix(
                "daybook: 1 signed payload was refused\n→ daybook dead-letters list\n"))
        let text = try ingest("bad.jws")
        #expect(text.status == 3)
        #expect(text.output.has("refused  "))
        #expect(
            text.errors
                == "daybook: 1 signed payload was refused\n→ daybook dead-letters list\n")
    }

    @Test("Of a batch the rest is taken in, and the error says so")
    func partly() throws {
        let result = try ingest("good.jws bad.jws --json")
        #expect(result.status == 3)
        #expect(try result.json["appended"]?.integer ?? 0 > 0)
        #expect(try result.json["refused"]?.array?.count == 1)
        #expect(try code(result) == "refused")
        #expect(
            try result.error["message"] == "1 signed payload was refused; the rest is taken in")
        let reason = try result.error["problems"]?.array?.first?.object?["reason"]?.text
        #expect(reason?.hasPrefix("bad.jws") == true)
        #expect(
            try bench.run("check ada unlimitedStories --env test --ledger \(ledger)").status == 0)
    }

    @Test("A dry run that refuses keeps nothing and points to nothing")
    func dryRun() throws {
        let result = try ingest("good.jws bad.jws --dry-run --json")
        #expect(result.status == 3)
        #expect(try result.json["refused"]?.array?.count == 1)
        #expect(try result.error["remedy"] == .null)
        #expect(try result.error["message"] == "1 signed payload was refused")
        #expect(try bench.events().count == 1)
    }

    @Test(
        "What ends it before it has begun leaves stdout empty, and nothing of the other file in",
        arguments: [
            ("good.jws empty.jws", 3, "empty"), ("good.jws nowhere.jws", 4, "no_file"),
            ("good.jws --as fax", 2, "usage"), ("good.jws --colour", 2, "usage"), ("", 2, "usage"),
        ])
    func ended(_ line: String, _ status: Int32, _ code: String) throws {
        for json in ["", " --json"] {
            let result = try ingest(line + json)
            #expect(result.status == status)
            #expect(result.output.isEmpty)
            #expect(!result.errors.isEmpty)
            if !json.isEmpty { #expect(try self.code(result) == code) }
            // Without --json nothing of it is JSON.
            if json.isEmpty { #expect(!result.errors.has("{\"error\"")) }
        }
        #expect(try bench.events().count == 1)
    }

    @Test("A ledger that is none, and one that is not there, leave stdout empty")
    func ledgers() throws {
        try bench.write("this is no database, however long it is looked at", to: "text.sqlite")
        for path in ["text.sqlite", "nowhere.sqlite"] {
            let result = try ingest("good.jws --json", ledger: bench.path(path))
            #expect(result.status == 4, "\(path)")
            #expect(result.output.isEmpty, "\(path)")
            #expect(try code(result)?.isEmpty == false, "\(path)")
        }
    }

    @Test("import --keep-going tells what it refused on both, too")
    func keepsGoing() throws {
        try bench.write(Lines.usage("s1") + "{\"oops\"}\n", to: "in.ndjson")
        let result = try bench.run("import in.ndjson --keep-going --json --ledger \(ledger)")
        #expect(result.status == 3)
        #expect(try result.json["appended"] == 1)
        #expect(try code(result) == "refused")
        #expect(try result.error["remedy"] == "see in.ndjson.refused")
        let problem = try result.error["problems"]?.array?.first?.object
        #expect(problem?["line"] == 2)
        #expect(problem?["code"] == "bad_json")
    }
}
