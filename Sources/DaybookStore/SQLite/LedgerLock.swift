import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The one right to write: held by one thread of one process at a time.
///
/// - Rule: every write transaction, every checkpoint and the closing of a write connection hold it.
/// - Why: SQLite before 3.51.3 can lose a commit when one connection checkpoints while another
///   commits.
/// - Advice: a program that is not Daybook should open the ledger read-only.
/// - Otherwise: an acknowledged event could vanish.
///
/// The lock is `flock` on `<ledger>.lock`: the system releases it when its holder dies, and two
/// stores in one process have two descriptors, so they exclude each other too. The file stays
/// behind, empty.
final class LedgerLock: Sendable {
    private let file: LedgerFile
    /// Threads of this store wait here: `flock` would grant them all, for they share the
    /// descriptor.
    private let turn = DispatchSemaphore(value: 1)
    /// -1 before the first use and after `close`. Only whoever holds `turn` changes it.
    private let descriptor = Mutex<CInt>(-1)

    init(_ file: LedgerFile) { self.file = file }

    deinit {
        let last = descriptor.withLock { $0 }
        if last >= 0 { close(last) }
    }

    /// Runs the body while nobody else writes.
    /// - Throws: `.busy` when the lock was not free within the time, `.readOnly` where it cannot
    ///   be taken, and what the body throws.
    func hold<Result>(
        waitSeconds: Double, _ body: () throws -> Result
    ) throws -> Result {
        let deadline = DispatchTime.now() + waitSeconds
        guard turn.wait(timeout: deadline) == .success else { throw busy(waitSeconds) }
        defer { turn.signal() }
        let taken = try take(until: deadline, waitSeconds)
        defer { flock(taken, LOCK_UN) }
        return try body()
    }

    private func take(until deadline: DispatchTime, _ waitSeconds: Double) throws -> CInt {
        var pauseMicroseconds: useconds_t = 100
        while true {
            let current = try opened()
            if flock(current, LOCK_EX | LOCK_NB) == 0 {
                if isStillTheFile(current) { return current }
                // Somebody removed the lock file while we waited: this one excludes nobody any
                // more.
                forget(current)
                continue
            }
            switch errno {
            case EWOULDBLOCK:
                guard DispatchTime.now() < deadline else { throw busy(waitSeconds) }
                usleep(pauseMicroseconds)
                pauseMicroseconds = min(pauseMicroseconds * 2, 5_000)
            case EINTR: continue
            case let number:
                throw StoreError(
                    .failed,
                    "\(file.lockPath) cannot be locked: \(String(cString: strerror(number)))")
            }
        }
    }

    private func opened() throws -> CInt {
        try descriptor.withLock { descriptor in
            if descriptor >= 0 { return descriptor }
            var number = open(file.lockPath, O_RDWR | O_CLOEXEC)
            if number < 0, errno == ENOENT {
                // Only now: with O_CREAT, Linux refuses another user's file in a folder like /tmp (proc(5),
                // protected_regular).
                number = open(file.lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            }
            guard number >= 0 else { throw openingFailure(errno) }
            fit(number)
            descriptor = number
            return number
        }
    }

    /// Whoever may write the ledger may lock it: the lock takes over the ledger's permissions, whatever the umask took
    /// away, and from the superuser also its owner. Others than the owner cannot, and need not.
    private func fit(_ number: CInt) {
        var ledger = stat()
        var lock = stat()
        guard stat(file.path, &ledger) == 0, fstat(number, &lock) == 0 else { return }
        if geteuid() == 0, lock.st_uid != ledger.st_uid || lock.st_gid != ledger.st_gid {
            _ = fchown(number, ledger.st_uid, ledger.st_gid)
        }
        let bits = ledger.st_mode & 0o666
        if lock.st_mode & 0o777 != bits { _ = fchmod(number, bits) }
    }

    private func forget(_ number: CInt) {
        descriptor.withLock { $0 = -1 }
        close(number)
    }

    private func isStillTheFile(_ number: CInt) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(number, &held) == 0 && stat(file.lockPath, &named) == 0
            && held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    private func busy(_ waitSeconds: Double) -> StoreError {
        StoreError(
            .busy,
            "somebody else has been writing to \(file.path) for \(waitSeconds) s; "
                + "wait for it, or end the process that holds \(file.lockPath) "
                + "(lsof or fuser names it)"
        )
    }

    private func openingFailure(_ number: CInt) -> StoreError {
        let reason = String(cString: strerror(number))
        switch number {
        case EMFILE, ENFILE: return SQLiteFailure.tooManyFiles("taking the lock", file.lockPath)
        case EACCES, EPERM, EROFS:
            if let owner = LedgerFile.foreignOwner(file.lockPath) {
                return StoreError(
                    .readOnly,
                    "\(file.path) cannot be written: \(file.lockPath) belongs to \(owner); "
                        + "give it the permissions of the ledger (chmod)")
            }
            return StoreError(
                .readOnly,
                "\(file.path) cannot be written: \(file.lockPath): \(reason); "
                    + "check the permissions of the folder \(file.folder)")
        case ENOENT, ENOTDIR:
            return StoreError(
                .notFound, "the folder \(file.folder) does not exist; create it first")
        case ENOSPC, EDQUOT:
            return StoreError(
                .full, "there is no room left for \(file.lockPath); free some space and try again")
        default:
            return StoreError(.failed, "\(file.lockPath) cannot be opened: \(reason)")
        }
    }
}
