import DaybookEvents
import Foundation
import Testing

@Suite("Command line: replay step by step, and explanations")
struct StepTests {
    private static let stream = "events/dozzi/refund-after-two-stories.ndjson"
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func steps(_ script: String, _ more: [String] = []) throws -> ToolResult {
        let file = Workbench.repository + "/" + Self.stream
        return try bench.run(
            ["replay", "--step", "u_1199", file, "--script", "-"] + more, input: script)
    }

    @Test("A script walks forwards, backwards and to a place")
    func walks() throws {
        let script = "next 2\nback\nto @8\nuntil used:stories>=1\nquit\nnonsense\n"
        let told = try steps(script, ["--json"])
        #expect(told.status == 0)
        let lines = try told.output.split(separator: "\n").map {
            try #require(try JSONReader.read(Array($0.utf8)).object)
        }
        #expect(lines.map { $0["step"]?.integer } == [2, 1, 7, 9, nil])
        #expect(lines[2]["event"]?.object?["type"] == "purchase.refunded")
        #expect(lines[4]["ended"] == true)
    }

    @Test(
        "What cannot be done says on which line, and what can be",
        arguments: [
            ("sideways\n", "line 1", "bad_step"), ("next\nnext many\n", "line 2", "bad_step"),
            ("to\n", "line 1", "bad_step"), ("to @4711\n", "line 1", "unknown_position"),
            ("to yesterday\n", "line 1", "bad_time"), ("until\n", "line 1", "bad_step"),
            ("until may:x\n", "line 1", "bad_condition"),
            ("until allowed:nosuch\n", "line 1", "unknown_name"),
        ])
    func refuses(_ script: String, _ place: String, _ code: String) throws {
        let told = try steps(script, ["--json"])
        #expect(told.status == 3)
        #expect(try told.error["code"]?.text == code)
        #expect(told.errors.has(place))
    }

    @Test("Options of a step go with a step, and a customer must be known")
    func options() throws {
        let ledger = try bench.begin()
        for option in ["--script x", "--break allowed:x", "--profile rex", "--known-at @1"] {
            #expect(try bench.run("replay \(option) --ledger \(ledger)").status == 2)
        }
        #expect(try bench.run("replay --step ada --expect 1 --ledger \(ledger)").status == 2)
        for command in ["replay --step nobody --script -", "explain nobody stories"] {
            let told = try bench.run("\(command) --json --ledger \(ledger)")
            #expect(told.status == 3)
            #expect(try told.error["code"] == "unknown_subject")
        }
        #expect(
            try bench.run("replay --step ada --break may:x --json --ledger \(ledger)")
                .error["code"] == "bad_condition")
    }

    @Test("A script may be a file, and help tells the words")
    func file() throws {
        let path = bench.folder + "/steps.txt"
        try "# two steps\nhelp\n\nnext\n".write(toFile: path, atomically: true, encoding: .utf8)
        let told = try bench.run([
            "replay", "--step", "u_1199", Workbench.repository + "/" + Self.stream, "--script",
            path,
        ])
        #expect(told.status == 0)
        #expect(told.output.has("until CONDITION"))
        #expect(told.output.has("1/9"))
    }
}
