import CDaybook
import DaybookEvents
import GRDB
import GRDBSQLite
import Synchronization

/// The one connection that writes, used only while the ledger's lock is held.
final class WriteConnection: Sendable {
    /// A checkpoint is due when the log holds more than this: 32 MiB.
    static let logByteCountMax = 32 << 20
    private static let frameByteCount = 4_096 + 24

    private let file: LedgerFile
    private let schema: LedgerSchema
    private let header: StoreHeader
    private let watch: FileWatch
    private let queue: DatabaseQueue
    /// The end of the history that this connection committed last; `nil` after a failure.
    private let end = Mutex<HistoryInsertion.End?>(nil)
    /// How many pages the log held after the last commit; told by SQLite on the connection's own
    /// queue.
    private let frameCount = Atomic<Int>(0)
    /// Grows while a reader keeps a checkpoint from finishing, so that not every append tries
    /// again.
    private let frameCountDue = Atomic<Int>(logByteCountMax / frameByteCount)
    private let synchronous = Atomic<Int64>(-1)

    /// Opens the ledger for writing, and brings an older one to the newest schema version: the caller holds the lock.
    /// - Throws: `.readOnly`, `.newerSchema`, `.damaged`, `.busy`, `.full` or `.failed`.
    init(
        _ file: LedgerFile, _ schema: LedgerSchema, _ header: StoreHeader, _ watch: FileWatch
    ) throws {
        self.file = file
        self.schema = schema
        self.header = header
        self.watch = watch
        do {
            queue = try Self.queue(file, schema)
            try queue.inDatabase { db in
                countFrames(db)
                synchronous.store(try Self.readSynchronous(db), ordering: .relaxed)
            }
            // SQLite has the log open by now.
            watch.noteLog()
            try watch.checkNames()
        } catch {
            throw SQLiteFailure.translate(error, "opening the ledger for writing", file)
        }
    }

    /// Brings a ledger of schema 1 up to date, which has no history that could be named; the caller holds the lock.
    static func migrate(_ file: LedgerFile, _ schema: LedgerSchema) throws {
        do {
            let queue = try queue(file, schema)
            // From now on the main file says where it stands.
            try queue.inDatabase { _ = try $0.checkpoint(.passive) }
            try queue.close()
        } catch {
            throw SQLiteFailure.translate(error, "bringing the ledger up to date", file)
        }
    }

