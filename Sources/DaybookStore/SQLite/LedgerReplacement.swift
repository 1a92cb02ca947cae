import Foundation

/// Puts a backup in the place of a ledger.
///
/// The backup is copied beside the ledger first, the copy is verified, and the caller begins the new epoch in it; then
/// it gets the ledger's name, wholly or not at all. The file that was there stays under another name, with its log,
/// that tells where it ended, so that its events can still be looked up.
public struct LedgerReplacement: Sendable {
    private static let lockWaitSeconds = 10.0

    private let file: LedgerFile
    private let draft: LedgerFile

    /// - Parameter path: Of the ledger.
    public init(path: String) {
        file = LedgerFile(path: path)
        draft = file.draft()
    }

    /// The ledger's path, absolute and without symbolic links.
    public var path: String { file.path }
    /// Where the copy is made.
    public var draftPath: String { draft.path }
    /// Whether something has the ledger's name already, be it a link that leads nowhere.
    public var isTaken: Bool { file.isTaken }

    /// Runs the body while no process writes to the ledger that is there.
    /// - Throws: `.alreadyExists` where one is there and may not be replaced, or where something of a ledger that is
    ///   gone lies at the free name.
    public func exclusively<Result>(
        isReplacing: Bool, _ body: () throws -> Result
    ) throws -> Result {
        guard isTaken else {
            try file.checkIsFree()
            // No process can have it open, and a lock would get other permissions than the ledger.
            return try givingUp(body)
        }
        try StoreError.require(
            isReplacing, .alreadyExists,
            "\(file.path) is there already; say --replace to put the backup in its place, or name another path"
        )
        return try LedgerLock(file).hold(waitSeconds: Self.lockWaitSeconds) {
            file.removeDrafts()
            removeSecondNames()
            return try givingUp(body)
        }
    }

    private func givingUp<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            draft.remove()
            throw error
        }
    }

    /// Copies a backup to the draft's path and verifies the copy as a whole.
    /// - Returns: The end of its history.
    public func copy(
        _ backup: SQLiteEventStore, progress: (Int64, Int64) throws -> Void
    ) throws -> HistoryPoint {
        try StoreError.require(
            backup.path != file.path, .alreadyExists, "\(file.path) is the backup itself")
        // Users who may read and write the ledger now may do so later.
        try backup.copy(to: draft, like: isTaken ? file.path : backup.path)
        return try SQLiteEventStore.prove(draft, backup.header, progress: progress)
    }

    /// Gives the draft the ledger's name.
    /// - Parameter position: Where the ledger that is there ends; part of the name that it keeps.
    /// - Returns: Where it is now; `nil` where there was none.
    public func run(keepingAt position: Int64?) throws -> String? {
        defer {
            // Of the draft, which no other process knew; the ledger has its own.
            unlink(draft.lockPath)
        }
        guard isTaken else {
            try draft.move(to: file)
            Folder.sync(file.folder)
            return nil
        }
        let kept = try keep(position)
        guard rename(draft.path, file.path) == 0 else {
            throw DerivedFile.failure("rename", draft.path)
        }
        // They have their other names by now. Killed before this, the new file does not take them for its own.
        for path in [file.logPath, file.journalPath, file.logIndexPath] { unlink(path) }
        Folder.sync(file.folder)
        return kept.path
    }

    /// Gives the ledger that is there a second name, together with its log, so that at no moment there is no ledger.
    private func keep(_ position: Int64?) throws -> LedgerFile {
        let name = "\(file.path).replaced-at-\(position.map(String.init) ?? "unknown")"
        var kept = LedgerFile(path: name)
        var count = 1
        while [kept.path, kept.logPath, kept.journalPath].contains(where: LedgerFile.isTaken) {
            count += 1
            kept = LedgerFile(path: "\(name)-\(count)")
        }
        var names = [(file.path, kept.path)]
        if file.hasJournal { names.insert((file.journalPath, kept.journalPath), at: 0) }
        if file.hasLog { names.insert((file.logPath, kept.logPath), at: 0) }
        for (old, new) in names where link(old, new) != 0 && errno != ENOENT {
            switch errno {
            // A file system without hard links, such as FAT.
            case EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS:
                guard rename(old, new) == 0 else { throw DerivedFile.failure("rename", old) }
            default: throw DerivedFile.failure("keep", old)
            }
        }
        return kept
    }

    /// A restore that was killed before it gave the new file the name leaves two names of the old one.
    private func removeSecondNames() {
        var own = stat()
        guard lstat(file.path, &own) == 0, own.st_nlink > 1 else { return }
        let prefix = (file.path.split(separator: "/").last.map(String.init) ?? "") + ".replaced-at-"
        for name in DerivedFile.names(in: file.folder, suffix: "") where name.hasPrefix(prefix) {
            let path = "\(file.folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_dev == own.st_dev,
                status.st_ino == own.st_ino
            else { continue }
            let second = LedgerFile(path: path)
            for path in [second.path, second.logPath, second.journalPath] { unlink(path) }
        }
    }
}
