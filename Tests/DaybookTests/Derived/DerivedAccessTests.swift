import Daybook
import DaybookDomain
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// What is derived from a ledger is readable by those who can read the ledger, and by no other users.
@Suite("Who may read derived files")
struct DerivedAccessTests {
    private static func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(lstat(path, &status) == 0, "\(path)")
        return status
    }

    private static func bits(_ path: String) throws -> Int { Int(try status(path).st_mode & 0o777) }

    /// A ledger with these permissions, and segments and a snapshot that were written since.
    private static func ledger(_ bits: Int, owner: uid_t? = nil) async throws -> LedgerFolder {
        let folder = try LedgerFolder()
        try await folder.create("dozzi", clock: { 0 }).close()
        try #require(chmod(folder.path, mode_t(bits)) == 0)
        if let owner { try #require(chown(folder.path, owner, owner) == 0) }
        let ledger = try Ledger(
            store: try SQLiteEventStore(path: folder.path), path: folder.path,
            segmentEventCount: 16, clock: { 0 })
        try await ledger.record(
            (0..<40).map { .used("stories", at: Int64($0), ref: "\($0)") })
        try ledger.snapshot()
        try ledger.close()
        return folder
    }

    @Test(
        "Files have the ledger's permissions, and their folder those that let one read them",
        arguments: [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755), (0o664, 0o775)])
    func permissions(file: Int, expected: Int) async throws {
        let folder = try await Self.ledger(file)
        #expect(try Self.bits(folder.derived.path) == expected)
        let names = folder.derivedNames("")
        #expect(names.count == 3)
        for name in names {
            #expect(try Self.bits(folder.derived.appending(path: name).path) == file, "\(name)")
        }
    }

    @Test(
        "What the superuser makes belongs to the owner of the ledger file",
        .enabled(if: geteuid() == 0))
    func owner() async throws {
        let folder = try await Self.ledger(0o600, owner: 65_534)
        let paths = folder.derivedNames("").map { folder.derived.appending(path: $0).path }
        for path in [folder.derived.path] + paths {
            let status = try Self.status(path)
            #expect(status.st_uid == 65_534 && status.st_gid == 65_534, "\(path)")
        }
    }

    @Test("A folder that was there before keeps its permissions; the files in it have the ledger's")
    func existingFolder() async throws {
        let folder = try LedgerFolder()
        try FileManager.default.createDirectory(
            at: folder.derived, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        let ledger = try await folder.create("dozzi", clock: { 0 })
        try #require(chmod(folder.path, 0o600) == 0)
        let report = try ledger.snapshot()
        try ledger.close()
        #expect(try Self.bits(folder.derived.path) == 0o755)
        #expect(try Self.bits(report.path) == 0o600)
    }

    @Test("Key arrays have the ledger's permissions too")
    func keys() throws {
        let folder = try LedgerFolder()
        try Data("ledger".utf8).write(to: URL(filePath: folder.path))
        try #require(chmod(folder.path, 0o600) == 0)
        let lookup = LookupFolder(path: folder.derived.path, like: folder.path, ledger: 1)
        let range = 1...LookupRun.alignment
        let run = LookupRun(range, entries: range.map { (UInt64($0) &* 77, $0) })
        let history = HistoryPoint(
            position: LookupRun.alignment, epoch: 1, nameCount: 0, streamCount: 0, hash: .zero)
        let path = try #require(try lookup.write(run, history: history).path)
        #expect(try Self.bits(path) == 0o600)
        #expect(try Self.bits(folder.derived.path) == 0o700)
    }
}
