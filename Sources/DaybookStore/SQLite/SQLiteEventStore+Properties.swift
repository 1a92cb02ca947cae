import GRDB
import GRDBSQLite

extension SQLiteEventStore {
    /// The file and the library behind the store, in reading order; what cannot be read is left out.
    public var properties: [StoreProperty] {
        var properties = [
            StoreProperty(name: "path", value: file.path),
            StoreProperty(name: "schema version", value: "\(header.schemaVersion)"),
            StoreProperty(name: "SQLite version", value: String(cString: sqlite3_libversion())),
            StoreProperty(
                name: "durability",
                value: durability == "none" ? "opened for reading; writers use FULL" : durability),
            StoreProperty(name: "file bytes", value: "\(file.identity?.byteCount ?? 0)"),
            StoreProperty(name: "log bytes", value: "\(file.logByteCount)"),
            StoreProperty(name: "folder", value: file.isFolderWritable ? "writable" : "read-only"),
        ]
        // A partial list helps the reader too; the problem itself is a finding.
        let more = try? reads.use("reading SQLite's settings") { db in
            let options = try String.fetchAll(db, sql: "PRAGMA compile_options")
            return [
                StoreProperty(
                    name: "page bytes", value: "\(try db.number("PRAGMA page_size", []) ?? 0)"),
                StoreProperty(
                    name: "SQLite options", value: options.joined(separator: " ")),
            ]
        }
        properties += more ?? []
        return properties
    }
}
