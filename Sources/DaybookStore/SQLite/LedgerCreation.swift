import DaybookEvents
import Foundation
import GRDB

/// Creates a ledger file under another name and moves it to its own, so that no process ever sees half of one.
///
/// The caller holds the ledger's lock.
struct LedgerCreation {
    let file: LedgerFile
    let app: String
    let schema: LedgerSchema

    /// - Throws: `.alreadyExists`.
    func checkIsFree() throws { try file.checkIsFree() }

    func run() throws {
        try checkIsFree()
        let draft = file.draft()
        do {
            try write(draft.path, Self.randomID())
            try draft.move(to: file)
            Folder.sync(file.folder)
        } catch {
            draft.remove()
            throw SQLiteFailure.translate(error, "creating the ledger", draft)
        }
    }

    /// The log mode is set once, here, as the last thing: it stands in the file from then on.
    private func write(_ path: String, _ ledgerID: String) throws {
        let queue = try DatabaseQueue(path: path, configuration: WriteConnection.configuration())
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA application_id = \(LedgerSchema.applicationID)")
            try db.inWriteTransaction {
                var random = SystemRandomNumberGenerator()
                let secret = LedgerSecret.random(using: &random)
                try schema.migrate(
                    db, from: 0, file,
                    meta: [
                        ("app", app), ("ledger_id", ledgerID), ("secret", secret.hexadecimal),
                    ])
            }
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            try StoreError.require(
                mode == "wal", .failed,
                "\(file.folder) has no shared memory, which SQLite's log needs; "
                    + "choose a folder on a local disk")
        }
        try queue.close()
    }

    private static func randomID() -> String {
        var random = SystemRandomNumberGenerator()
        return Digest.hexadecimal(random.next()) + Digest.hexadecimal(random.next())
    }
}
