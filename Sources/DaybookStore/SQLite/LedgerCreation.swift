import DaybookEvents
import GRDB

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Creates a ledger file under another name and moves it to its own, so that nobody ever sees half of one.
///
/// The caller holds the ledger's lock.
struct LedgerCreation {
    let file: LedgerFile
    let app: String
    let schema: LedgerSchema

    /// - Throws: `.alreadyExists`.
    func checkIsFree() throws {
        guard !file.isTaken else { throw existsAlready }
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
            try move(draft)
            Folder.sync(file.folder)
        } catch {
            for path in [draft.path, draft.journalPath, draft.logPath, draft.logIndexPath] {
                unlink(path)
            }
            throw SQLiteFailure.translate(error, "creating the ledger", file)
        }
    }

    /// Gives the draft its name without taking the name from whatever appeared there meanwhile: `rename` would replace
    /// it.
    private func move(_ draft: LedgerFile) throws {
        if link(draft.path, file.path) == 0 {
            unlink(draft.path)
            return
        }
        switch errno {
        case EEXIST: throw existsAlready
        case EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS, EMLINK:
            // A file system without hard links, such as FAT: asked once more, and then trusted.
            guard !file.isTaken else { throw existsAlready }
            guard rename(draft.path, file.path) == 0 else { throw failure(errno) }
        case let number: throw failure(number)
        }
    }

    private var existsAlready: StoreError {
        StoreError(
            .alreadyExists, "\(file.path) exists already; open it, or choose another name")
    }

    private func failure(_ number: CInt) -> StoreError {
        StoreError(
            .failed, "\(file.path) cannot be created: \(String(cString: strerror(number)))")
    }

    /// The log mode is set once, here, as the last thing: it stands in the file from then on.
    private func write(_ path: String, _ ledgerID: String) throws {
        let queue = try DatabaseQueue(path: path, configuration: WriteConnection.configuration())
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA application_id = \(LedgerSchema.applicationID)")
            try db.inTransaction(.immediate) {
                var random = SystemRandomNumberGenerator()
                let secret = LedgerSecret.random(using: &random)
                try schema.migrate(
                    db, from: 0, file,
                    meta: [
                        ("app", app), ("ledger_id", ledgerID), ("secret", secret.hexadecimal),
                    ])
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
