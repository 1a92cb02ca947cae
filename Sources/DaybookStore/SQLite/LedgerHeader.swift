import GRDB

/// Reads what a ledger file says about itself.
enum LedgerHeader {
    /// - Throws: `.newerSchema` or `.damaged`.
    static func read(_ db: Database, _ path: String) throws -> StoreHeader {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= LedgerSchema.version else {
            throw StoreError(
                .newerSchema,
                "\(path) was written by a newer Daybook (schema \(version), this one knows "
                    + "\(LedgerSchema.version)); install a newer Daybook")
        }
        // Version 1 is the first: when there is a second, an older file is migrated here, under the
        // lock.
        guard version == LedgerSchema.version else {
            throw StoreError(
                .damaged,
                "\(path) is damaged: schema version \(version) was never released; restore a backup"
            )
        }
        let rows = try Row.fetchAll(db, sql: "SELECT key, value FROM meta")
        var values: [String: String] = [:]
        for row in rows { values[row["key"]] = row["value"] }
        guard let app = values["app"], let ledgerID = values["ledger_id"] else {
            throw StoreError(
                .damaged, "\(path) is damaged: it does not say which app it is; restore a backup")
        }
        return StoreHeader(app: app, ledgerID: ledgerID, schemaVersion: version)
    }
}
