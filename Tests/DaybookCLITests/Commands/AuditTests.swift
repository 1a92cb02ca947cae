import DaybookEvents
import Foundation
import Testing

@Suite("Command line: what-if, digests and bisection")
struct AuditTests {
    private let bench: Workbench
    private let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
        let lines =
            Lines.usage("s1") + Lines.purchase("ada") + Lines.usage("s2", at: 1_767_315_600_000)
            + Lines.refund("ada") + Lines.purchase("bob")
        let loaded = try bench.run(["import", "-", "--ledger", ledger], input: lines)
        try #require(loaded.status == 0, "\(loaded.errors)")
    }

    private func bytes() throws -> [UInt8] {
        Array(try Foundation.Data(contentsOf: URL(filePath: bench.path("a.sqlite"))))
    }

    /// What belongs to the ledger; SQLite's own files of shared memory come and go with readers.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bench.folder).filter {
            $0.hasPrefix("a.sqlite") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal")
        }.sorted()
    }

    @Test("Nothing that only asks changes a byte of the ledger, nor leaves anything beside it")
    func readOnly() throws {
        let catalog = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        try bench.write(catalog.replacing("limit: 2\n", with: "limit: 1\n"), to: "one.yaml")
        let beside = try files()
        let before = try bytes()
        for line in [
            "replay --catalog one.yaml", "replay --drop 2", "bisect used:stories>=1 ada",
            "explain ada stories", "diff ada --from-known-at @1",
        ] {
            let told = try bench.run("\(line) --ledger \(ledger)")
            #expect(told.status <= 1, "\(line): \(told.errors)")
        }
        let stepped = try bench.run(
            ["replay", "--step", "ada", "--ledger", ledger, "--script", "-"],
            input: "next 3\nback\nuntil purchase.refunded\nshow\n")
        #expect(stepped.status == 0)
        #expect(try bytes() == before)
        #expect(try files() == beside)
    }

    @Test("Digests of a build agree with itself, and a planted difference is named")
    func digests() throws {
        let written = try bench.run(
            "replay --digests \(bench.path("digests.json")) --every 2 --json --ledger \(ledger)")
        #expect(written.status == 0, "\(written.errors)")
        let same = try bench.run(
            "bisect --against \(bench.path("digests.json")) --json --ledger \(ledger)")
        #expect(same.status == 0)
        #expect(try same.json.at("agrees") == true)
        // The other build saw another state after the fourth event.
        let text = try bench.text(of: "digests.json")
        let object = try #require(try JSONReader.read(Array(text.utf8)).object)
        guard case .array(var checkpoints)? = object["checkpoints"] else {
            Issue.record("no checkpoints")
            return
        }
        var second = try #require(checkpoints[1].object)
        let bits = try #require(second["low_bits"]?.text)
        second["low_bits"] = .string(bits.prefix(8) + "00000000")
        second["digest"] = .string(String(repeating: "0", count: 64))
        checkpoints[1] = .object(second)
        var other = object
        other["checkpoints"] = .array(checkpoints)
        try bench.write(String(decoding: other.canonicalBytes, as: UTF8.self), to: "other.json")
        let found = try bench.run(
            "bisect --against \(bench.path("other.json")) --json --ledger \(ledger)")
        #expect(found.status == 1)
        #expect(try found.json.at("from") == 4)
        #expect(try found.json.at("through") == 4)
        #expect(try found.json.at("event.position") == 4)
        let people = try bench.run(
            "bisect --against \(bench.path("other.json")) --ledger \(ledger)")
        #expect(people.output.has("the builds disagree since") && people.output.has("@4  "))
        // A file of digests of another ledger is none of this one.
        let foreign = try bench.begin(name: "b.sqlite")
        let refused = try bench.run(
            "bisect --against \(bench.path("digests.json")) --json --ledger \(foreign)")
        #expect(refused.status == 3)
        #expect(try refused.error["code"] == "other_ledger")
        other["digests"] = 9
        try bench.write(String(decoding: other.canonicalBytes, as: UTF8.self), to: "newer.json")
        let newer = try bench.run(
            "bisect --against \(bench.path("newer.json")) --json --ledger \(ledger)")
        #expect(newer.status == 3)
        #expect(try newer.error["code"] == "newer_version")
    }

    @Test("A what-if of a file, and its numbers")
    func whatIf() throws {
        let stream = Workbench.repository + "/events/dozzi/refund-after-two-stories.ndjson"
        let told = try bench.run(["replay", stream, "--drop", "8", "--json"])
        #expect(told.status == 0, "\(told.errors)")
        #expect(try told.json.at("changed") == 1)
        #expect(try told.json.at("customers") == 1)
    }

    /// Runs a command on a pseudo-terminal, where `script` is to be had; a line of keys comes every 200 ms.
    private func onTerminal(_ command: String, keys: [String] = []) throws -> ToolResult? {
        let typed = keys.map { "sleep 0.2; printf '\($0)'" }.joined(separator: "; ")
        let told = try bench.shell(
            """
            command -v script > /dev/null || exit 42
            (sleep 0.5; \(typed.isEmpty ? "true" : typed); sleep 1) |
              TERM=xterm NO_COLOR=1 timeout 30 script -qec '\(command) --ledger \(ledger)' /dev/null
            """)
        return told.status == 42 ? nil : told
    }

    @Test("Keys walk through a replay, and what was typed wrongly is told and forgotten")
    func keys() throws {
        guard
            let told = try onTerminal(
                "daybook replay --step ada --break purchase.refunded",
                keys: ["n", "n", "b", "c", ":sideways\\n", ":to @2\\n", "s", "?", "q"])
        else { return print("no script(1) here; keys are not tried") }
        #expect(told.status == 0, "\(told.output)\(told.errors)")
        let places = told.output.matches(of: #/(\d)/4  /#).map { String($0.1) }
        #expect(places == ["0", "1", "2", "1", "4", "1"], "\(told.output)")
        #expect(told.output.has("holds now: purchase.refunded"))
        #expect(told.output.has("\"sideways\" is no word of it"))
        #expect(told.output.has("until CONDITION"))
    }

    @Test("A what-if on a terminal shows how far it is")
    func progress() throws {
        let catalog = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        try bench.write(catalog.replacing("limit: 2\n", with: "limit: 1\n"), to: "one.yaml")
        guard let told = try onTerminal("daybook replay --catalog one.yaml") else {
            return print("no script(1) here; the bar is not looked at")
        }
        #expect(told.status == 0)
        #expect(told.output.has("what if █"))
        #expect(told.output.has("would differ"))
    }

    @Test("No output takes the place of a ledger")
    func outputIsNoLedger() throws {
        let before = try bytes()
        for line in ["replay --digests \(ledger)", "export --output \(ledger)"] {
            let told = try bench.run("\(line) --json --ledger \(ledger)")
            #expect(told.status == 4)
            #expect(try told.error["code"] == "is_ledger")
        }
        #expect(try bytes() == before)
        let stream = Workbench.repository + "/events/dozzi/refund-after-two-stories.ndjson"
        #expect(try bench.run(["replay", stream, "--digests", bench.path("d.json")]).status == 2)
        #expect(try bench.run("replay --drop native/none --ledger \(ledger)").status == 3)
    }
}
