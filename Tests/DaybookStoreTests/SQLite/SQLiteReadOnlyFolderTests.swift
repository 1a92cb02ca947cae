import DaybookStore
import Foundation
import Testing

/// A folder that cannot be written, made with whatever this machine allows.
private enum ReadOnlyFolder {
    /// How a folder is protected from its own user.
    enum Means: CaseIterable {
        case permissions, immutableAttribute, mount
    }

    /// `nil` when the tests run as root in a container that may neither set attributes nor mount.
    static let means: Means? = Means.allCases.first { means in
        // Without a temporary folder there is no way at all.
        guard let folder = try? TemporaryFolder() else { return false }
        defer { unprotect(folder.path, means) }
        return protect(folder.path, means) && access(folder.path, W_OK) != 0
    }

    static var isPossible: Bool { means != nil }

    static func protect(_ path: String, _ means: Means) -> Bool {
        switch means {
        case .permissions: chmod(path, 0o555) == 0
        case .immutableAttribute: runCommand("chattr", "-R", "+i", path)
        case .mount:
            runCommand("mount", "--bind", path, path)
                && runCommand("mount", "-o", "remount,ro,bind", path)
        }
    }

    static func unprotect(_ path: String, _ means: Means) {
        switch means {
        case .permissions: chmod(path, 0o755)
        case .immutableAttribute: _ = runCommand("chattr", "-R", "-i", path)
        case .mount: _ = runCommand("umount", path)
        }
    }

    static func during(_ folder: TemporaryFolder, _ body: () throws -> Void) throws {
        let means = try #require(means)
        try #require(protect(folder.path, means))
        defer { unprotect(folder.path, means) }
        try body()
    }
}

@Suite(
    .enabled(
        if: ReadOnlyFolder.isPossible,
        "root ignores permissions, and this machine allows neither chattr nor mount"))
struct SQLiteReadOnlyFolderTests {
    @Test("A closed ledger in a folder that cannot be written is read, and writing is refused")
    func closedLedger() throws {
        let bench = try Bench()
        let rows = try Bench.allRows(bench.store)
        try bench.store.close()
        try ReadOnlyFolder.during(bench.folder) {
            let store = try SQLiteEventStore(path: bench.path)
            #expect(try Bench.allRows(store) == rows)
            #expect(try store.names(after: 0) == ["ada"])
            #expect(try store.foreignChangeCounter() == store.foreignChangeCounter())
            #expect(!store.looksIntoMemory)
            #expect(try store.findings() == [])
            let error = try failure { try store.exclusively { _ in } }
            #expect(error?.code == .readOnly)
            let message = error?.message ?? "no error"
            #expect(message.contains("permissions"), "\(message)")
            try store.close()
        }
        #expect(try bench.folder.fileNames.count == 2)
    }

    @Test("A ledger whose newest events are still in the log is not half-read: it says what to do")
    func logWithoutIndex() throws {
        var bench = try Bench()
        try bench.append(2)
        let copy = try TemporaryFolder()
        let path = copy.newPath()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: bench.path + suffix, toPath: path + suffix)
        }
        try ReadOnlyFolder.during(copy) {
            let error = try failure { _ = try SQLiteEventStore(path: path) }
            #expect(error?.code == .readOnly)
            #expect(error?.message.contains("copy both files to another folder") == true)
        }
        let writable = try SQLiteEventStore(path: path)
        #expect(try writable.head().position == 5)
        try writable.close()
    }

    @Test("A change that was cut short outside of the log mode is not read as if it had never been")
    func hotJournal() throws {
        let bench = try Bench()
        try bench.store.close()
        var bytes = try #require(FileManager.default.contents(atPath: bench.path))
        bytes.replaceSubrange(18..<20, with: [1, 1])
        try bytes.write(to: URL(filePath: bench.path))
        // SQLite's own mark of a journal that must be undone, and nothing to undo.
        let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let journal = mark + [UInt8](repeating: 0, count: 504)
        try Data(journal).write(to: URL(filePath: bench.path + "-journal"))
        func expectRefusal() throws {
            let error = try failure { _ = try SQLiteEventStore(path: bench.path) }
            #expect(error?.code == .readOnly)
            #expect(error?.message.contains("undone from \(bench.path)-journal") == true)
        }
        try ReadOnlyFolder.during(bench.folder, expectRefusal)
        try expectRefusal()
        try FileManager.default.removeItem(atPath: bench.path + "-journal")
        let writable = try SQLiteEventStore(path: bench.path)
        #expect(try writable.head().position == 3)
        #expect(try writable.findings() == ["The journal mode of \(writable.path) is not WAL."])
        try writable.close()
    }

    @Test("A ledger that another process begins to write to is not read on as if it stood still")
    func changedUnderneath() throws {
        var bench = try Bench()
        try bench.store.close()
        let means = try #require(ReadOnlyFolder.means)
        try #require(ReadOnlyFolder.protect(bench.folder.path, means))
        let reader = try SQLiteEventStore(path: bench.path)
        #expect(try reader.head().position == 3)
        ReadOnlyFolder.unprotect(bench.folder.path, means)
        let writer = try SQLiteEventStore(path: bench.path)
        // What was read while a writer began is not handed out.
        let error = try failure {
            try reader.whileReading { try bench.append(1, through: writer) }
        }
        #expect(error?.message.contains("open it again") == true)
        #expect(try code { _ = try reader.head() } == .readOnly)
        try writer.close()
        #expect(try code { _ = try reader.head() } == .readOnly)
        // A long-lived reader that only looks whether something is new is told as well (rule 29).
        #expect(try code { _ = try reader.foreignChangeCounter() } == .readOnly)
        try reader.close()
    }

    @Test("A ledger is not created in a folder that cannot be written")
    func creation() throws {
        let folder = try TemporaryFolder()
        try ReadOnlyFolder.during(folder) {
            let error = try failure {
                _ = try SQLiteEventStore.create(at: folder.newPath(), app: "a")
            }
            #expect(error?.code == .readOnly)
        }
    }
}

@Suite(.enabled(if: geteuid() != 0, "root reads every file"))
struct SQLiteUnreadableFileTests {
    @Test("A ledger that may not be read says so")
    func unreadable() throws {
        let bench = try Bench()
        try bench.store.close()
        chmod(bench.path, 0)
        let error = try failure { _ = try SQLiteEventStore(path: bench.path) }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("check its permissions") == true)
    }
}
