import Dispatch
import Foundation
import Synchronization

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
    /// -1 before the first use and after `close`. Only the holder of `turn` changes it.
    private let descriptor = Mutex<CInt>(-1)

    init(_ file: LedgerFile) { self.file = file }

    deinit {
        let last = descriptor.withLock { $0 }
        if last >= 0 { close(last) }
    }

    /// Runs the body while no other thread, store or process writes.
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
        let patience = DispatchTime.now() + LedgerGate.patienceSeconds
        var inGate: CInt?
        defer { if let inGate { LedgerGate.leave(inGate) } }
        while true {
            let current = try opened()
            if inGate == nil, LedgerGate.enter(current) { inGate = current }
            // The writer in the gate is first; no writer may keep others out for ever.
            guard inGate != nil || DispatchTime.now() > patience else {
                guard DispatchTime.now() < deadline else { throw busy(waitSeconds) }
                usleep(pauseMicroseconds)
                pauseMicroseconds = min(pauseMicroseconds * 2, 5_000)
                continue
            }
            if flock(current, LOCK_EX | LOCK_NB) == 0 {
                if isStillTheFile(current) { return current }
                // The lock file was removed while we waited: this one excludes no other process any more.
                forget(current)
                inGate = nil
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
            let number = try LockFile(of: file).open()
            descriptor = number
            return number
        }
    }

    private func forget(_ number: CInt) {
        descriptor.withLock { $0 = -1 }
        close(number)
    }

    private func isStillTheFile(_ number: CInt) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(number, &held) == 0 && lstat(file.lockPath, &named) == 0
            && held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    private func busy(_ waitSeconds: Double) -> StoreError {
        StoreError(
            .busy,
            "another process or store has been writing to \(file.path) for \(waitSeconds) s; "
                + "wait for it, or end the process that holds \(file.lockPath) "
                + "(lsof or fuser names it)"
        )
    }
}
