import DaybookEvents
import Foundation
import Testing

@Suite("Command line: refusals and the environment")
struct RefusalTests {
    let bench: Workbench

    /// Every command and subcommand that the tool has, as the tool tells it.
    static let commands: [String] = {
        let told = try? Workbench().run("--experimental-dump-help").output
        let tree = told.flatMap { try? JSONReader.read(Array($0.utf8)).object }
        func names(_ command: JSONObject?, _ path: String) -> [String] {
            (command?["subcommands"]?.array ?? []).flatMap { value -> [String] in
                guard let name = value.object?["commandName"]?.text, name != "help" else {
                    return []
                }
                return [path + name] + names(value.object, path + name + " ")
            }
        }
        return names(tree?["command"]?.object, "")
    }()

    init() throws { bench = try Workbench() }

    @Test("A customer, a key or an actor without a name is bad input, and nothing is recorded")
    func emptyNames() throws {
        let ledger = try bench.begin()
        let before = try bench.run("export --ledger \(ledger)").output
        for arguments in [
            ["", "stories"], ["a\nb", "stories"], ["ada", "stories", "--idempotency-key", ""],
        ] {
            let result = try bench.run(["consume"] + arguments + ["--json", "--ledger", ledger])
            #expect(result.status == 3, "\(arguments)")
        }
        #expect(try bench.run("export --ledger \(ledger)").output == before)
    }

    @Test("A time without an offset, a day, and nonsense are bad input, with the remedy")
    func times() throws {
        let ledger = try bench.begin(at: "2026-01-01T00:00:00Z")
        func check(_ option: String) throws -> ToolResult {
            try bench.run("check ada stories \(option) --json --ledger \(ledger)")
        }
        let local = try check("--at 2026-03-01T12:00:00")
        #expect(local.status == 3)
        #expect(try local.error["code"] == "missing_offset")
        #expect(local.errors.has("2026-03-01T12:00:00Z"))
        #expect(try check("--at 2026-03-01").error["code"] == "bad_time")
        #expect(try check("--at yesterday").error["code"] == "bad_time")
        #expect(try check("--known-at @x").error["code"] == "bad_position")
        #expect(try check("--known-at @99").status == 3)
        #expect(try check("--at 4466-01-01T00:00:00Z").status == 0)
        #expect(try check("--at 999999999999999999").error["code"] == "time_out_of_bounds")
        #expect(try check("--at 2026-03-01T12:00:00+01:00").status == 0)
        #expect(try check("--at 1772366400000 --known-at 2026-03-01T00:00:00Z").status == 0)
    }

    @Test("An unknown name is bad input, and the nearest one is suggested")
    func unknownName() throws {
        let ledger = try bench.begin()
        for line in ["check ada storys", "consume ada storys"] {
            let result = try bench.run("\(line) --json --ledger \(ledger)")
            #expect(result.status == 3)
            #expect(try result.error["code"] == "unknown_name")
            #expect(result.errors.has("did you mean"))
            #expect(result.output.isEmpty)
        }
    }

    @Test("A word that is no command is named, and the nearest command is suggested")
    func unknownCommand() throws {
        for (line, told) in [
            ("statsu ada --at @1", "daybook has no command \"statsu\"; did you mean \"status\"?"),
            ("catalog pubilsh x", "catalog has no command \"pubilsh\"; did you mean \"publish\"?"),
            ("xylophone", "daybook has no command \"xylophone\"\n"),
        ] {
            let result = try bench.run(line)
            #expect(result.status == 2)
            #expect(result.errors.has(told), "\(line): \(result.errors)")
        }
        // What is wrong behind a command's name is told as before.
        #expect(try bench.run("dead-letters 7 8").errors.has("unexpected"))
        #expect(try bench.run("status ada --moon").errors.has("--moon"))
        #expect(try bench.run("statsu --version").status == 0)
    }

    @Test("Usage mistakes end with 2, in words and as JSON")
    func usage() throws {
        for line in [
            "check ada", "fly", "check ada stories --color", "status ada --env moon",
            "consume ada stories many", "override", "replay --workers 0",
        ] {
            let result = try bench.run(line + " --json")
            let isGroup = line == "override"
            #expect(isGroup || result.status == 2, "\(line): \(result.status)")
        }
        let result = try bench.run("check ada --json")
        #expect(try result.error["code"] == "usage")
        #expect(try result.error["retryable"] == false)
        #expect(result.errors.has("Missing expected argument"))
        #expect(result.output.isEmpty)
    }

    @Test("Help and version go to stdout with 0, and every command shows an example")
    func help() throws {
        #expect(try bench.run("--version").output.has("0."))
        for command in Self.commands {
            let help = try bench.run(command + " --help")
            #expect(help.status == 0)
            #expect(help.output.has("  daybook \(command)"), "\(command) has no example")
            #expect(help.output.has("--json"), "\(command) has no --json")
        }
    }

