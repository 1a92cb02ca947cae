import DaybookEvents
import DaybookStore
import Foundation
import Testing

/// What one process must not take from another, or from itself: locks, names, permissions.
struct SQLiteNeighbourTests {
    /// Appends one event after whatever the store has, as a ledger would.
    private static func appendOne(_ path: String, _ store: SQLiteEventStore) throws {
        try store.exclusively { turn in
            let head = try store.head()
            guard let last = try store.rows(at: [head.position]).first else { return }
            var row = last
            row.key = "key \(head.position + 1)"
            row.event.key = Reference(row.key)
            row.event.position = head.position + 1
            row.streamVersion += 1
            row.previous = head.position
            try turn.append(
                AppendBatch(
                    expectedHead: head.position, nameCount: try store.names(after: 0).count,
                    names: [], streams: [], rows: [row], documents: []))
        }
    }

    @Test("A second store, an inspection and the end of both leave this process's locks in place")
    func locksOfOneProcess() async throws {
        let bench = try Bench()
        let path = bench.path
        #expect(try bench.store.findings() == [])
        let second = try SQLiteEventStore(path: path)
        #expect(try second.findings() == [])
        try second.close()
        // Another process that writes and closes removes the log only when it is the last one.
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try SQLiteEventStore(path: path)
            try Self.appendOne(path, store)
            try #require(try store.head().position == 4)
            try store.close()
        }
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        try Self.appendOne(path, bench.store)
        #expect(try bench.store.head().position == 5)
        // What is acknowledged is what a process sees that has nothing in memory: as after SIGKILL.
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try SQLiteEventStore(path: path, readOnly: true)
            try #require(try store.head().position == 5)
            try #require(try store.findings() == [])
            try store.close()
        }
        try bench.store.close()
        let again = try SQLiteEventStore(path: path)
        #expect(try again.head().position == 5)
        try again.close()
    }

    @Test("Whatever the way to a ledger is called, it is one ledger with one lock")
    func links() throws {
        var bench = try Bench()
        let folder = bench.folder.path
        let name = (bench.path as NSString).lastPathComponent
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder + "/link.sqlite", withDestinationPath: name)
        try files.createSymbolicLink(atPath: folder + "/here", withDestinationPath: ".")
        let real = try SQLiteEventStore(path: bench.path).path
        for way in [
            "/link.sqlite", "/here/\(name)", "/here/link.sqlite", "//\(name)", "/./\(name)",
        ] {
            let other = try SQLiteEventStore(
                path: folder + way, readOnly: false, lockWaitSeconds: 0.05)
            #expect(other.path == real)
            try bench.store.exclusively { _ in
                let refusal = try code { try other.exclusively { _ in } }
                #expect(refusal == .busy)
            }
            try bench.append(1, through: other)
            #expect(try other.head() == bench.store.head())
            try other.close()
        }
        #expect(try bench.store.findings() == [])
        try bench.store.close()
        #expect(
            try bench.folder.fileNames == ["here", name, name + ".lock", "link.sqlite"].sorted())
    }

    @Test("A ledger is created in the folder that a link leads to, and never in a link's place")
    func creationThroughLinks() throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: folder.path + "/to", withDestinationPath: "real")
        let store = try SQLiteEventStore.create(at: folder.path + "/to/a.sqlite", app: "a")
        #expect(store.path.hasSuffix("/real/a.sqlite"))
        try store.close()
        let dangling = folder.path + "/dangling.sqlite"
        try files.createSymbolicLink(atPath: dangling, withDestinationPath: "nowhere/b.sqlite")
        #expect(
            try code { _ = try SQLiteEventStore.create(at: dangling, app: "a") } == .alreadyExists)
        #expect(try code { _ = try SQLiteEventStore(path: dangling) } == .notFound)
        #expect(try files.destinationOfSymbolicLink(atPath: dangling) == "nowhere/b.sqlite")
    }

    @Test("A file with two names is refused: each name would have its own lock and log")
    func hardLinks() throws {
        let bench = try Bench()
        try bench.store.close()
        let other = bench.folder.path + "/other.sqlite"
        let reader = try SQLiteEventStore(path: bench.path)
        try FileManager.default.linkItem(atPath: bench.path, toPath: other)
        for path in [bench.path, other] {
            let error = try failure { _ = try SQLiteEventStore(path: path) }
            #expect(error?.code == .failed)
            #expect(error?.message.contains("one of 2 names (hard links)") == true)
        }
        // Also when the second name came after opening.
        #expect(try code { try reader.exclusively { _ in } } == .failed)
        try FileManager.default.removeItem(atPath: other)
        try reader.exclusively { _ in }
        try reader.close()
    }

    @Test("A new lock has the ledger's permissions, whatever the umask", arguments: [0o600, 0o664])
    func lockPermissions(permissions: Int) throws {
        var bench = try Bench()
        try bench.store.close()
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: bench.path)
        try files.removeItem(atPath: bench.path + ".lock")
        let store = try SQLiteEventStore(path: bench.path)
        try bench.append(1, through: store)
        let attributes = try files.attributesOfItem(atPath: bench.path + ".lock")
        #expect(attributes[.posixPermissions] as? Int == permissions)
        try store.close()
    }

    /// Log, index or lock that another user left behind; without a second user, one's own without permissions.
    @Test(
        "A process that another user's file locks out is told the file and its owner",
        arguments: ["-wal", "-shm", ".lock"])
    func foreignCompanions(suffix: String) async throws {
        let bench = try Bench()
        let path = bench.path
        try bench.store.close()
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: bench.folder.path)
        try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        try files.removeItem(atPath: path + ".lock")
        try #require(
            files.createFile(
                atPath: path + suffix, contents: nil, attributes: [.posixPermissions: 0o444]))
        await #expect(processExitsWith: .success) {
            [path = path as String, suffix = suffix as String] in
            // As the Unix user `nobody`: permissions do not bind the superuser.
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let error = try failure {
                let store = try SQLiteEventStore(path: path)
                try store.exclusively { _ in }
            }
            try #require(error?.code == .readOnly)
            let message = try #require(error?.message)
            try #require(message.contains("\(path)\(suffix) belongs to "), "\(message)")
            try #require(message.contains("permissions of"), "\(message)")
        }
    }
}
