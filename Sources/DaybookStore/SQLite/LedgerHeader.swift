import DaybookEvents
import GRDB
import GRDBSQLite

/// Reads what a ledger file says about itself.
enum LedgerHeader {
    /// - Parameter version: Of the schema, which was checked or is just being given.
    /// - Throws: `.damaged`.
    static func read(_ db: Database, _ path: String, version: Int) throws -> StoreHeader {
        let rows = try Row.fetchAll(db, sql: "SELECT key, value FROM meta")
        var values: [String: String] = [:]
        for row in rows { values[row["key"]] = row["value"] }
        guard let app = values["app"], let ledgerID = values["ledger_id"] else {
            throw StoreError.damaged(path, "it does not say which app it is")
        }
        guard let secret = values["secret"].flatMap({ LedgerSecret(hexadecimal: $0) }) else {
            throw StoreError.damaged(path, "its secret is missing")
        }
        return StoreHeader(
            app: app, ledgerID: ledgerID, schemaVersion: version, secret: secret)
    }

    /// The schema version of the file; an older one is read as it is, and brought up to date by the first write.
    /// - Throws: `.newerSchema`, also when a newer program migrated the file while this one had it open; `.damaged`.
    @discardableResult
    static func checkVersion(
        _ db: Database, _ path: String, _ schema: LedgerSchema
    ) throws -> Int {
        let version = Int(try db.number("PRAGMA user_version", []) ?? 0)
        try StoreError.require(
            version <= schema.version, .newerSchema,
            "\(path) was written by a newer Daybook (schema \(version), this one knows "
                + "\(schema.version)); install a newer Daybook")
        try StoreError.requireIntact(
            version >= 1, path, "schema version \(version) was never released")
        return version
    }

    /// The first 100 bytes of the file; `nil` when they cannot be read.
    static func bytes(_ connection: OpaquePointer) -> [UInt8]? {
        bytes(connection, at: 0, count: 100)
    }

    /// Whether a connection reads through a log: the file says so (https://www.sqlite.org/fileformat.html §1.3.3), and
    /// it is not opened as one that never changes.
    static func readsThroughLog(_ connection: OpaquePointer) -> Bool {
        guard let name = sqlite3_db_filename(connection, "main"),
            sqlite3_uri_boolean(name, "immutable", 0) == 0, let bytes = bytes(connection)
        else { return false }
        return bytes[18] == 2 && bytes[19] == 2
    }

    /// Bytes of the file itself, whatever the log says, or of the log itself, through the descriptor that SQLite has
    /// open; `nil` when they cannot be read.
    /// - Parameter kind: `SQLITE_FCNTL_FILE_POINTER`, or `SQLITE_FCNTL_JOURNAL_POINTER` for the log.
    static func bytes(
        _ connection: OpaquePointer, of kind: CInt = SQLITE_FCNTL_FILE_POINTER, at offset: Int64,
        count: Int
    ) -> [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", kind, &file)
        guard let file, let methods = file.pointee.pMethods else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        guard methods.pointee.xRead(file, &bytes, CInt(bytes.count), offset) == SQLITE_OK else {
            return nil
        }
        return bytes
    }
}
