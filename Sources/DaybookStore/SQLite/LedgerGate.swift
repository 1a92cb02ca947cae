import Foundation

/// The waiting place in front of the ledger's lock, for one writer at a time.
///
/// Why: waiting for `flock` is asking again and again, and a writer that takes the lock back as soon as it has given it
/// up is always there first. With a gate it must stand behind the writer that waits: at most the commit that is under
/// way, and one that passed the gate before, come first.
///
/// The gate is the first byte of the lock file, locked for the open file (`F_OFD_SETLK`), so it is free when its holder
/// dies, and two stores of one process have two. It makes the order fair and excludes nothing: only `flock` does. So a
/// writer that is kept out for long, by a process that was stopped while it stood there, goes around it.
enum LedgerGate {
    /// How long a writer may stand in the gate before others go around.
    static let patienceSeconds = 2.0

    #if canImport(Darwin)
        // <sys/fcntl.h>
        private static let set: CInt = 90
    #else
        // <fcntl.h>, which has it for GNU programs alone
        private static let set: CInt = 37
    #endif

    /// A writer that never rests passes the gate in a moment, so another that comes at that moment tries again before
    /// it sleeps: some tens of microseconds.
    private static let tryCount = 64

    /// - Returns: `false` while another writer stands there.
    static func enter(_ descriptor: CInt) -> Bool {
        for _ in 0..<tryCount {
            if apply(CInt(F_WRLCK), descriptor) == 0 { return true }
            // A file system without such locks has no gate, and no writer waits for one.
            if errno != EAGAIN, errno != EACCES, errno != EINTR { return true }
            sched_yield()
        }
        return false
    }

    static func leave(_ descriptor: CInt) { _ = apply(CInt(F_UNLCK), descriptor) }

    private static func apply(_ type: CInt, _ descriptor: CInt) -> CInt {
        var place = flock()
        place.l_type = Int16(truncatingIfNeeded: type)
        place.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        place.l_start = 0
        place.l_len = 1
        place.l_pid = 0
        return withUnsafeMutablePointer(to: &place) { fcntl(descriptor, set, $0) }
    }
}
