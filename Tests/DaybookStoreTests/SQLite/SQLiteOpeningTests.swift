import DaybookStore
import Foundation
import Testing

/// What is refused, and in which words.
struct SQLiteOpeningTests {
    @Test("A ledger is created whole, under its own name")
    func creation() throws {
        let bench = try Bench(eventCount: 0)
        #expect(bench.store.header.app == "dozzi")
        #expect(bench.store.header.ledgerID.count == 32)
        #expect(bench.store.header.schemaVersion == 3)
        try bench.store.close()
        let name = (bench.path as NSString).lastPathComponent
        #expect(try bench.folder.fileNames.filter { !$0.hasPrefix(name) } == [])
        let header = try #require(FileManager.default.contents(atPath: bench.path)).prefix(100)
        #expect(Array(header[68..<72]) == Array("DAYB".utf8))
        #expect(Array(header[60..<64]) == [0, 0, 0, 3])
        #expect(Array(header[16..<20]) == [0x10, 0x00, 2, 2])
    }

    @Test("Two ledgers have two identities")
    func identity() throws {
        let first = try Bench(eventCount: 0)
        let second = try Bench(eventCount: 0)
        #expect(first.store.header.ledgerID != second.store.header.ledgerID)
    }

    @Test("A file that exists is not overwritten", arguments: ["", "not a ledger"])
    func existing(content: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try code { _ = try SQLiteEventStore.create(at: path, app: "a") } == .alreadyExists)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
        #expect(try folder.fileNames.count == 1)
    }

    @Test("A new ledger does not inherit the log of one that was deleted")
    func foreignLog() throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        try "log".write(toFile: path + "-wal", atomically: false, encoding: .utf8)
        let error = try failure { _ = try SQLiteEventStore.create(at: path, app: "a") }
        #expect(error?.code == .alreadyExists)
        #expect(error?.message.contains("move it away first") == true)
    }

    @Test("A folder that does not exist is named")
    func missingFolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/none/ledger.sqlite"
        let error = try failure { _ = try SQLiteEventStore.create(at: path, app: "a") }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("create it first") == true)
    }

    @Test("A missing ledger is not found, and nothing is created")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(try code { _ = try SQLiteEventStore(path: folder.newPath()) } == .notFound)
        #expect(try folder.fileNames == [])
    }

    static let foreignFiles: [(String, [UInt8], String)] = [
        ("an empty file", [], "the file is empty"),
        ("a text file", Array("hello".utf8), "it is no SQLite database"),
        ("a long text file", Array(repeating: 65, count: 9_000), "it is no SQLite database"),
        (
            "the first bytes of a database", Array("SQLite format 3\u{0}".utf8),
            "it is no SQLite database"
        ),
        (
            "another program's database",
            Array("SQLite format 3\u{0}".utf8) + Array(repeating: 0, count: 4_080),
            "it is another program's SQLite database (application_id 0"
        ),
    ]

    @Test("What is no ledger is refused and left alone", arguments: foreignFiles)
    func foreign(name: String, bytes: [UInt8], reason: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        try Data(bytes).write(to: URL(filePath: path))
        let error = try failure { _ = try SQLiteEventStore(path: path) }
        #expect(error?.code == .notALedger)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "no error")")
        #expect(try folder.fileNames.count == 1)
    }

    @Test(
        "A pipe is no ledger, and opening does not wait for its other end", .timeLimit(.minutes(10))
    )
    func pipe() throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        try #require(mkfifo(path, 0o600) == 0)
        let error = try failure { _ = try SQLiteEventStore(path: path) }
        #expect(error?.code == .notALedger)
        #expect(error?.message.contains("it is not a file") == true)
    }

    @Test("What appears under the name while a ledger is created is not overwritten")
    func creationRace() throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        // The statements of a later version run while the draft is written; these make a file under the final name.
        let intruder = ["ATTACH '\(path)' AS other", "CREATE TABLE other.theirs(x)"]
        let error = try failure {
            _ = try SQLiteEventStore.create(at: path, app: "a", laterMigrations: [intruder])
        }
        #expect(error?.code == .alreadyExists)
        let bytes = try #require(FileManager.default.contents(atPath: path))
        #expect(bytes[68..<72] == Data([0, 0, 0, 0]))
        #expect(try folder.fileNames.filter { $0.hasSuffix(".new") } == [])
    }

    @Test("A folder is no ledger")
    func folderAsLedger() throws {
        let folder = try TemporaryFolder()
        #expect(try code { _ = try SQLiteEventStore(path: folder.path) } == .notALedger)
    }

    @Test("A newer ledger is refused in a clear sentence, an impossible one is damaged")
    func schemaVersions() throws {
        for (version, expected) in [
            (4, StoreError.Code.newerSchema), (7, .newerSchema), (0, .damaged),
        ] {
            let bench = try Bench()
            try bench.store.executeOnWriteConnection("PRAGMA user_version = \(version)")
            try bench.store.close()
            let error = try failure { _ = try SQLiteEventStore(path: bench.path) }
            #expect(error?.code == expected)
            if expected == .newerSchema {
                #expect(
                    error?.message.contains("newer Daybook (schema \(version), this one knows 3)")
                        == true)
            }
        }
    }

    @Test(
        "A damaged ledger is called damaged, wherever the damage is", arguments: [16, 100, 4_096])
    func damage(offset: Int) throws {
        let bench = try Bench(eventCount: 3)
        try bench.store.close()
        var bytes = try #require(FileManager.default.contents(atPath: bench.path))
        bytes.replaceSubrange(
            offset..<(offset == 16 ? 18 : bytes.count),
            with: repeatElement(0xA5, count: offset == 16 ? 2 : bytes.count - offset))
        try bytes.write(to: URL(filePath: bench.path))
        let code = try code {
            let store = try SQLiteEventStore(path: bench.path)
            _ = try Bench.allRows(store)
        }
        #expect(code == .damaged)
    }

    @Test("A ledger that was cut short is called damaged")
    func truncation() throws {
        let bench = try Bench(eventCount: 3_000)
        try bench.store.close()
        let bytes = try #require(FileManager.default.contents(atPath: bench.path))
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: bench.path))
        let code = try code {
            let store = try SQLiteEventStore(path: bench.path)
            let findings = try store.findings()
            #expect(!findings.isEmpty)
            _ = try Bench.allRows(store)
        }
        #expect(code == .damaged)
    }

    @Test(
        "A relative path and odd names work",
        arguments: ["file:x?y#z%41.sqlite", "ü b.sqlite", "'q\".sqlite"])
    func oddNames(name: String) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteEventStore.create(at: folder.path + "/" + name, app: "a")
        try store.close()
        let again = try SQLiteEventStore(path: folder.path + "/" + name)
        try again.exclusively { _ in }
        try again.close()
        #expect(try folder.fileNames == [name, name + ".lock"])
    }

    @Test("A ledger opened for reading refuses to write")
    func readOnly() throws {
        let bench = try Bench()
        let reader = try SQLiteEventStore(path: bench.path, readOnly: true)
        #expect(try code { try reader.exclusively { _ in } } == .readOnly)
        #expect(try Bench.allRows(reader).count == 3)
        #expect(reader.durability == "none")
        try reader.close()
    }
}
