import DaybookStore
import Foundation
import Testing

/// What lies at the lock's name is not trusted: another user may be able to write in the folder.
struct LockFileTests {
    private let bench: Bench
    private let lock: String
    private let files = FileManager.default

    init() throws {
        bench = try Bench()
        lock = bench.path + ".lock"
        try bench.store.close()
        try files.removeItem(atPath: lock)
    }

    /// A file of another user, which no command on the ledger may change.
    private func foreignFile() throws -> String {
        let path = bench.folder.path + "/foreign"
        #expect(
            files.createFile(
                atPath: path, contents: Data("secret".utf8),
                attributes: [.posixPermissions: 0o640]))
        if geteuid() == 0 { try #require(chown(path, 65_534, 65_534) == 0) }
        return path
    }

    private func status(_ path: String) throws -> [UInt32] {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return [UInt32(status.st_mode), UInt32(status.st_uid), UInt32(status.st_gid)]
    }

    private func expectRefusal(_ what: String) throws {
        let error = try failure {
            let store = try SQLiteEventStore(path: bench.path)
            defer { try? store.close() }  // Nothing was written; the refusal is what counts.
            try store.exclusively { _ in }
        }
        #expect(error?.code == .failed)
        let message = error?.message ?? "no error"
        #expect(message.contains("\(lock) is \(what)"), "\(message)")
        #expect(message.contains("remove it"), "\(message)")
    }

    @Test(
        "A link in the lock's place is refused, and the file that it leads to stays what it was",
        arguments: ["symbolic", "dangling", "hard"])
    func links(kind: String) throws {
        let foreign = try foreignFile()
        let before = try status(foreign)
        switch kind {
        case "symbolic":
            try files.createSymbolicLink(atPath: lock, withDestinationPath: foreign)
            try expectRefusal("a symbolic link")
        case "dangling":
            let nowhere = bench.folder.path + "/nowhere"
            try files.createSymbolicLink(atPath: lock, withDestinationPath: nowhere)
            try expectRefusal("a symbolic link")
            #expect(!files.fileExists(atPath: nowhere))
        default:
            try files.linkItem(atPath: foreign, toPath: lock)
            try expectRefusal("one of 2 names")
        }
        #expect(try status(foreign) == before)
        try files.removeItem(atPath: lock)
        let store = try SQLiteEventStore(path: bench.path)
        try store.exclusively { _ in }
        try store.close()
    }

    @Test(
        "What is no file in the lock's place is refused and not waited for",
        arguments: ["pipe", "folder"])
    func noFiles(kind: String) throws {
        if kind == "pipe" {
            try #require(mkfifo(lock, 0o666) == 0)
            try expectRefusal("a pipe")
        } else {
            try files.createDirectory(atPath: lock, withIntermediateDirectories: false)
            try expectRefusal("a folder")
        }
    }

    @Test("A lock that is already there keeps its owner and its permissions")
    func existing() throws {
        try #require(
            files.createFile(
                atPath: lock, contents: nil, attributes: [.posixPermissions: 0o622]))
        if geteuid() == 0 { try #require(chown(lock, 65_534, 65_534) == 0) }
        let before = try status(lock)
        let store = try SQLiteEventStore(path: bench.path)
        try store.exclusively { _ in }
        try store.close()
        #expect(try status(lock) == before)
    }

    @Test("A new lock belongs to the owner of the ledger file", .enabled(if: geteuid() == 0))
    func owner() throws {
        try #require(chown(bench.path, 65_534, 65_534) == 0)
        try #require(chmod(bench.path, 0o660) == 0)
        let store = try SQLiteEventStore(path: bench.path)
        try store.exclusively { _ in }
        try store.close()
        #expect(try status(lock) == status(bench.path))
    }

    @Test("Of many who create the lock at once each finds the same one")
    func race() async throws {
        for _ in 0..<20 {
            let stores = try (0..<8).map { _ in try SQLiteEventStore(path: bench.path) }
            let turns = Turns()
            await withTaskGroup(of: Void.self) { group in
                for store in stores {
                    group.addTask {
                        do { try store.exclusively { _ in turns.take() } } catch {
                            Issue.record("\(error)")
                        }
                    }
                }
            }
            #expect(turns.atOnceMax == 1)
            for store in stores { try store.close() }
            try files.removeItem(atPath: lock)
        }
    }
}

/// Notices two holders of one lock.
private final class Turns: @unchecked Sendable {
    // Safe to share: every member is used under `guardian` alone.
    private let guardian = NSLock()
    private var atOnce = 0
    private(set) var atOnceMax = 0

    func take() {
        guardian.withLock {
            atOnce += 1
            atOnceMax = max(atOnceMax, atOnce)
        }
        sched_yield()
        guardian.withLock { atOnce -= 1 }
    }
}
