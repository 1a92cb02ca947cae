import Daybook
import DaybookAudit
import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

@Suite("Command line: bundles")
struct CaptureTests {
    private let bench: Workbench
    private let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin(at: "2025-12-01T00:00:00Z")
        let lines =
            Lines.usage("story-of-ada") + Lines.purchase("ada") + Lines.usage("x1", subject: "bob")
        let loaded = try bench.run(["import", "-", "--ledger", ledger], input: lines)
        try #require(loaded.status == 0, "\(loaded.errors)")
    }

    private func capture(_ more: String) throws -> ToolResult {
        try bench.run("capture ada --at 2026-03-01T00:00:00Z \(more) --ledger \(ledger)")
    }

    @Test("A bundle has a name of its own, is never written over, and gives its answers again")
    func whole() throws {
        let told = try capture("--check stories --redact --json")
        #expect(told.status == 0, "\(told.errors)")
        let file = try #require(try told.json["files"]?.array?.first?.text)
        #expect(file.hasPrefix("dozzi-") && file.hasSuffix(".daybundle"))
        for id in ["\"ada\"", "story-of-ada"] { #expect(!(try bench.text(of: file)).has(id)) }
        let again = try capture("--check stories --redact --json")
        #expect(again.status == 4)
        #expect(try again.error["code"] == "file_exists")

        let replayed = try bench.run("replay \(file) --json")
        #expect(replayed.status == 0, "\(replayed.errors)")
        let json = try replayed.json
        #expect(json["agrees"] == true)
        #expect(json.at("bundle.redacted") == true)
        let answers = try #require(json.at("bundle.answers")?.array)
        #expect(answers.map { $0.object?["name"]?.text } == [nil, "stories"])
        #expect(answers.allSatisfy { $0.object?["same"] == true })
        let stepped = try bench.run(
            ["replay", "--step", "subject-1", file, "--script", "-", "--json"],
            input: "next\nquit\n")
        #expect(stepped.status == 0, "\(stepped.errors)")
        #expect(try bench.run("replay \(file) --catalog \(Workbench.dozzi)").status == 2)
    }

    @Test("It is known by what it says, also on the standard input")
    func piped() throws {
        let told = try capture("--output -")
        #expect(told.status == 0)
        let replayed = try bench.run(["replay", "-", "--json"], input: told.output)
        #expect(try replayed.json.at("bundle.answers")?.array?.count == 1)
    }

    @Test("An answer that is another ends with 1 and says what differs")
    func differs() throws {
        #expect(try capture("--check stories --output a.daybundle").status == 0)
        var bundle = try ReproBundle(reading: Array(try bench.text(of: "a.daybundle").utf8))
        bundle.answers[1].content["reason"] = "granted.magic"
        try bench.write(String(decoding: bundle.bytes, as: UTF8.self), to: "b.daybundle")
        let told = try bench.run("replay b.daybundle --json")
        #expect(told.status == 1)
        #expect(try told.json["agrees"] == false)
        let answers = try #require(try told.json.at("bundle.answers")?.array)
        #expect(answers.map { $0.object?["same"]?.bool } == [true, false])
        let found = answers[1].object?["differences"]?.array?.first?.object
        #expect(found?["path"] == "reason")
        #expect(found?["before"] == "granted.magic")
    }

    @Test("What cannot be captured or replayed is refused, and nothing is written")
    func refusals() throws {
        for (line, status, code) in [
            ("capture nobody", Int32(3), "unknown_subject"),
            ("capture ada --check storys", 3, "unknown_name"),
            ("capture ada --known-at @99", 3, "unknown_position"),
            ("capture ada --as-test Lost_Access", 3, "bad_test_name"),
            ("capture ada --as-test diverges-x", 3, "bad_test_name"),
            ("capture ada --check stories --amount -1", 3, "amount_out_of_bounds"),
            ("capture ada --folder x", 2, "usage"), ("capture", 2, "usage"),
            ("capture ada --as-test a --output b", 2, "usage"),
            ("capture ada --profile rex", 2, "usage"),
        ] {
            let told = try bench.run("\(line) --json --ledger \(ledger)")
            #expect(told.status == status, "\(line): \(told.errors)")
            #expect(try told.error["code"]?.text == code, "\(line)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
        #expect(!files.contains { $0.hasSuffix(".daybundle") || $0 == "events" })
    }

    @Test("A bundle that is damaged or newer is refused with 3")
    func damaged() throws {
        #expect(try capture("--output a.daybundle").status == 0)
        let text = try bench.text(of: "a.daybundle")
        try bench.write(String(text.prefix(text.count - 20)), to: "cut.daybundle")
        try bench.write(text.replacing("story-of-ada", with: "story-of-eve"), to: "eve.daybundle")
        try bench.write("{\"bundle\":{oops\n" + text, to: "json.daybundle")
        try bench.write(
            text.replacing("\"format\":1", with: "\"format\":2"), to: "newer.daybundle")
        for (name, code) in [
            ("cut", "damaged_bundle"), ("eve", "damaged_bundle"), ("json", "damaged_bundle"),
            ("newer", "newer_bundle"),
        ] {
            let told = try bench.run("replay \(name).daybundle --json")
            #expect(told.status == 3, "\(name)")
            #expect(try told.error["code"]?.text == code, "\(name): \(told.errors)")
        }
    }

    @Test(
        "A captured test is a pair that the suite of recorded streams takes, and any folder will do"
    )
    func asTest() async throws {
        let told = try capture("--redact --as-test lost-access --folder bugs --json")
        #expect(told.status == 0, "\(told.errors)")
        #expect(
            try told.json["files"] == [
                "bugs/events/dozzi/lost-access.ndjson", "bugs/snapshots/dozzi/lost-access.json",
            ])
        let pair = StreamGolden.Pair(
            app: "dozzi", name: "lost-access", root: URL(filePath: bench.path("bugs")))
        let drafts = try StreamGolden.drafts(of: pair)
        #expect(StreamGolden.bringsCatalogs(drafts))
        let lines = drafts.map { StreamGolden.line(of: $0) + [0x0A] }
        #expect(Array(try Foundation.Data(contentsOf: pair.stream)) == lines.flatMap(\.self))
        let state = try await StreamGolden.state(of: pair)
        #expect(StreamGolden.differences(try StreamGolden.recorded(pair), state) == [])
        #expect(
            Array(try Foundation.Data(contentsOf: pair.golden)) == StreamGolden.layout(state))
        // Another rule is seen to differ.
        let other = drafts.filter { $0.type != .purchaseCompleted }
        let without = try await StreamGolden.ledger("dozzi", holding: other)
        #expect(try without.digest().digest.description != state["digest"]?.text)
        let replayed = try bench.run("replay bugs/events/dozzi/lost-access.ndjson --json")
        #expect(try replayed.json["digest"] == state["digest"])
        let again = try capture("--redact --as-test lost-access --folder bugs --json")
        #expect(try again.error["code"] == "file_exists")
    }
}
