import GRDB

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Creates a ledger file under another name and renames it, so that nobody ever sees half of one.
///
/// The caller holds the ledger's lock.
struct LedgerCreation {
    let file: LedgerFile
    let app: String

    /// - Throws: `.alreadyExists`.
    func checkIsFree() throws {
        guard !file.exists else {
            throw StoreError(
                .alreadyExists, "\(file.path) exists already; open it, or choose another name")
        }
        // SQLite would read the log of a ledger that was deleted into the new one.
        guard !file.hasLog else {
            throw StoreError(
                .alreadyExists,
                "\(file.logPath) holds events of a ledger that is gone; move it away first")
        }
    }

    func run() throws {
        try checkIsFree()
        let ledgerID = Self.randomID()
        let draft = LedgerFile(path: "\(file.path).\(ledgerID.prefix(8)).new")
        do {
            try write(draft.path, ledgerID)
            guard rename(draft.path, file.path) == 0 else {
                throw StoreError(
                    .failed,
                    "\(file.path) cannot be created: \(String(cString: strerror(errno)))")
            }
            file.syncFolder()
        } catch {
            for path in [draft.path, draft.path + "-journal", draft.logPath, draft.path + "-shm"] {
                unlink(path)
            }
            throw SQLiteFailure.translate(error, "creating the ledger", file.path)
        }
    }

    /// The log mode is set once, here, as the last thing: it stands in the file from then on.
    private func write(_ path: String, _ ledgerID: String) throws {
        let queue = try DatabaseQueue(path: path, configuration: WriteConnection.configuration())
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA application_id = \(LedgerSchema.applicationID)")
            try db.inTransaction(.immediate) {
                try LedgerSchema.migrate(
                    db, from: 0, meta: [("app", app), ("ledger_id", ledgerID)])
                return .commit
            }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw StoreError(
                    .failed,
                    "\(file.folder) has no shared memory, which SQLite's log needs; "
                        + "choose a folder on a local disk")
            }
        }
        try queue.close()
    }

    private static func randomID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(random.next() >> 32, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }
}
