import CDaybook
import Foundation
import Synchronization

/// Notices that another file has the name of the ledger, or of its log, or that a program wrote to the ledger's file
/// past SQLite's log.
///
/// - Rule: a commit is begun and acknowledged only while the names lead to the files that this process has open.
/// - Why: a file that was renamed over, or removed, takes every write and keeps none.
/// - Advice: restore a backup with `daybook restore`, which begins a new epoch; every process that has the ledger open
///   is told.
/// - Otherwise: 100,000 events are acknowledged, and the ledger at that path has none of them.
final class FileWatch: Sendable {
    /// What a name leads to.
    struct Identity: Sendable, Equatable {
        var device: UInt64
        var number: UInt64
    }

    /// What changes when a file is written to.
    private struct Stamp: Equatable {
        var identity: Identity
        var byteCount: Int64
        var modified: Int64
        var changed: Int64
    }

    private struct Content {
        var main: Identity?
        var log: Identity?
        /// The main file as it was when it was found to fit its log.
        var seen: Stamp?
        /// When readers last looked, in nanoseconds of a clock that never goes back.
        var lookedAt: UInt64 = 0
    }

    /// Readers look so often at most, in nanoseconds.
    private static let lookEvery: UInt64 = 500_000_000

    private let file: LedgerFile
    private let content = Mutex(Content())

    init(_ file: LedgerFile) { self.file = file }

    /// Notes which file has the name now, just before it is opened for the first time.
    func noteMain() { content.withLock { $0.main = Self.stamp(file.path)?.identity } }

    /// Notes which file has the log's name; the caller holds the lock and has the log open.
    func noteLog() { content.withLock { $0.log = Self.identity(file.logPath) } }

    /// SQLite removes the log when the last connection is closed.
    func forgetLog() { content.withLock { $0.log = nil } }

    /// - Parameter done: What has happened already, for the message; `nil`: nothing.
    /// - Returns: Whether the main file was written to since it was last found to be in order.
    /// - Throws: `.replaced`
    @discardableResult
    func checkNames(after done: @autoclosure () -> String? = nil) throws -> Bool {
        let known = content.withLock { $0 }
        let nothing = "nothing was written"
        let stamp = Self.stamp(file.path)
        if let main = known.main, stamp?.identity != main {
            throw StoreError(
                .replaced,
                "\(file.path) is another file than the one that was opened, or is gone: it was replaced, moved or "
                    + "removed; \(done() ?? nothing); open the ledger again")
        }
        if let log = known.log, Self.identity(file.logPath) != log {
            throw StoreError(
                .replaced,
                "\(file.logPath) was removed or replaced while the ledger was open; \(done() ?? nothing); "
                    + "close every process that uses \(file.path), then verify it")
        }
        return known.seen == nil || stamp != known.seen
    }

    /// Notes the main file as it was before it was found to be in order, or as this process has just written it.
    func noteSeen() { content.withLock { $0.seen = Self.stamp(file.path) } }

    /// Runs a look at the files, and notes the main file as it was before.
    func seeing(_ look: () throws -> Void) rethrows {
        let stamp = Self.stamp(file.path)
        try look()
        content.withLock { $0.seen = stamp }
    }

    /// Whether a reader should look again.
    var isLookDue: Bool {
        let now = monotonicNanoseconds()
        return content.withLock { content in
            guard now - content.lookedAt >= Self.lookEvery else { return false }
            content.lookedAt = now
            return true
        }
    }

    private func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Without the times: the log is written to by each commit, which would then cost more (`daybook_file_identity`).
    private static func identity(_ path: String) -> Identity? {
        var identity = Identity(device: 0, number: 0)
        return daybook_file_identity(path, &identity.device, &identity.number) ? identity : nil
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
        return Stamp(
            identity: Identity(
                device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino)),
            byteCount: Int64(status.st_size), modified: nanoseconds(modified),
            changed: nanoseconds(changed))
    }
}
