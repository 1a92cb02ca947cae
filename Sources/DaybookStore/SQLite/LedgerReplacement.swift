import GRDB

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Puts a backup in the place of a ledger, or where there is none.
///
/// The copy is made and finished under another name; the ledger that was there keeps its events under a name that says
/// where it ended, for whoever needs to look something up.
public struct LedgerReplacement: Sendable {
    private static let lockWaitSeconds = 10.0

    private let file: LedgerFile
    /// Where the copy is made.
    public let draftPath: String

    /// - Parameter path: Of the ledger.
    public init(path: String) {
        file = LedgerFile(path: path)
        draftPath = "\(file.path).\(String(UInt64.random(in: .min ... .max), radix: 16)).new"
    }

    /// The ledger's path, absolute and without symbolic links.
    public var path: String { file.path }
    public var isTaken: Bool { file.isTaken || file.hasLog }

    /// Copies a backup to the draft's path.
    /// - Throws: `.alreadyExists` where a ledger is there and may not be replaced.
    public func copy(_ backup: SQLiteEventStore, isReplacing: Bool) throws {
        guard !isTaken || isReplacing else {
            throw StoreError(
                .alreadyExists,
                "\(file.path) is there already; say --replace to put the backup in its place, or name another path"
            )
        }
        guard backup.path != file.path else {
            throw StoreError(.alreadyExists, "\(file.path) is the backup itself")
        }
        try backup.copy(to: LedgerFile(path: draftPath))
    }

    /// Gives the draft the ledger's name.
    /// - Parameter position: Where the ledger that is there ends; part of the name that it keeps.
    /// - Returns: Where it is now; `nil` where there was none.
    public func run(keepingAt position: Int64?) throws -> String? {
        try LedgerLock(file).hold(waitSeconds: Self.lockWaitSeconds) {
            let kept = try isTaken ? setAside(position) : nil
            guard rename(draftPath, file.path) == 0 else {
                throw DerivedFile.failure("rename", draftPath)
            }
            // Of the draft, which nobody else knew; the ledger has its own.
            unlink(LedgerFile(path: draftPath).lockPath)
            Folder.sync(file.folder)
            return kept
        }
    }

    /// The file keeps its log: together they are what they were.
    private func setAside(_ position: Int64?) throws -> String {
        let name = "\(file.path).replaced-at-\(position.map(String.init) ?? "unknown")"
        var kept = LedgerFile(path: name)
        var count = 1
        while kept.isTaken {
            count += 1
            kept = LedgerFile(path: "\(name)-\(count)")
        }
        for (old, new) in [
            (file.path, kept.path), (file.logPath, kept.logPath),
            (file.journalPath, kept.journalPath),
        ] where rename(old, new) != 0 && errno != ENOENT {
            throw DerivedFile.failure("rename", old)
        }
        // Only an index of the log, which whoever opens it makes anew.
        unlink(file.logIndexPath)
        return kept.path
    }

    /// Removes what a failure left.
    public func giveUp() {
        let draft = LedgerFile(path: draftPath)
        for path in [
            draft.path, draft.logPath, draft.logIndexPath, draft.journalPath, draft.lockPath,
        ] { unlink(path) }
    }
}
