import Foundation
import Testing

@Suite("Command line: outputs leave ledgers alone")
struct LedgerGuardTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    /// A ledger with derived files.
    private func prepare(_ folder: String) throws -> String {
        try FileManager.default.createDirectory(
            atPath: bench.path(folder), withIntermediateDirectories: true)
        let ledger = try bench.begin(name: "\(folder)/a.sqlite")
        #expect(try bench.run("snapshot --ledger \(ledger)").status == 0)
        return ledger
    }

    /// Another ledger, and lines that it refuses.
    private func prepareOther() throws {
        try bench.begin(name: "other.sqlite")
        try bench.write("no event\n", to: "bad.ndjson")
    }

    /// Everything that lies beside a ledger, byte for byte.
    private func contents(_ folder: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        let paths = FileManager.default.enumerator(atPath: bench.path(folder))
        while let path = paths?.nextObject() as? String {
            // A folder has no contents of its own.
            found[path] = FileManager.default.contents(atPath: bench.path("\(folder)/\(path)"))
        }
        return found
    }

    /// - Parameter folder: Stays as it is, byte for byte.
    private func expectRefusal(_ output: String, _ ledger: String, _ folder: String) throws {
        let other = bench.path("other.sqlite")
        let before = try contents(folder)
        for line in [
            ["export", "--ledger", other, "-o", output],
            ["replay", "--ledger", other, "--digests", output],
            [
                "import", bench.path("bad.ndjson"), "--keep-going", "--refused", output, "--ledger",
                other,
            ],
            ["catalog", "import", Self.storeKit, "--app", "a", "--output", output],
            ["sandbox", "create", bench.path("new.key"), "--root", output],
            ["schema", "--write", output],
        ] {
            let result = try bench.run(line)
            #expect(result.status != 0, "\(line)")
            #expect(try contents(folder) == before, "\(line)")
        }
        // The ledger itself in use: SQLite may come and go with its log, our file must not.
        let told = try bench.run(["export", "--ledger", ledger, "-o", output])
        #expect(told.status == 4, "\(output): \(told.errors)")
        #expect(told.errors.has("ledger"), "\(told.errors)")
    }

    private static let storeKit = "\(Workbench.repository)/events/nuzzle/Nuzzle.storekit"

    private static let names = [
        "a.sqlite", "a.sqlite-wal", "a.sqlite-shm", "a.sqlite-journal", "a.sqlite.lock",
        "a.sqlite-WAL", "a.sqlite.Lock",
    ]

    @Test(
        "What lies beside a ledger is not written over, be it there already or not",
        arguments: names, [true, false])
    func neighbours(name: String, isThere: Bool) throws {
        let ledger = try prepare("here")
        try prepareOther()
        if isThere, !bench.exists("here/\(name)") { try bench.write("", to: "here/\(name)") }
        try expectRefusal(bench.path("here/\(name)"), ledger, "here")
    }

    @Test(
        "The folder of derived files is not written into",
        arguments: ["here/a.sqlite.snapshots", "events/../snapshots/a.sqlite"])
    func derived(folder: String) throws {
        let ledger = try prepare(folder.hasPrefix("here") ? "here" : "events")
        try prepareOther()
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.path(folder))
        #expect(!names.isEmpty)
        let watched = folder.hasPrefix("here") ? "here" : "snapshots"
        for name in names + ["new.ndjson", "deeper/new.ndjson"] {
            try expectRefusal(bench.path("\(folder)/\(name)"), ledger, watched)
        }
    }

    @Test(
        "No way to a neighbour leads around the guard",
        arguments: ["symbolic link", "folder", "dots", "relative", "dangling link", "hard link"])
    func ways(kind: String) throws {
        let ledger = try prepare("here")
        try prepareOther()
        let log = bench.path("here/a.sqlite-wal")
        let files = FileManager.default
        let way = bench.path("way")
        switch kind {
        case "symbolic link":
            try bench.write("", to: "here/a.sqlite-wal")
            try files.createSymbolicLink(atPath: way, withDestinationPath: "here/a.sqlite-wal")
            try expectRefusal(way, ledger, "here")
        case "dangling link":
            try files.createSymbolicLink(atPath: way, withDestinationPath: log)
            try expectRefusal(way, ledger, "here")
        case "folder":
            try files.createSymbolicLink(atPath: way, withDestinationPath: "here")
            try expectRefusal(way + "/a.sqlite-wal", ledger, "here")
        case "dots":
            try expectRefusal(bench.path("here/../here/./a.sqlite-wal"), ledger, "here")
        case "relative":
            try expectRefusal("here/a.sqlite-wal", ledger, "here")
        default:
            // A log as SQLite writes it, under a second name.
            try Data([0x37, 0x7F, 0x06, 0x82] + [UInt8](repeating: 0, count: 28))
                .write(to: URL(filePath: bench.path("log")))
            try files.linkItem(atPath: bench.path("log"), toPath: way)
            let told = try bench.run(["export", "--ledger", ledger, "-o", way])
            #expect(told.status == 4)
            #expect(try bench.run(["export", "--ledger", ledger, "-o", ledger]).status == 4)
        }
    }

    @Test("Names that only look like a neighbour's are written")
    func harmless() throws {
        let ledger = try bench.begin()
        try bench.write("", to: "notes")
        for name in ["b.sqlite-wal", "notes.lock", "notes.snapshots", "a.sqlite.ndjson", "a-wal"] {
            let result = try bench.run(["export", "--ledger", ledger, "-o", bench.path(name)])
            #expect(result.status == 0, "\(name): \(result.errors)")
            #expect(try bench.text(of: name).hasPrefix("{"))
        }
    }

    @Test("A backup and a restored ledger take no neighbour's place", arguments: names.dropFirst())
    func backups(name: String) throws {
        let ledger = try prepare("here")
        try prepareOther()
        let other = bench.path("other.sqlite")
        let before = try contents("here")
        let output = bench.path("here/\(name)")
        for line in [
            ["backup", output, "--ledger", other],
            ["restore", other, output, "--reason", "test"],
            ["restore", other, output, "--replace", "--reason", "test"],
        ] {
            let result = try bench.run(line)
            #expect(result.status == 4, "\(line): \(result.errors)")
            #expect(result.errors.has("belongs to the ledger"), "\(line): \(result.errors)")
            #expect(try contents("here") == before, "\(line)")
        }
        #expect(try bench.run("consume ada stories --ref s1 --ledger \(ledger)").status == 0)
    }

    @Test(
        "A new ledger takes no neighbour's place either",
        arguments: ["a.sqlite-wal", "a.sqlite.lock"])
    func newLedger(name: String) throws {
        let ledger = try bench.begin()
        // One that no process has open leaves its lock behind, and no log.
        try? FileManager.default.removeItem(atPath: bench.path(name))
        let told = try bench.run(["init", bench.path(name), "--catalog", Workbench.dozzi])
        #expect(told.status == 4)
        #expect(told.errors.has("belongs to the ledger"))
        #expect(!bench.exists(name))
        #expect(try bench.run("consume ada stories --ref s1 --ledger \(ledger)").status == 0)
    }
}
