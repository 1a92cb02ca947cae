// server.sqlite, beside the ledgers that are served: who may ask for what. Secrets of API keys are kept as SHA-256
// alone.
//
//   application_id  0x44424B53 ("DBKS")
//   user_version    2
//   api_key         a row for each key that was ever made; revoked ones stay, for those who ask later
//   token_key       by which tokens about customers are verified: public keys, or secrets that are shared (HS256)
//   lease_key       by which leases are signed: private keys; since version 2

import DaybookStore
import Foundation
import GRDB

/// The file of a server's keys.
struct KeyFile {
    static let name = "server.sqlite"
    private static let applicationID: Int32 = 0x4442_4B53
    private static let version: Int32 = 2

    private static let schema = """
        CREATE TABLE api_key (
          id TEXT NOT NULL PRIMARY KEY,
          app TEXT NOT NULL,
          digest BLOB NOT NULL CHECK (length(digest) = 32),
          scopes TEXT NOT NULL,
          label TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          created_by TEXT NOT NULL,
          expires_at INTEGER,
          revoked_at INTEGER,
          replaced_by TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE token_key (
          app TEXT NOT NULL,
          id TEXT NOT NULL,
          algorithm TEXT NOT NULL,
          material BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          created_by TEXT NOT NULL,
          revoked_at INTEGER,
          PRIMARY KEY (app, id)
        ) STRICT, WITHOUT ROWID;
        """

    private static let leaseSchema = """
        CREATE TABLE lease_key (
          app TEXT NOT NULL,
          id TEXT NOT NULL,
          material BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          created_by TEXT NOT NULL,
          retired_at INTEGER,
          PRIMARY KEY (app, id)
        ) STRICT, WITHOUT ROWID;
        """

    /// Opens the file.
    /// - Parameter isMade: Whether it is made where it is not there.
    /// - Throws: `StoreError` for a file that is another program's or of a newer version, or cannot be read.
    static func open(_ path: String, isMade: Bool = true) throws -> DatabaseQueue {
        try StoreError.wrapping(path) {
            // Before SQLite makes it, which would let the group and others read it.
            if !FileManager.default.fileExists(atPath: path) {
                guard isMade else { throw StoreError(.notFound, "\(path) is not there any more") }
                guard
                    FileManager.default.createFile(
                        atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw StoreError(.readOnly, "\(path) cannot be written") }
                giveToOwner(ofFolder: path)
            }
            SQLiteUse.prepare()
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { try prepare($0, path) }
            return queue
        }
    }

    /// A file that the superuser makes belongs to whom the ledgers' folder belongs to: the server runs as that user.
    private static func giveToOwner(ofFolder path: String) {
        var folder = stat()
        let name = URL(filePath: path).deletingLastPathComponent().path
        guard geteuid() == 0, stat(name, &folder) == 0 else { return }
        // Where it cannot be given away, the server says that it cannot read it.
        _ = chown(path, folder.st_uid, folder.st_gid)
    }

    private static func prepare(_ database: Database, _ path: String) throws {
        try database.inTransaction(.immediate) {
            let application = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let found = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
            if isEmpty, application == 0 {
                try database.execute(sql: schema + leaseSchema)
                try database.execute(sql: "PRAGMA application_id = \(applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(version)")
                return .commit
            }
            guard application == applicationID else {
                throw StoreError(.notALedger, "\(path) is no file of a server's keys")
            }
            guard found <= version else {
                throw StoreError(
                    .newerSchema,
                    "\(path) has version \(found), and this build reads up to \(version); use a newer Daybook"
                )
            }
            if found < 2 {
                try database.execute(sql: leaseSchema)
                try database.execute(sql: "PRAGMA user_version = \(version)")
            }
            return .commit
        }
    }
}

extension StoreError {
    /// Errors of SQLite in the library's own words.
    static func wrapping<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            let code: Code =
                switch error.resultCode {
                case .SQLITE_BUSY: .busy
                case .SQLITE_FULL: .full
                case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: .readOnly
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
                default: .failed
                }
            throw StoreError(
                code, "\(path): \(error.message ?? "SQLite error \(error.resultCode)")",
                cause: error)
        }
    }
}