    /// A connection to a ledger that is of the newest schema version by then.
    private static func queue(_ file: LedgerFile, _ schema: LedgerSchema) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: file.path, configuration: configuration())
        try queue.inDatabase { db in
            try db.inTransaction(.immediate) {
                let version = try LedgerHeader.checkVersion(db, file.path, schema)
                try schema.migrate(db, from: version, file)
                return .commit
            }
        }
        return queue
    }

    /// The settings of every connection that writes.
    ///
    /// The journal mode stays GRDB's default, which touches nothing: asked for the log mode, GRDB
    /// would set `synchronous` to NORMAL after this.
    static func configuration() -> Configuration {
        SQLiteUse.prepare()
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = 4096")
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Without this, a Mac's disk may keep what it was told to write in its cache.
            try db.execute(sql: "PRAGMA fullfsync = ON")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        return configuration
    }

    /// What SQLite answered when it was last asked, which is at opening and just before each commit.
    var durability: String {
        switch synchronous.load(ordering: .relaxed) {
        case 0: "OFF"
        case 1: "NORMAL"
        case 2: "FULL"
        case 3: "EXTRA"
        default: "unknown"
        }
    }

    /// Adds a batch in one transaction; see `StoreWriter`.
    /// - Throws: `.replaced` and `.foreignLog` when the files are not those that were opened, `.otherHistory` when they
    ///   hold another past than the batch was decided upon.
    func append(_ batch: AppendBatch) throws -> HistoryPoint {
        let known = end.withLock { end in
            // Taken out, so that it is carried on without a copy, and gone after a failure.
            defer { end = nil }
            return end
        }
        let next = try run(
            "appending \(batch.rows.count) events after position \(batch.expectedHead)"
        ) { db in
            try look(db)
            return try db.inWriteTransaction {
                try LedgerHeader.checkVersion(db, file.path, schema)
                let history = HistoryInsertion(
                    db: db, file: file, header: header, batch: batch,
                    logSalt: LogBinding.salt(db))
                let ground = try history.ground(known)
                try ground.end.check(batch)
                try BatchInsertion(db: db, batch: batch).run()
                let next = try history.run(ground)
                // Asked before the commit: after it nothing may fail any more, for the events are on the disk.
                synchronous.store(try Self.readSynchronous(db), ordering: .relaxed)
                return next
            }
        }
        try watch.checkNames(
            after:
                "\(batch.rows.count) events after position \(batch.expectedHead) went into a file without a name "
                + "and are not in the ledger")
        end.withLock { $0 = next }
        return next.point
    }

    /// Adds the views for analysts to the file, or removes them.
    /// - Returns: Whether anything was different.
    func setEventViews(_ areThere: Bool) throws -> Bool {
        end.withLock { $0 = nil }
        return try run("changing the views") { db in
            try look(db)
            return try db.inWriteTransaction {
                try LedgerHeader.checkVersion(db, file.path, schema)
                let isChanged = try areThere ? EventViews.add(db) : EventViews.remove(db)
                if isChanged {
                    // A commit that brings no event, and says as every commit does to which state the log belongs.
                    var head = try HistoryHead.required(db, file.path)
                    head.carryOn(inLogWith: LogBinding.salt(db))
                    try head.write(db)
                }
                return isChanged
            }
        }
    }

    /// - Throws: `.replaced`, `.foreignLog` or `.otherHistory` where the files are not those that this connection
    ///   belongs to: then it is abandoned: closing it would move its log into them.
    func checkFiles() throws { try run("looking at the files") { try look($0) } }

    /// - Throws: `.replaced`, `.foreignLog`, `.otherHistory`
    private func look(_ db: Database) throws {
        guard try watch.checkNames() else { return }
        try watch.seeing { try LogBinding(file: file, header: header).check(db) }
    }

    /// Moves the log's pages into the file when the log has grown beyond its bound.
    func checkpointWhenDue() throws {
        let frames = frameCount.load(ordering: .relaxed)
        let bound = Self.logByteCountMax / Self.frameByteCount
        if frames <= bound { frameCountDue.store(bound, ordering: .relaxed) }
        guard frames > frameCountDue.load(ordering: .relaxed) else { return }
        let isComplete = try checkpoint()
        frameCountDue.store(isComplete ? bound : frames + bound / 4, ordering: .relaxed)
    }

    /// - Returns: Whether the whole log was moved; readers may stand in the way of its last part.
    @discardableResult
    func checkpoint() throws -> Bool {
        try run("moving the log into the file") { db in
            // Pages of one past must never be written over those of another.
            try look(db)
            let result = try db.checkpoint(.passive)
            watch.noteSeen()
            return result.checkpointedFrameCount == result.walFrameCount
        }
    }

    func close() throws {
        do {
            try queue.close()
        } catch {
            throw SQLiteFailure.translate(error, "closing the ledger", file)
        }
    }

    /// Closes it and leaves the log as it is, for files that are not those that this connection belongs to: their log
    /// is another past's. A connection that stayed open would, for as long as the process runs, lend its index of the
    /// log to every later connection to the same file.
    func abandon() throws {
        try run("leaving the files as they are") { db in
            guard let connection = db.sqliteConnection,
                daybook_keep_log_on_close(connection) == SQLITE_OK
            else {
                throw StoreError(.failed, "\(file.path): SQLite does not leave the log as it is")
            }
        }
        try close()
    }

    /// Runs the body on the connection, with its errors in the store's words.
    func run<Result>(
        _ task: @autoclosure () -> String, _ body: (Database) throws -> Result
    ) throws -> Result {
        try queue.inDatabase { db in
            do {
                return try body(db)
            } catch {
                throw SQLiteFailure.translate(error, task(), file, db.sqliteConnection)
            }
        }
    }

    private static func readSynchronous(_ db: Database) throws -> Int64 {
        try db.number("PRAGMA synchronous", []) ?? -1
    }

    /// Has SQLite tell the length of the log after each commit.
    ///
    /// The file's size would not do: after a checkpoint the log is written again from its start, in
    /// a file that keeps its length.
    private func countFrames(_ db: Database) {
        // The pointer stays valid: SQLite calls back only inside a commit, which runs in a method
        // of self.
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                let writer = Unmanaged<WriteConnection>.fromOpaque(context).takeUnretainedValue()
                writer.frameCount.store(Int(frames), ordering: .relaxed)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
