import CDaybook
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// A few read-only connections, opened when needed and used by one reader at a time.
///
/// Readers never change the ledger: not at opening (the log mode stands in the file), not at closing (SQLite
/// checkpoints only through a connection that may write). But in a folder that can be written SQLite creates an empty
/// log and its index beside the file for the first connection, and a reader leaves them there, with the ledger's
/// permissions and its own user as their owner: `LedgerFile.obstacle` tells a process that is locked out by them.
final class ReadConnections: Sendable {
    private struct Content {
        var idle: [DatabaseQueue] = []
        var isClosed = false
    }

    /// More would not help: a reader is bound by a core.
    private static let countMax = 4

    private let file: LedgerFile
    private let access: LedgerFile.Access
    private let watch: FileWatch
    private let places = DispatchSemaphore(value: ReadConnections.countMax)
    private let content = Mutex(Content())
    /// Compares the log with the file; known once the ledger's header was read.
    private let binding = Mutex<LogBinding?>(nil)

    init(_ file: LedgerFile, _ access: LedgerFile.Access, _ watch: FileWatch) {
        self.file = file
        self.access = access
        self.watch = watch
    }

    func know(_ binding: LogBinding) { self.binding.withLock { $0 = binding } }

    /// Whether the file may change while it is read.
    var isOrdinary: Bool { access == .ordinary }

    /// Lends a connection. The body must not ask for another one.
    /// - Parameter task: What is read, for the message of an error.
    func use<Result>(_ task: String, _ body: (Database) throws -> Result) throws -> Result {
        places.wait()
        defer { places.signal() }
        try checkUnchanged()
        let queue = try taken() ?? open()
        defer { giveBack(queue) }
        let result = Swift.Result { try run(task, on: queue, body) }
        // Whatever came of it, also an error, may be nonsense when another process wrote meanwhile.
        try checkUnchanged()
        return try result.get()
    }

    /// Runs the body on a connection that is lent, or that the caller keeps.
    /// - Throws: `.replaced` or `.foreignLog` in place of what is found in files that are not those that were opened,
    ///   or do not belong together.
    func run<Result>(
        _ task: String, on queue: DatabaseQueue, _ body: (Database) throws -> Result
    ) throws -> Result {
        try queue.inDatabase { db in
            do {
                return try body(db)
            } catch {
                let failure = SQLiteFailure.translate(error, task, file, db.sqliteConnection)
                if try watch.checkNames(), let binding = binding.withLock({ $0 }) {
                    do {
                        try binding.check(db)
                    } catch let mismatch as StoreError where mismatch.code != .damaged {
                        throw mismatch
                    } catch {
                        // Then it is what was found first.
                        throw failure
                    }
                }
                throw failure
            }
        }
    }

    /// Opens a connection that the caller keeps.
    /// - Throws: `.closed` after `close`.
    func open() throws -> DatabaseQueue {
        try content.withLock { try checkOpen($0) }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.foreignKeysEnabled = false
        // Waited for only while another connection repairs the log's index after a crash.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            let code = daybook_walk_add(db.sqliteConnection)
            guard code == SQLITE_OK else { throw DatabaseError(code, db.sqliteConnection) }
        }
        do {
            let path = access == .ordinary ? file.path : file.immutableURI
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            // What was opened is what the first connection opened, or it is not used.
            try watch.checkNames()
            return queue
        } catch {
            throw SQLiteFailure.translate(error, "opening the ledger", file)
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
            try checkOpen(content)
            return content.idle.popLast()
        }
    }

    private func checkOpen(_ content: Content) throws {
        try StoreError.require(!content.isClosed, .closed, "\(file.path) was closed; open it again")
    }

    private func giveBack(_ queue: DatabaseQueue) {
        content.withLock { content in
            // What is not kept is closed when its last reference goes.
            if !content.isClosed { content.idle.append(queue) }
        }
    }

    /// - Throws: `.readOnly` when another process wrote to a file that was opened as one that never changes.
    func checkUnchanged() throws { try file.checkUnchanged(since: access) }
}
