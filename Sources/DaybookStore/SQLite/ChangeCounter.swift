import CDaybook
import GRDB
import GRDBSQLite

/// Tells whether anything was committed since it was asked last (rule 29).
///
/// The head of the log's index, 48 bytes in memory that all processes share
/// (https://www.sqlite.org/walformat.html), is what a commit of any program changes last, before it is acknowledged: a
/// look at it needs no statement and no lock. Where a ledger is read without a log, SQLite is asked for its
/// `data_version`.
struct ChangeCounter {
    let connection: DatabaseQueue
    /// Where the connection has mapped the log's index, for as long as it is open; `nil`: not known yet, or there is
    /// none.
    private var index: UnsafeRawPointer?
    /// The index's head when it was looked at last.
    private var head = daybook_log_head()
    private var count: Int64 = 0

    init(_ connection: DatabaseQueue) { self.connection = connection }

    /// Whether a look needs no statement.
    var isInMemory: Bool { index != nil }

    /// The number of changes that were noticed; `nil`: SQLite must be asked.
    mutating func look() -> Int64? {
        guard let index else { return nil }
        var now = daybook_read_log_head(index)
        if !daybook_is_same_log_head(&now, &head) {
            head = now
            count += 1
        }
        return count
    }

    /// Asks SQLite, and from then on the index where it is mapped.
    mutating func ask(_ db: Database) throws -> Int64 {
        let version = "PRAGMA data_version"
        count = try db.number(version, []) ?? 0
        // The statement's transaction has mapped it.
        guard let connection = db.sqliteConnection, let index = Self.index(of: connection) else {
            return count
        }
        let head = daybook_read_log_head(index)
        // What was committed before the head was looked at is counted, and what comes later changes it.
        count = try db.number(version, []) ?? 0
        self.head = head
        self.index = index
        return count
    }

    /// The first block of the log's index, as SQLite has mapped it.
    ///
    /// SQLite is asked for it, which opens nothing: to open and close the file once more would release the locks that
    /// SQLite has on it in this process.
    private static func index(of connection: OpaquePointer) -> UnsafeRawPointer? {
        // Asked for the index of a file that is read without a log, SQLite would make one.
        guard LedgerHeader.readsThroughLog(connection) else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var start: UnsafeMutableRawPointer?
        guard map(file, 0, blockByteCount, 0, &start) == SQLITE_OK, let start else { return nil }
        return UnsafeRawPointer(start)
    }

    /// SQLite's own; a block of another size would be refused.
    private static let blockByteCount: CInt = 32_768
}
