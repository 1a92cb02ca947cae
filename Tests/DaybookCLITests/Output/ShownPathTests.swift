import Foundation
import Testing

@Suite("Command line: paths as they are shown")
struct ShownPathTests {
    let bench: Workbench
    /// A folder whose name sets a terminal's title, turns the direction of writing and begins a line of its own.
    private static let evil = "evil\u{1B}]0;owned\u{7}\u{202E}\n✓ yes\r\u{9B}2J"

    init() throws {
        bench = try Workbench()
        try FileManager.default.createDirectory(
            atPath: bench.path(Self.evil), withIntermediateDirectories: false)
    }

    private func expectHarmless(_ result: ToolResult, _ line: [String]) {
        for text in [result.output, result.errors] {
            let isHarmless = text.unicodeScalars.allSatisfy { scalar in
                scalar == "\n"
                    || (scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value))
                        && scalar.value != 0x202E
            }
            #expect(isHarmless, "\(line): \(text)")
            #expect(
                !text.split(separator: "\n").contains { $0.hasPrefix("✓ yes") }, "\(line): \(text)")
        }
    }

    @Test("A path is shown with its control characters spelled out, and never as another line")
    func commands() throws {
        let folder = Self.evil
        let ledger = "\(folder)/a.sqlite"
        let made = try bench.run(["init", ledger, "--catalog", Workbench.dozzi])
        #expect(made.status == 0, "\(made.errors)")
        expectHarmless(made, ["init"])
        let lines = [
            ["consume", "ada", "stories", "--ref", "s1"], ["snapshot"], ["verify"], ["doctor"],
            ["status", "ada"], ["export", "-o", "\(folder)/all.ndjson"],
            ["export", "-o", ledger], ["export", "-o", ledger + "-wal"], ["export", "-o", folder],
            ["export", "-o", "\(folder)/no/such.ndjson"], ["import", "\(folder)/nothing.ndjson"],
            ["import", "\(folder)/all.ndjson", "--dry-run"],
            ["capture", "ada", "-o", "\(folder)/all.ndjson"],
            ["capture", "ada", "-o", "\(folder)/a.daybundle"],
            ["replay", "--digests", "\(folder)/digests.json"],
            ["replay", "\(folder)/nothing.ndjson"],
            ["sandbox", "create", "\(folder)/s.key", "--root", "\(folder)/s.pem"],
            ["sandbox", "create", "\(folder)/s.key", "--root", "\(folder)/s.pem"],
            ["catalog", "check", "\(folder)/all.ndjson"],
            ["catalog", "publish", "\(folder)/none.yaml"],
            ["diff", "--against", "\(folder)/b.sqlite"],
            ["schema", "--write", "\(folder)/schemas"],
            ["check", "ada", folder], [folder], ["void", "@\(folder)"],
        ]
        for line in lines {
            let isAlone =
                ["sandbox", "schema"].contains(line[0])
                || line == ["replay", "\(folder)/nothing.ndjson"]
            let options = isAlone ? [] : ["--ledger", ledger]
            expectHarmless(try bench.run(line + options), line)
        }
        for path in ["\(folder)/none.sqlite", "\(folder)/all.ndjson", folder, "\(folder)/no/x"] {
            let told = try bench.run(["status", "ada", "--ledger", path])
            #expect(told.status == 4)
            expectHarmless(told, [path])
        }
    }

    @Test("What is logged of files has their paths spelled out, too")
    func logs() throws {
        let ledger = "\(Self.evil)/a.sqlite"
        #expect(try bench.run(["init", ledger, "--catalog", Workbench.dozzi]).status == 0)
        #expect(try bench.run(["snapshot", "--ledger", ledger]).status == 0)
        let derived = bench.path(ledger + ".snapshots")
        for name in try FileManager.default.contentsOfDirectory(atPath: derived) {
            try Data("cut".utf8).write(to: URL(filePath: "\(derived)/\(name)"))
        }
        for name in [
            "000000000009\u{1B}[31m.dayseg", "000000000009.dayseg", "keys-1\u{1B}[31m-2.daykeys",
        ] {
            try Data("cut".utf8).write(to: URL(filePath: "\(derived)/\(name)"))
        }
        for line in [["status", "ada"], ["consume", "ada", "stories", "--ref", "s1"]] {
            let told = try bench.run(line + ["--ledger", ledger])
            #expect(told.status == 0)
            #expect(told.errors.has("too short"), "\(told.errors)")
            #expect(told.errors.has(#"\u{1B}]0;owned\u{7}"#), "\(told.errors)")
            expectHarmless(told, line)
        }
    }
}
