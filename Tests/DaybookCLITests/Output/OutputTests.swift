import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

@Suite("Command line: where answers go")
struct OutputTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    private func shell(_ script: String) throws -> ToolResult {
        try bench.shell(script, environment: ["DAYBOOK_LEDGER": ledger])
    }

    private func fill(_ count: Int) throws {
        let lines = (0..<count).map { Lines.usage("s\($0)", subject: "u\($0 % 50)") }
        let result = try bench.run(["import", "-", "--ledger", ledger], input: lines.joined())
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test(
        "An answer that cannot be written is a failure of the environment",
        arguments: [
            "export", "status ada", "status ada --json", "check ada stories", "history ada",
            "consume ada stories --ref s1", "catalog show 1", "schema", "verify", "--help",
            "consume --help", "--version",
        ])
    func fullDevice(line: String) throws {
        let result = try shell("daybook \(line) > /dev/full")
        #expect(result.status == 4)
        #expect(result.errors.has("the standard output cannot be written: No space left"))
    }

    @Test("What was done before the answer failed is done, and its key gives the receipt")
    func doneAllTheSame() throws {
        let line = "daybook consume ada stories --ref s1 --idempotency-key tap --json"
        #expect(try shell("\(line) > /dev/full").status == 4)
        let receipt = try shell(line)
        #expect(receipt.status == 0)
        #expect(try receipt.json["positions"] == [2])
        #expect(try receipt.json["used"] == 1)
    }

    @Test("A reader that has gone ends a command quietly")
    func goneReader() throws {
        try fill(2_000)
        let result = try shell("daybook export | head -c 1; exit ${PIPESTATUS[0]}")
        #expect(result.status == 141)
        #expect(result.output == "{")
        #expect(result.errors.isEmpty)
    }

    @Test("The demo leaves no folder behind: at its end, without a reader, when interrupted")
    func demoFolder() throws {
        func leftovers() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: bench.folder)
                .filter { $0.hasPrefix("daybook-demo") }
        }
        #expect(try shell("daybook demo | head -c 8; exit ${PIPESTATUS[0]}").status == 141)
        #expect(try leftovers() == [])
        #expect(try shell("daybook demo > /dev/full").status == 4)
        #expect(try leftovers() == [])
        for number in [SIGTERM, SIGINT] {
            let (command, name) = try bench.command(
                ["demo", "--events", "\(Workbench.repository)/events"],
                environment: ["TMPDIR": bench.folder])
            let process = try command.start()
            while try leftovers() == [], process.isRunning {}
            process.signal(number)
            #expect(try bench.result(of: process, name).status == -number)
            let left = try leftovers()
            #expect(left == [])
        }
    }

    @Test("export --output writes through links, into pipes and devices, and keeps the mode")
    func kinds() throws {
        let all = try shell("daybook export").output
        try bench.write("old", to: "real.ndjson")
        let script = """
            ln -s real.ndjson link; ln -s there.ndjson dangling; mkfifo pipe; chmod 600 real.ndjson
            daybook export --output link && daybook export --output dangling || exit 1
            cat pipe > read.ndjson & daybook export --output pipe || exit 2
            wait; daybook export --output /dev/stdout > out.ndjson || exit 3
            daybook export --output - > dash.ndjson || exit 4
            daybook export --output /dev/null || exit 5
            test -L link && test -L dangling && test -p pipe && test -c /dev/null || exit 6
            test "$(stat -c %a real.ndjson)" = 600 || exit 7
            """
        let result = try shell(script)
        #expect(result.status == 0, "\(result.errors)")
        for name in ["real", "there", "read", "out", "dash"] {
            #expect(try bench.text(of: "\(name).ndjson") == all, "\(name)")
        }
        #expect(try shell("daybook export --output /dev/full").status == 4)
        #expect(try shell("daybook export --output .").status == 4)
    }

    @Test("A file that could not be written whole does not take the place of the old one")
    func wholeOrNot() throws {
        try fill(3_000)
        try bench.write("old", to: "out.ndjson")
        let result = try bench.run(
            "export --output out.ndjson --ledger \(ledger)", fileByteCountMax: 64 << 10)
        #expect(result.status == 4)
        #expect(result.errors.has("out.ndjson cannot be written"))
        #expect(try bench.text(of: "out.ndjson") == "old")
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
        #expect(!files.contains { $0.hasPrefix(".daybook") })
    }

    /// A title for the terminal's window, a jump to its beginning, a colour, a bell, a line of one's own.
    private static let evil = "\u{1B}]0;owned\u{7}\u{1B}[H\u{1B}[31mred\u{9B}2J\u{202E}\n✓ yes\r"

    private static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || (scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value))
                    && scalar.value != 0x202E
        }
    }

    @Test("Control characters of names and texts are spelled out wherever people read them")
    func controlCharacters() throws {
        let evil = Self.evil
        func run(_ arguments: [String]) throws -> ToolResult {
            try bench.run(arguments + ["--ledger", ledger])
        }
        #expect(try run(["consume", "ada", "stories", "--ref", evil]).status == 0)
        #expect(try run(["consume", evil, "stories"]).status == 3)
        let lines: [[String]] = [
            ["history", "ada"], ["history", evil], ["status", evil], ["check", evil, "stories"],
            ["check", evil, "premiumVoices"], ["consume", evil, "stories", "--ref", evil],
            ["consume", evil, "stories", "--ref", "s2", "--idempotency-key", evil],
            ["consume", evil, "stories", "--ref", "s3"], ["check", "ada", evil],
            ["void", evil], ["void", "native/\(evil)"], ["check", "ada", "stories", "--at", evil],
            ["export", "--output", "no/\(evil)"], ["import", evil], ["funnel", evil],
            ["alias", evil, "ada"], ["timezone", "ada", evil], ["doctor", evil], [evil],
            ["grant", "issue", evil, "--meter", "stories", "--id", evil], ["verify"],
        ]
        for line in lines {
            let result = try run(line)
            #expect(Self.isHarmless(result.output), "\(line.first ?? ""): \(result.output)")
            #expect(Self.isHarmless(result.errors), "\(line.first ?? ""): \(result.errors)")
        }
        let history = try run(["history", "ada"])
        #expect(history.output.has(#"\u{1B}]0;owned\u{7}\u{1B}[H"#))
        #expect(history.output.has(#"\n✓ yes\r"#))
        #expect(history.output.split(separator: "\n").count == 2, "\(history.output)")
        // For machines it is as it was.
        let exported = try run(["export", "--subject", "ada"]).output
        let event = try JSONReader.read(Array(exported.utf8)).object?["data"]?.object
        #expect(event?["ref"]?.text == evil)
    }
}
