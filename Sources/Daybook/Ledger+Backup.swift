import DaybookDomain
package import DaybookEvents
public import DaybookStore
public import Logging

/// What a backup in the place of a ledger came to.
public struct RestoredLedger: Sendable, Equatable {
    /// The ledger's file now: an absolute path without symbolic links.
    public var path: String
    /// The end of the backup's history.
    public var backup: HistoryPoint
    /// The end of the ledger now: the event with which its new epoch begins.
    public var history: HistoryPoint
    /// Where the ledger that was there before ended; `nil` where there was none, or it could not be read.
    public var abandoned: HistoryPoint?
    /// Where that one is now.
    public var keptAt: String?
    /// Snapshots, segments and key arrays of the abandoned history, which were removed.
    public var removedFiles: Int
}

extension RestoredLedger {
    /// The members of the point with which the new epoch begins, and others.
    package var json: JSONObject {
        history.json.adding([
            "path": .string(path), "backup": .object(backup.json),
            "removed_files": .count(removedFiles), "abandoned": .orNull(abandoned?.json),
            "kept_at": .orNull(keptAt),
        ])
    }
}

extension Ledger {
    /// The name of everything that this ledger has taken in.
    public func history() throws -> HistoryPoint {
        try refresh()
        return try core.translating {
            let end = try core.store.end()
            try core.takeIn(through: end.head.position)
            return end.history
        }
    }