    @Test("No ledger, and which one, are told with a remedy")
    func defaultLedger() throws {
        let none = try bench.run("status ada --json")
        #expect(none.status == 4)
        #expect(try none.error["code"] == "no_ledger")
        #expect(none.errors.has("daybook init"))
        try FileManager.default.createDirectory(
            atPath: bench.path("events/dozzi"), withIntermediateDirectories: true)
        try bench.begin(name: "events/dozzi/a.sqlite")
        #expect(try bench.run("status ada").status == 0)
        try bench.begin(name: "events/b.sqlite")
        let two = try bench.run("status ada --json")
        #expect(two.status == 2)
        #expect(try two.error["code"] == "ambiguous_ledger")
        #expect(two.errors.has("events/b.sqlite, events/dozzi/a.sqlite"))
        let chosen = try bench.run(
            "status ada", environment: ["DAYBOOK_LEDGER": bench.path("events/b.sqlite")])
        #expect(chosen.status == 0)
    }

    @Test("What is no ledger is an environment failure, and stays as it is")
    func noLedger() throws {
        let missing = try bench.run("status ada --json --ledger nowhere.sqlite")
        #expect(missing.status == 4)
        #expect(try missing.error["code"] == "not_found")
        #expect(!bench.exists("nowhere.sqlite"))
        let text = "These are my notes. " + String(repeating: "Not a ledger. ", count: 50)
        try bench.write(text, to: "notes.txt")
        for line in ["status ada", "consume ada stories", "verify", "export"] {
            let result = try bench.run("\(line) --json --ledger notes.txt")
            #expect(result.status == 4, "\(line)")
            #expect(try result.error["code"] == "not_a_ledger")
        }
        #expect(try bench.text(of: "notes.txt") == text)
    }

    @Test("init makes one ledger once, from a catalog that is fine")
    func initialising() throws {
        let made = try bench.run([
            "init", bench.path("a.sqlite"), "--catalog", Workbench.dozzi, "--json",
        ])
        #expect(made.status == 0)
        #expect(try made.json["app"] == "dozzi")
        #expect(try made.json["catalog"] == 1)
        let again = try bench.run([
            "init", bench.path("a.sqlite"), "--catalog", Workbench.dozzi, "--json",
        ])
        #expect(again.status == 4)
        #expect(try again.error["code"] == "already_exists")
        #expect(try bench.run("init b.sqlite --catalog nothing.yaml").status == 4)
        #expect(
            try bench.run(["init", "no/such/b.sqlite", "--catalog", Workbench.dozzi]).status == 4)
        try bench.write(
            "app: dozzi\nmeters:\n  stories: { kind: countr, limit: 2 }\n", to: "bad.yaml")
        let bad = try bench.run("init b.sqlite --catalog bad.yaml --json")
        #expect(bad.status == 3)
        let problem = try #require(try bad.error["problems"]?.array?.first?.object)
        #expect(problem["line"] == 3)
        #expect(problem["column"]?.integer != nil)
        #expect(bad.errors.has("bad.yaml:3:"))
        #expect(!bench.exists("b.sqlite"))
        #expect(try bench.run("init b.sqlite").status == 2)
    }

    @Test("A ledger of a newer Daybook is refused with a sentence, and stays as it is")
    func newerSchema() throws {
        let ledger = try bench.begin()
        var bytes = try Data(contentsOf: URL(filePath: ledger))
        // SQLite file format §1.3.18: the user version is the big-endian number at offset 60.
        bytes.replaceSubrange(60..<64, with: [0, 0, 0x27, 0x0F])
        try bytes.write(to: URL(filePath: ledger))
        for line in ["status ada", "consume ada stories"] {
            let result = try bench.run("\(line) --json --ledger \(ledger)")
            #expect(result.status == 4)
            #expect(try result.error["code"] == "newer_schema", "\(result.errors)")
        }
        #expect(try Data(contentsOf: URL(filePath: ledger)) == bytes)
    }

    @Test("A disk that is full is told, and what was acknowledged stays whole")
    func fullDisk() throws {
        let ledger = try bench.begin()
        let lines = (0..<20_000).map { Lines.usage("s\($0)", subject: "u\($0 % 50)") }
        try bench.write(lines.joined(), to: "in.ndjson")
        let result = try bench.run(
            "import in.ndjson --json --ledger \(ledger)", fileByteCountMax: 1 << 20)
        #expect(result.status == 4, "\(result.status) \(result.errors)")
        #expect(try result.error["code"] == "disk_full")
        #expect(result.errors.utf8.count < 2_000)
        let verified = try bench.run("verify --ledger \(ledger)")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        let again = try bench.run("import in.ndjson --json --ledger \(ledger)")
        #expect(again.status == 0)
        #expect(try bench.events().count == 20_001)
    }

    @Test("The guide names every command")
    func guide() throws {
        let guide = try String(
            contentsOfFile: "\(Workbench.repository)/docs/cli.md", encoding: .utf8)
        for command in Self.commands {
            #expect(guide.has("daybook \(command)"), "docs/cli.md has no daybook \(command)")
        }
    }

    @Test("Colour and bars stay away from files, with or without NO_COLOR")
    func colour() throws {
        let ledger = try bench.begin()
        for variables in [[:], ["NO_COLOR": "1"], ["TERM": "xterm-256color"]] {
            let result = try bench.run("status ada --ledger \(ledger)", environment: variables)
            #expect(!result.output.has("\u{1B}"))
            #expect(result.errors.isEmpty)
        }
    }
}
