import DaybookEvents
import Foundation
import GRDB

/// What a backup came to.
public struct BackupReport: Sendable, Equatable {
    /// The path of the backup's file, absolute and without symbolic links.
    public var path: String
    /// The end of what the backup holds.
    public var history: HistoryPoint
    /// How many events were written; all of them into a new backup.
    public var events: Int64
    /// Of the backup's file.
    public var byteCount: Int64
}

/// Backups: ledger files of their own, which hold the same history up to some position.
extension SQLiteEventStore {
    /// Events of a commit when a backup is carried on.
    private static let backupBatchCount: Int64 = 8_192
    /// Pages of a step: 4 MiB.
    private static let pagesPerStep: CInt = 1_024

    /// Copies the ledger as it is at this moment while others go on, and verifies the copy by its hash before it gets
    /// its name; a backup that is there already is carried on with the events after its end.
    /// - Parameters:
    ///   - target: A path without a file, or with an older backup of this history.
    ///   - progress: Events verified or written, and how many are to be. It may throw; then no new backup is left.
    /// - Throws: `.otherHistory` for a backup that this history does not go on from; it stays as it was.
    public func backUp(
        to target: String, progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> BackupReport {
        let target = LedgerFile(path: target)
        try StoreError.require(
            target.path != file.path, .alreadyExists,
            "\(file.path) is the ledger itself; name another file")
        var report =
            target.isTaken
            ? try carryOn(target, progress: progress) : try begin(target, progress: progress)
        // A backup of what was replaced meanwhile is whole, and not one of the ledger at this path.
        try watch.checkNames(after: "\(target.path) is a backup of what was there before")
        report.byteCount = target.identity?.byteCount ?? 0
        return report
    }

    /// Verifies a ledger file or backup as a whole: every row, name, stream and document against the hash that it
    /// names.
    /// - Returns: The end of its history.
    /// - Throws: `.damaged` with the first place that does not fit.
    public func prove(
        progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> HistoryPoint {
        try reads.use("verifying the history") { [file, header] db in
            try db.inSnapshot {
                try HistoryProof(db: db, file: file, header: header).run(progress: progress)
            }
        }
    }

    // MARK: A new backup

    private func begin(
        _ target: LedgerFile, progress: (Int64, Int64) throws -> Void
    ) throws -> BackupReport {
        try target.checkIsFree()
        let draft = target.draft()
        do {
            try copy(to: draft, like: file.path)
            let point = try Self.prove(draft, header, progress: progress)
            try draft.move(to: target)
            Folder.sync(target.folder)
            return BackupReport(
                path: target.path, history: point, events: point.position, byteCount: 0)
        } catch {
            draft.remove()
            throw SQLiteFailure.translate(error, "backing up", draft)
        }
    }

    /// Copies the pages as they are at one moment; commits go on meanwhile. The copy is another file with the same
    /// history (`HistoryHead.lineage`).
    /// - Parameter model: Who may read this file may read the copy.
    func copy(to draft: LedgerFile, like model: String) throws {
        try StoreError.require(
            access(draft.folder, F_OK) == 0, .notFound,
            "the folder \(draft.folder) does not exist; create it first")
        try DerivedFile.createPrivate(draft.path)
        do {
            let queue = try DatabaseQueue(
                path: draft.path, configuration: WriteConnection.configuration())
            try reads.use("copying the ledger") { source in
                try source.inTransaction(.deferred) {
                    // Begins the read that the whole copy is of.
                    _ = try source.number("SELECT max(position) FROM events", [])
                    try queue.inDatabase { target in
                        do {
                            try source.backup(to: target, pagesPerStep: Self.pagesPerStep)
                        } catch {
                            // Said of the copy: reading the ledger is not what fails here.
                            throw SQLiteFailure.translate(
                                error, "copying the ledger", draft, target.sqliteConnection)
                        }
                    }
                    return .commit
                }
            }
            try queue.inDatabase { target in
                try target.inWriteTransaction {
                    let version = try LedgerHeader.checkVersion(target, draft.path, schema)
                    try schema.migrate(target, from: version, draft)
                    try HistoryHead.renewLineage(target)
                }
            }
            try queue.close()
        } catch let error as DatabaseError {
            // What is said of the ledger itself was translated where it was read.
            throw SQLiteFailure.translate(error, "copying the ledger", draft)
        }
        try DerivedFile.fit(draft.path, like: model)
        try DerivedFile.sync(draft.path)
    }

    /// Reads a file that no other process knows of as one that does not change.
    static func prove(
        _ draft: LedgerFile, _ header: StoreHeader, progress: (Int64, Int64) throws -> Void
    ) throws -> HistoryPoint {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: draft.immutableURI, configuration: configuration)
        let point = try queue.inDatabase { db in
            try HistoryProof(db: db, file: draft, header: header).run(progress: progress)
        }
        try queue.close()
        return point
    }

    // MARK: A backup that is carried on

    private func carryOn(
        _ target: LedgerFile, progress: (Int64, Int64) throws -> Void
    ) throws -> BackupReport {
        let backup = try SQLiteEventStore(path: target.path)
        do {
            let report = try carryOn(backup, target, progress: progress)
            try backup.close()
            return report
        } catch {
            // The first failure is the one to tell.
            try? backup.close()
            if let error = error as? StoreError, error.code == .conflict {
                throw StoreError(
                    .busy, "another backup is being written into \(target.path); try again",
                    cause: error)
            }
            throw error
        }
    }

    private func carryOn(
        _ backup: SQLiteEventStore, _ target: LedgerFile,
        progress: (Int64, Int64) throws -> Void
    ) throws -> BackupReport {
        try StoreError.require(
            backup.header.ledgerID == header.ledgerID, .otherHistory,
            "\(target.path) is a backup of another ledger; name another file")
        let start = try backup.end().history
        try StoreError.require(
            confirms(start), .otherHistory,
            "\(target.path) ends with \(start), which is not in the history of \(file.path): one of the two was "
                + "restored or replaced; keep the backup, and name another file")
        let wanted = try prove(after: start, progress: progress)
        var report = BackupReport(
            path: target.path, history: wanted, events: wanted.position - start.position,
            byteCount: 0)
        guard wanted != start else { return report }
        // From the first row on it is another file than whatever was copied from it before.
        // Moved into the file at once: until then the file and its log have two.
        try backup.onWriteConnection("preparing the backup") { db in
            try db.inWriteTransaction { try HistoryHead.renewLineage(db) }
            try db.checkpoint(.truncate)
        }
        var position = start.position
        repeat {
            let next = min(wanted.position, position + Self.backupBatchCount)
            try backup.append(from: self, after: position, through: next, wanted)
            position = next
        } while position < wanted.position
        report.history = try backup.end().history
        try StoreError.require(
            backup.confirms(wanted), .damaged,
            "\(target.path) is not what \(file.path) holds between position \(start.position) and "
                + "\(wanted.position); begin a new backup in another file")
        return report
    }

    /// Verifies, before anything of it is taken over, what comes after a place in the history.
    private func prove(
        after start: HistoryPoint, progress: (Int64, Int64) throws -> Void
    ) throws -> HistoryPoint {
        try reads.use("verifying what is new") { [file, header] db in
            try db.inSnapshot {
                try HistoryProof(db: db, file: file, header: header).run(
                    after: start, progress: progress)
            }
        }
    }

    /// Takes over rows of the same history, with the names, streams and documents that this file lacks. Their digests
    /// are worked out from what is written here.
    private func append(
        from source: SQLiteEventStore, after position: Int64, through last: Int64,
        _ wanted: HistoryPoint
    ) throws {
        var rows: [EventRow] = []
        try source.scanRows(
            after: Checkpoint(position: position), through: Checkpoint(position: last),
            chunkCount: Int(Self.backupBatchCount)
        ) { rows += $0 }
        try exclusively { writer in
            let end = try end()
            let names = try source.names(after: Int(end.history.nameCount))
            let streams = try source.streams(after: UInt32(end.history.streamCount))
            try writer.append(
                AppendBatch(
                    expectedHead: position, expectedHistory: end.history.hash,
                    nameCount: Int(end.history.nameCount),
                    names: Array(names.prefix(Int(wanted.nameCount - end.history.nameCount))),
                    streams: Array(
                        streams.prefix(Int(wanted.streamCount - end.history.streamCount))),
                    rows: rows, documents: try source.documents(after: try documentCount())))
        }
    }

    private func documentCount() throws -> Int64 {
        try reads.use("counting documents") { try $0.number("SELECT count(*) FROM documents", []) }
            ?? 0
    }

    private func documents(after count: Int64) throws -> [StoredDocument] {
        try reads.use("reading documents") { db in
            var documents: [StoredDocument] = []
            try db.forEachRow(
                "SELECT sha256, bytes FROM documents ORDER BY id LIMIT -1 OFFSET ?", [count]
            ) { row in
                documents.append(
                    StoredDocument(sha256: StoredText.plain(row, 0), bytes: Array(row.blob(1))))
            }
            return documents
        }
    }
}
