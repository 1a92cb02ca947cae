import Foundation

/// The lock file of a ledger: opened without trusting what lies at its name.
///
/// - Rule: it is a regular file with one name, and its owner and permissions are set only by the process that created
///   it.
/// - Why: others may be able to write in the folder. Through a link of theirs, the superuser would give them a file
///   that is not theirs.
/// - Advice: after a change of the ledger's permissions, change those of the lock too, or remove the lock while no
///   process has the ledger open.
/// - Otherwise: a user who may write beside a ledger could take over any file of the machine.
struct LockFile {
    /// So many attempts: a program that creates and removes the file as fast as we look is reported, not raced for
    /// ever.
    private static let triesMax = 100

    private let ledger: LedgerFile
    private var path: String { ledger.lockPath }

    init(of ledger: LedgerFile) { self.ledger = ledger }

    /// - Returns: A descriptor that belongs to the caller.
    /// - Throws: `.readOnly` where it may not be opened, `.failed` for anything but a file of its own.
    func open() throws -> CInt {
        for _ in 0..<Self.triesMax {
            if let number = try openExisting() ?? create() { return number }
        }
        throw StoreError(
            .failed, "\(path) comes and goes; find out which program creates and removes it")
    }

    /// `nil` when there is none.
    private func openExisting() throws -> CInt? {
        // Asked by name first: opening a pipe or a device can do something.
        var named = stat()
        guard lstat(path, &named) == 0 else {
            if errno == ENOENT { return nil }
            throw failure(errno)
        }
        try check(named)
        // Without O_CREAT, with which Linux refuses another user's file in a folder like /tmp (proc(5),
        // protected_regular).
        let number = systemOpen(O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)
        guard number >= 0 else {
            switch errno {
            case ENOENT: return nil
            // A link came into its place meanwhile.
            case ELOOP: throw noFileOfItsOwn("a symbolic link")
            case let reason: throw failure(reason)
            }
        }
        var held = stat()
        do {
            guard fstat(number, &held) == 0 else { throw failure(errno) }
            try check(held)
        } catch {
            close(number)
            throw error
        }
        return number
    }

    /// Users who may write the ledger may lock it: a new lock takes over the ledger's permissions, and its owner
    /// from the superuser. Before the ledger is there, it and its lock are made under one umask.
    /// - Returns: `nil` when another process was faster, whose file is then the lock.
    private func create() throws -> CInt? {
        let access = FileAccess(of: ledger.path)
        let number = systemOpen(
            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, access.fileBits)
        guard number >= 0 else {
            if errno == EEXIST { return nil }
            throw failure(errno)
        }
        access.fit(number, access.fileBits)
        return number
    }

    /// No name at all is fine: after locking it is checked that the file still has its name.
    private func check(_ status: stat) throws {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: throw noFileOfItsOwn("a symbolic link")
        case S_IFDIR: throw noFileOfItsOwn("a folder")
        default: throw noFileOfItsOwn("a pipe, a socket or a device")
        }
        guard status.st_nlink <= 1 else {
            throw noFileOfItsOwn("one of \(status.st_nlink) names (hard links) of one file")
        }
    }

    private func noFileOfItsOwn(_ what: String) -> StoreError {
        StoreError(
            .failed,
            "\(path) is \(what), and the lock must be a file of its own, which Daybook creates; "
                + "find out who put it there, and remove it while no process has the ledger open")
    }

    private func systemOpen(_ flags: CInt, _ mode: mode_t) -> CInt {
        Foundation.open(path, flags, mode)
    }

    private func failure(_ number: CInt) -> StoreError {
        let reason = String(cString: strerror(number))
        switch number {
        case EMFILE, ENFILE: return SQLiteFailure.tooManyFiles("taking the lock", path)
        case EACCES, EPERM, EROFS:
            if let owner = LedgerFile.foreignOwner(path) {
                return StoreError(
                    .readOnly,
                    "\(ledger.path) cannot be written: \(path) belongs to \(owner); "
                        + "give it the permissions of the ledger (chmod)")
            }
            return StoreError(
                .readOnly,
                "\(ledger.path) cannot be written: \(path): \(reason); "
                    + "check the permissions of the folder \(ledger.folder)")
        case ENOENT, ENOTDIR:
            return StoreError(
                .notFound, "the folder \(ledger.folder) does not exist; create it first")
        case ENOSPC, EDQUOT:
            return StoreError(
                .full, "there is no space left for \(path); free some space and try again")
        default:
            return StoreError(.failed, "\(path) cannot be opened: \(reason)")
        }
    }
}
