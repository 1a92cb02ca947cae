import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

@Suite("Command line: imports that are long or odd")
struct LargeImportTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    @Test("A line over 64 MiB is reported, and the lines behind it are taken")
    func endlessLine() throws {
        var bytes = Data(Lines.usage("s1").utf8)
        bytes += Data("{\"data\":{\"x\":\"".utf8)
        bytes += Data(repeating: UInt8(ascii: "x"), count: 65 << 20)
        bytes += Data("\"}}\n".utf8) + Data((Lines.usage("s2") + Lines.usage("s3")).utf8)
        try bytes.write(to: URL(filePath: bench.path("in.ndjson")))
        let refused = try bench.run("import in.ndjson --json --ledger \(ledger)")
        #expect(refused.status == 3)
        let problem = try #require(try refused.error["problems"]?.array?.first?.object)
        #expect(problem["line"] == 2)
        #expect(problem["code"] == "too_large")
        let result = try bench.run("import in.ndjson --keep-going --json --ledger \(ledger)")
        #expect(result.status == 3)
        #expect(try result.json["lines"] == 4)
        #expect(try result.json["appended"] == 3)
        #expect(try result.json["refused"] == 1)
        let line = try bench.text(of: "in.ndjson.refused")
        #expect(line.has("\"line\":2") && line.has("68157457 bytes"))
        #expect(line.utf8.count < 5_000)
        #expect(try bench.events().count == 4)
    }

    @Test("A byte order mark before the first line is skipped, by every command that reads lines")
    func byteOrderMark() throws {
        let mark = "\u{FEFF}"
        let result = try bench.run(
            "import - --json --ledger \(ledger)", input: mark + Lines.usage("s1"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try bench.run("record - --ledger \(ledger)", input: mark + Lines.usage("s2")).status
                == 0)
        #expect(
            try bench.run("record - --stream --ledger \(ledger)", input: mark + Lines.usage("s3"))
                .status == 0)
        #expect(try bench.events().count == 4)
        let exported = try bench.run("export --ledger \(ledger)").output
        try bench.write(mark + exported, to: "all.ndjson")
        let replayed = try bench.run("replay all.ndjson --json")
        #expect(replayed.status == 0, "\(replayed.errors)")
        #expect(try replayed.json["events"] == 4)
        let inside = try bench.run(
            "import - --json --ledger \(ledger)",
            input: Lines.usage("s4") + mark + Lines.usage("s5"))
        #expect(inside.status == 3)
    }

    @Test("--dry-run needs no right to write")
    func readers() throws {
        let lock = open(ledger + ".lock", O_RDWR | O_CREAT, 0o644)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let dry = try bench.run(
            "import - --dry-run --json --ledger \(ledger)", input: Lines.usage("s1"))
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(try dry.json["lines"] == 1)
        flock(lock, LOCK_UN)
        #expect(try bench.events().count == 1)
    }

    @Test(
        "A key that another process takes while a file is read is a conflict of its line alone",
        arguments: [true, false])
    func takenMeanwhile(keepsGoing: Bool) throws {
        let count = 10_000
        let lines = (0..<count).map { Lines.usage("s\($0)", subject: "u\($0 % 50)") }
        var (command, name) = try bench.command(
            ["import", "-", "--json", "--ledger", ledger] + (keepsGoing ? ["--keep-going"] : []))
        let pipe = Pipe()
        command.input = .pipe(pipe)
        let process = try command.start()
        // A pipe holds 64 KiB, so the first thousands of lines have been checked when all are written.
        try pipe.fileHandleForWriting.write(contentsOf: Data(lines.joined().utf8))
        let other = Lines.usage("s7", subject: "u7", amount: 2)
        #expect(try bench.run(["record", other, "--ledger", ledger]).status == 0)
        try pipe.fileHandleForWriting.close()
        let result = try bench.result(of: process, name)
        #expect(result.status == 3)
        guard keepsGoing else {
            #expect(try result.error["code"] == "idempotency_conflict")
            return
        }
        #expect(try result.json["appended"]?.integer == Int64(count - 1))
        #expect(try result.json["refused"] == 1)
        let refused = try JSONReader.read(Array(try bench.text(of: "import.refused").utf8)).object
        #expect(refused?["line"] == 8)
        #expect(refused?["text"]?.text == String(lines[7].dropLast()))
        #expect(try bench.events().count == count + 1)
    }

    @Test("What a file repeats counts once, also when the repetition is far away")
    func repetitions() throws {
        let lines = (0..<9_000).map { Lines.usage("s\($0)", subject: "u\($0 % 50)") }
        let again = lines.joined() + lines[0] + lines[4_500]
        let result = try bench.run("import - --json --ledger \(ledger)", input: again).json
        #expect(result["lines"] == 9_002)
        #expect(result["appended"] == 9_000)
        #expect(result["duplicates"] == 2)
        let conflict = lines.joined() + Lines.usage("s0", subject: "u0", amount: 2)
        let refused = try bench.run("import - --json --ledger \(ledger)", input: conflict)
        #expect(try refused.error["problems"]?.array?.first?.object?["line"] == 9_001)
    }
}
