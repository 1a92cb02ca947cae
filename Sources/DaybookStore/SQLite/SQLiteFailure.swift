import Foundation
import GRDB
import GRDBSQLite

/// What SQLite and the operating system complain about, in the store's words.
enum SQLiteFailure {
    /// - Parameters:
    ///   - task: What was tried: "appending 3 events after position 41".
    ///   - connection: Asked for the operating system's reason, which SQLite's code does not tell; `nil` when there is
    ///     none because opening failed.
    static func translate(
        _ error: any Error, _ task: String, _ file: LedgerFile, _ connection: OpaquePointer? = nil
    ) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let path = file.path
        let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: return full(error, task, path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            return denied(error, task, file, connection, reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return StoreError(
                .damaged,
                "\(task): \(path) is damaged (\(reason)); keep the file and restore a backup",
                cause: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return StoreError(
                .busy,
                "\(task): another program holds a lock on \(path); close it and try again",
                cause: error)
        case .SQLITE_IOERR where isFull(error, connection): return full(error, task, path)
        default:
            return StoreError(.failed, "\(task): \(path): \(reason)", cause: error)
        }
    }

    static func tooManyFiles(_ task: String, _ path: String) -> StoreError {
        StoreError(
            .failed,
            "\(task): \(path) cannot be opened: this process or machine has too many files open; "
                + "close some, or raise the limit (ulimit -n)")
    }

    /// SQLite says no more than "unable to open database file" or "attempt to write a readonly database".
    private static func denied(
        _ error: DatabaseError, _ task: String, _ file: LedgerFile, _ connection: OpaquePointer?,
        _ reason: String
    ) -> StoreError {
        if error.resultCode == .SQLITE_CANTOPEN {
            let number = connection.map(sqlite3_system_errno) ?? file.openingNumber()
            if number == EMFILE || number == ENFILE { return tooManyFiles(task, file.path) }
        }
        let sentence =
            file.obstacle
            ?? "\(file.path) cannot be used (\(reason)); check the permissions of the file and its folder"
        return StoreError(.readOnly, "\(task): \(sentence)", cause: error)
    }

    private static func full(_ error: DatabaseError, _ task: String, _ path: String) -> StoreError {
        StoreError(
            .full,
            "\(task): there is no space left for \(path); nothing was written, "
                + "free some space and try again",
            cause: error)
    }

    /// SQLite itself calls only the first of these numbers "full".
    private static func isFull(_ error: DatabaseError, _ connection: OpaquePointer?) -> Bool {
        guard let connection else { return false }
        return switch error.extendedResultCode {
        // The index of the log could not grow, which costs 32 KiB.
        case .SQLITE_IOERR_SHMSIZE: true
        case .SQLITE_IOERR_WRITE:
            [lastNumber(ofLogOf: connection), lastNumber(ofFileOf: connection)]
                .contains { $0 == ENOSPC || $0 == EDQUOT || $0 == EFBIG }
        default: false
        }
    }

    /// `sqlite3_system_errno` would be shorter, and is 0 after a failed commit (SQLite 3.40).
    private static func lastNumber(ofFileOf connection: OpaquePointer) -> CInt {
        var number: CInt = 0
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &number)
        return number
    }

    private static func lastNumber(ofLogOf connection: OpaquePointer) -> CInt {
        var log: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        guard let log, let methods = log.pointee.pMethods else { return 0 }
        var number: CInt = 0
        _ = methods.pointee.xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number)
        return number
    }
}