    /// Copies the ledger while others go on, verified by its hash; a backup that is there is carried on.
    /// - Throws: `LedgerError.store`: `.otherHistory` where the backup is of another past, `.failed` for a ledger in
    ///   memory; what `progress` throws.
    public func backUp(
        to path: String, progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> BackupReport {
        try core.translating {
            guard let store = core.store as? SQLiteEventStore else {
                throw StoreError(.failed, "a ledger in memory cannot be backed up; export it")
            }
            return try store.backUp(to: path, progress: progress)
        }
    }

    /// Adds a view for each event type to the ledger's file, for whatever reads SQLite (docs/sql.md), or removes them.
    /// - Returns: Whether anything was different.
    /// - Throws: `LedgerError.store`: `.failed` for a ledger in memory.
    @discardableResult
    public func setEventViews(_ areThere: Bool) throws -> Bool {
        try core.translating {
            guard let store = core.store as? SQLiteEventStore else {
                throw StoreError(.failed, "a ledger in memory has no file that could have views")
            }
            return try store.setEventViews(areThere)
        }
    }

    /// Verifies a backup as a whole by the hash that it names, and writes nothing.
    /// - Throws: `LedgerError.store` with the first place that does not fit; `.readOnly` for a file of an older schema,
    ///   which names no history.
    public static func proveBackup(
        at path: String, progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> HistoryPoint {
        do {
            let store = try SQLiteEventStore(path: path, readOnly: true, isMigrating: false)
            // Nothing is lost by not closing what only read.
            defer { try? store.close() }
            return try store.prove(progress: progress)
        } catch {
            throw (error as? LedgerError) ?? .store(StoreError.wrapping(error))
        }
    }

    /// Puts a verified backup in the place of a ledger, and begins a new epoch with an event that says who and why.
    ///
    /// What was recorded after the backup's end is abandoned: its keys are free again. The replaced file stays beside
    /// the ledger under another name; processes that have it open are told and write nothing more. No process
    /// writes to the ledger meanwhile.
    /// - Parameters:
    ///   - backup: The backup's file. It is only read; its copy is verified by its hash before anything is replaced.
    ///   - path: The ledger's file, which is made or replaced.
    ///   - isReplacing: Whether a ledger may be there already; one with another id is never replaced, unless it is too
    ///     damaged to tell its id.
    ///   - actor: Who restores.
    ///   - reason: Why.
    ///   - clock: Milliseconds since 1970 UTC: the time of the event that begins the epoch.
    ///   - log: Is told what was odd and did no harm, such as files of the abandoned history that could not be removed.
    ///   - progress: Events verified, and how many are to be. It may throw; then nothing is replaced.
    public static func restore(
        backup: String, to path: String, isReplacing: Bool, actor: String?, reason: String,
        clock: @escaping @Sendable () -> Int64 = SystemClock.now,
        log: Logger = Logger(label: "daybook"),
        progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> RestoredLedger {
        let replacement = LedgerReplacement(path: path)
        var restored: RestoredLedger
        do {
            let source = try SQLiteEventStore(path: backup, readOnly: true, isMigrating: false)
            // Nothing is lost by not closing what only read.
            defer { try? source.close() }
            if isReplacing { try checkIsOurs(replacement, source.header) }
            restored = try replacement.exclusively(isReplacing: isReplacing) {
                let abandoned = try abandoned(replacement, source.header)
                let end = try replacement.copy(source, progress: progress)
                let history = try beginEpoch(
                    replacement.draftPath, from: end, abandoned, actor, reason, clock)
                return RestoredLedger(
                    path: replacement.path, backup: end, history: history, abandoned: abandoned,
                    keptAt: try replacement.run(keepingAt: abandoned?.position), removedFiles: 0)
            }
        } catch {
            throw (error as? LedgerError) ?? .store(StoreError.wrapping(error))
        }
        do {
            let ledger = try Ledger.open(replacement.path, log: log, clock: clock)
            defer { try? ledger.close() }
            restored.removedFiles = try ledger.removeForeignFiles()
        } catch {
            // The ledger was restored; what is left of the other past is never used.
            log.tell(
                .warning,
                "files of the abandoned history stay: \(StoreError.wrapping(error).message)")
        }
        return restored
    }

    /// Refuses a file that is not this ledger's before anything is locked, and has a ledger of an older schema brought
    /// up to date, for which it locks itself.
    private static func checkIsOurs(
        _ replacement: LedgerReplacement, _ header: StoreHeader
    ) throws {
        do {
            _ = try abandoned(replacement, header)
        } catch let error as StoreError {
            // Everything else is asked again under the lock, where a restore that was killed is cleaned up first.
            if error.code == .notALedger || error.code == .otherHistory { throw error }
        }
    }

    /// The end of the ledger that is to be replaced; `nil` where there is none, or it is too damaged to say.
    private static func abandoned(
        _ replacement: LedgerReplacement, _ header: StoreHeader
    ) throws -> HistoryPoint? {
        guard replacement.isTaken else { return nil }
        let former: SQLiteEventStore
        do {
            former = try SQLiteEventStore(path: replacement.path, readOnly: true)
        } catch let error as StoreError {
            switch error.code {
            // What one restores for.
            case .damaged: return nil
            // Another program's file, or one of which nothing is left.
            case .notALedger:
                throw StoreError(.notALedger, "\(error.message); move it away first")
            default: throw error
            }
        }
        defer { try? former.close() }
        try StoreError.require(
            former.header.ledgerID == header.ledgerID, .otherHistory,
            "\(replacement.path) is another ledger (\(former.header.app)) than the backup is of (\(header.app)); "
                + "move it away first")
        do {
            return try former.end().history
        } catch let error as StoreError where error.code == .damaged {
            return nil
        }
    }

    private static func beginEpoch(
        _ draft: String, from end: HistoryPoint, _ abandoned: HistoryPoint?, _ actor: String?,
        _ reason: String, _ clock: @escaping @Sendable () -> Int64
    ) throws -> HistoryPoint {
        // Without a path it writes nothing beside the draft.
        let ledger = try Ledger(store: try SQLiteEventStore(path: draft), clock: clock)
        var data: JSONObject = [
            "epoch": .integer(max(end.epoch, abandoned?.epoch ?? 0) + 1),
            "history": .string(end.hash.description), "reason": .string(reason),
        ]
        if let abandoned {
            data["abandoned_position"] = .integer(abandoned.position)
            data["abandoned_history"] = .string(abandoned.hash.description)
        }
        try ledger.writer.recordAtOnce(
            EventDraft(
                type: .ledgerRestored, subject: nil, occurredAt: clock(),
                source: EventSource(kind: "ledger", key: "restored/\(RandomKey.make())"),
                trust: .admin, data: data, extras: JSONObject(actor: actor)))
        let history = try ledger.core.store.end().history
        try ledger.close()
        return history
    }

    private func removeForeignFiles() throws -> Int {
        guard let path else { return 0 }
        let folder = DerivedFolder.path(of: path)
        var count = 0
        for suffix in [".daysnap", ".dayseg", ".daykeys", ".aside"] {
            for name in DerivedFile.names(in: folder, suffix: suffix) {
                let file = "\(folder)/\(name)"
                // One that cannot be read is of no use.
                let header = try? ContainerFile(path: file).header
                if let header, suffix != ".aside", try core.store.confirms(header.history) {
                    continue
                }
                DerivedFile.remove(file)
                count += 1
            }
        }
        return count
    }
}
