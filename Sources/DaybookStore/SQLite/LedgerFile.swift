import Foundation
import GRDBSQLite

/// The path of a ledger and its companions, examined before SQLite reads anything.
///
/// - Rule: nothing but SQLite opens the ledger's file; what else must be known is asked by name.
/// - Why: POSIX drops all locks that a process holds on a file when it closes any descriptor of it. Another process
///   would then believe that it is the last one, and remove the log that this one writes into
///   (https://www.sqlite.org/howtocorrupt.html §2.2).
/// - Advice: copy or hash a ledger in a process that has no store open on it.
/// - Otherwise: an acknowledged event is lost.
struct LedgerFile: Sendable {
    /// How the file can be read.
    enum Access: Sendable, Equatable {
        case ordinary
        /// The folder cannot be written and no process has the ledger open: SQLite is told that the file will not
        /// change, and the reader must check that this stays true.
        case immutable(FileIdentity)
    }

    /// SQLite's header: what is shorter is no database.
    private static let headerByteCount = 100

    /// Absolute and without symbolic links, as SQLite sees it: the lock and the derived files hang on the name, and
    /// every spelling of the path must lead to the same ones.
    let path: String

    init(path: String) { self.path = Self.resolved(path) }

    var logPath: String { path + "-wal" }
    var logIndexPath: String { path + "-shm" }
    var journalPath: String { path + "-journal" }
    var lockPath: String { path + ".lock" }
    var folder: String { Folder.of(path) }

    /// Whether the name is taken, be it by a link that leads nowhere.
    var isTaken: Bool { Self.isTaken(path) }

    /// Whether a name is that of anything, a link included.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
    var logByteCount: Int64 { Self.identity(logPath)?.byteCount ?? 0 }
    var hasLog: Bool { logByteCount > 0 }
    /// A change that was cut short, outside of the log mode: SQLite undoes it before it reads.
    var hasJournal: Bool { Self.identity(journalPath).map { $0.byteCount > 0 } ?? false }
    /// `nil` when there is no file, or this process may not look.
    var identity: FileIdentity? { Self.identity(path) }
    var isFolderWritable: Bool { access(folder, W_OK) == 0 }

    /// The path as SQLite's URI for a file that does not change.
    var immutableURI: String {
        let unreserved = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        var uri = "file:"
        for byte in path.utf8 {
            if unreserved.contains(byte) {
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return uri + "?immutable=1"
    }

    /// Finds out whether this is a ledger and how it can be read.
    /// - Throws: `.notFound`, `.notALedger`, or `.failed` when the file cannot be read or has a second name.
    func examine() throws -> Access {
        try checkName()
        let header = try withBareConnection { LedgerHeader.bytes($0) }
        guard let header, header.starts(with: Array("SQLite format 3".utf8) + [0]) else {
            throw noLedger("it is no SQLite database")
        }
        let application = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard application == LedgerSchema.applicationID else {
            throw noLedger(
                "it is another program's SQLite database "
                    + "(application_id \(application), expected \(LedgerSchema.applicationID))")
        }
        guard !isFolderWritable, !hasLog, !hasJournal, let identity else { return .ordinary }
        return .immutable(identity)
    }

    /// Asks by name alone, so that nothing waits for the other end of a pipe and no lock is lost.
    /// - Throws: `.notFound`, `.notALedger`, or `.failed` for a file with two names.
    func checkName() throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw openingFailure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw noLedger("it is not a file") }
        try StoreError.require(
            status.st_nlink <= 1, .failed,
            "\(path) is one of \(status.st_nlink) names (hard links) of one file; the lock and the newest events "
                + "hang on the name, so a ledger must have one: remove the others "
                + "(find / -inum \(status.st_ino) lists them), or copy the file and open the copy")
        guard status.st_size > 0 else { throw noLedger("the file is empty") }
        guard status.st_size >= Self.headerByteCount else {
            throw noLedger("it is no SQLite database")
        }
    }

    /// The operating system's number for why SQLite cannot open and read the ledger; 0 when it can now.
    func openingNumber() -> CInt {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        let number = open(&connection)
        guard number == 0, let connection else { return number }
        let code = sqlite3_exec(connection, "SELECT 1 FROM sqlite_master", nil, nil, nil)
        return code == SQLITE_OK ? 0 : sqlite3_system_errno(connection)
    }

    /// Lends a connection that has read nothing yet: SQLite has the file open and created nothing beside it.
    private func withBareConnection<Result>(
        _ body: (OpaquePointer) throws -> Result
    ) throws -> Result {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        let number = open(&connection)
        guard number == 0, let connection else { throw openingFailure(number) }
        return try body(connection)
    }

    /// - Returns: 0, or the operating system's number for why it could not be done.
    private func open(_ connection: inout OpaquePointer?) -> CInt {
        SQLiteUse.prepare()
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &connection, flags, nil) != SQLITE_OK else { return 0 }
        let number = connection.map(sqlite3_system_errno) ?? ENOMEM
        return number == 0 ? EIO : number
    }

    /// An immutable connection would read nonsense from a file that changes after all.
    /// - Throws: `.readOnly`; only opening the ledger again shows what is new.
    func checkUnchanged(since access: Access) throws {
        guard case .immutable(let known) = access else { return }
        try StoreError.require(
            identity == known && !hasLog && !hasJournal, .readOnly,
            "another process began to write to \(path); open it again to see it")
    }

    private func noLedger(_ reason: String) -> StoreError {
        StoreError(.notALedger, "\(path) is no Daybook ledger: \(reason)")
    }

    private func openingFailure(_ number: CInt) -> StoreError {
        switch number {
        case ENOENT, ENOTDIR:
            StoreError(.notFound, "there is no ledger at \(path); check the path, or create one")
        case EMFILE, ENFILE:
            SQLiteFailure.tooManyFiles("opening the ledger", path)
        default:
            StoreError(
                .failed,
                "\(path) cannot be read: \(String(cString: strerror(number))); "
                    + "check its permissions"
            )
        }
    }

    private static func identity(_ path: String) -> FileIdentity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        return FileIdentity(
            number: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            changedSeconds: Int64(changed.tv_sec), changedNanoseconds: Int64(changed.tv_nsec))
    }

    /// Follows every link; of a file that is not there yet those of its folder.
    private static func resolved(_ path: String) -> String {
        if let whole = real(path) { return whole }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        if let folder = real(Folder.of(path)) {
            return (folder == "/" ? "" : folder) + "/" + name
        }
        // Not even the folder is there: the path is for the message alone.
        return path.hasPrefix("/") ? path : (real(".") ?? "") + "/" + path
    }

    private static func real(_ path: String) -> String? {
        guard let buffer = realpath(path, nil) else { return nil }
        defer { free(buffer) }
        return String(validatingCString: buffer)
    }
}

/// What is different when a file was replaced or written to.
struct FileIdentity: Sendable, Equatable {
    var number: UInt64
    var byteCount: Int64
    var changedSeconds: Int64
    var changedNanoseconds: Int64
}
