import DaybookEvents
import GRDB

/// Names the history of a ledger that had none, inside of the transaction that brings it to schema 2.
struct HistoryMigration {
    let db: Database
    let file: LedgerFile

    private static let chunkCount: Int64 = 4_096

    /// - Throws: `.damaged` when a row cannot be read; then the ledger stays as it was.
    func run() throws {
        try addSecret()
        let header = try LedgerHeader.read(db, file.path, version: LedgerSchema.historyVersion)
        var head = HistoryHead(ledgerID: header.ledgerID)
        try head.insert(db)
        let last = try db.number("SELECT max(position) FROM events", []) ?? 0
        let names = try db.number("SELECT max(id) FROM names", []) ?? 0
        guard last > 0 || names > 0 else { return }
        try ConsumableMigration(db: db, file: file).run(through: last)
        let cursor = try hash(header, through: last)
        // A log that began before knows nothing of hashes (`LogBinding`).
        head.base.hash = .zero
        head.point.hash = .zero
        let salt = try LogBinding.salt(of: file)
        head.logSalt = salt
        try HistoryHead(cursor, salt: salt, after: head).write(db)
    }

    private func addSecret() throws {
        guard try db.number("SELECT count(*) FROM meta WHERE key = 'secret'", []) == 0 else {
            return
        }
        var random = SystemRandomNumberGenerator()
        try db.execute(sql: "DROP TRIGGER meta_no_insert")
        try db.execute(
            sql: "INSERT INTO meta(key, value) VALUES ('secret', ?)",
            arguments: [LedgerSecret.random(using: &random).hexadecimal])
        for trigger in LedgerSchema.triggers where trigger.contains("meta_no_insert") {
            try db.execute(sql: trigger)
        }
    }

    /// Every mark has all of the names and streams: at which commit each came is not known any more.
    private func hash(_ header: StoreHeader, through last: Int64) throws -> HistoryCursor {
        var cursor = HistoryCursor(ledgerID: header.ledgerID)
        try db.forEachRow("SELECT text FROM names ORDER BY id") {
            cursor.append(name: StoredText.plain($0, 0))
        }
        try db.forEachRow("SELECT id, environment, kind, name FROM streams ORDER BY id") {
            cursor.append(stream: try StreamRecord(row: $0, file))
        }
        var digests = StoredRowDigests(db: db, file: file, secret: header.secret)
        while cursor.position < last {
            let entries = try digests.entries(
                after: cursor.position, through: min(last, cursor.position + Self.chunkCount))
            try StoreError.requireIntact(
                !entries.isEmpty, file.path, "position \(cursor.position + 1) is missing")
            try cursor.append(
                count: entries.count, entry: { entries[$0] },
                complete: { try HistoryInsertion.insert(db, block: $1, leaf: $2, $0) })
        }
        return cursor
    }
}
