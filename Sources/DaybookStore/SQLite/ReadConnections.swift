import Dispatch
import GRDB
import Synchronization

/// A few read-only connections, opened when needed and used by one reader at a time.
///
/// Readers never write: not at opening (the log mode stands in the file), not at closing (SQLite
/// checkpoints only through a connection that may write).
final class ReadConnections: Sendable {
    private struct Content {
        var idle: [DatabaseQueue] = []
        var isClosed = false
    }

    /// More would not help: a reader is bound by a core.
    private static let countMax = 4

    private let file: LedgerFile
    private let access: LedgerFile.Access
    private let places = DispatchSemaphore(value: ReadConnections.countMax)
    private let content = Mutex(Content())

    init(_ file: LedgerFile, _ access: LedgerFile.Access) {
        self.file = file
        self.access = access
    }

    /// Lends a connection. The body must not ask for another one.
    /// - Parameter task: What is read, for the message of an error.
    func use<Result>(_ task: String, _ body: (Database) throws -> Result) throws -> Result {
        places.wait()
        defer { places.signal() }
        try checkUnchanged()
        let queue = try taken() ?? open()
        defer { giveBack(queue) }
        return try queue.inDatabase { db in
            do {
                return try body(db)
            } catch {
                throw SQLiteFailure.translate(error, task, file.path, db.sqliteConnection)
            }
        }
    }

    /// Opens a connection that the caller keeps.
    func open() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.foreignKeysEnabled = false
        // Waited for only while another connection repairs the log's index after a crash.
        configuration.busyMode = .timeout(10)
        do {
            let path = access == .ordinary ? file.path : file.immutableURI
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY
        {
            throw StoreError(
                .readOnly,
                "the newest events of \(file.path) are still in \(file.logPath), which cannot be "
                    + "read in a folder that cannot be written; "
                    + "copy both files to another folder and open the copy",
                cause: error)
        } catch {
            throw SQLiteFailure.translate(error, "opening the ledger", file.path)
        }
    }

    /// Closes what is idle now, and what is in use when it comes back.
    func close() throws {
        let idle = content.withLock { content in
            content.isClosed = true
            defer { content.idle = [] }
            return content.idle
        }
        for queue in idle { try queue.close() }
    }

    private func taken() throws -> DatabaseQueue? {
        try content.withLock { content in
            guard !content.isClosed else {
                throw StoreError(.closed, "\(file.path) was closed; open it again")
            }
            return content.idle.popLast()
        }
    }

    private func giveBack(_ queue: DatabaseQueue) {
        content.withLock { content in
            // What is not kept is closed when its last reference goes.
            if !content.isClosed { content.idle.append(queue) }
        }
    }

    /// An immutable connection would read nonsense from a file that changes after all.
    private func checkUnchanged() throws {
        guard case .immutable(let identity) = access else { return }
        guard file.identity == identity, !file.hasLog else {
            throw StoreError(
                .readOnly, "somebody began to write to \(file.path); open it again to see it")
        }
    }
}
