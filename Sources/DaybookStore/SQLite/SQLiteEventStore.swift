import DaybookEvents
import GRDB
import Logging
import Synchronization

/// A ledger in one SQLite file: any number of readers, one writer at a time, across processes.
///
/// ```swift
/// let store = try SQLiteEventStore.create(at: "dozzi.sqlite", app: "dozzi")
/// let ledger = try Ledger(store: store)
/// ```
///
/// - Rule: what `append` returned from is on the disk, exactly once (`durability` is `FULL`).
/// - Why: a receipt is a promise to a customer.
/// - Advice: share one store among all tasks of a process, and close it.
/// - Otherwise: a store that is not closed leaves its log beside the file; the next one reads it.
public final class SQLiteEventStore: EventStore {
    /// What the ledger file said about itself when it was opened.
    public let header: StoreHeader

    /// The file, absolute and without symbolic links: however the path was written, the same one.
    public var path: String { file.path }

    /// How long a writer waits for the ledger's lock.
    private static let lockWaitSecondsDefault = 60.0
    /// How long a store that was not closed waits for the lock in its last moments.
    private static let lastWaitSeconds = 5.0

    private struct Writing {
        var connection: WriteConnection?
        var isClosed = false
    }

    let file: LedgerFile
    let schema: LedgerSchema
    let reads: ReadConnections
    /// How many streams and names there are, as far as was read.
    let bounds = Mutex(RowBounds())
    /// Its own connection: the counter is a connection's own view, and a long read must not delay
    /// it.
    let counter = Mutex<ChangeCounter?>(nil)
    let watch: FileWatch
    private let isReadOnly: Bool
    private let lock: LedgerLock
    private let lockWaitSeconds: Double
    private let writing = Mutex(Writing())
    private let log = Logger(label: "daybook.store")

    /// Opens a ledger; writes nothing before the first `exclusively`.
    /// - Throws: `StoreError`: `.notFound`, `.notALedger`, `.newerSchema`, `.damaged`, `.failed`
    ///   when the file cannot be read, `.readOnly` when only a folder that can be written would
    ///   show its newest events.
    /// - Parameter isMigrating: Whether a ledger of an older schema is brought up to date; `false`: it is refused as
    ///   `.readOnly`.
    public convenience init(
        path: String, readOnly: Bool = false, isMigrating: Bool = true
    ) throws {
        try self.init(
            path: path, readOnly: readOnly, lockWaitSeconds: Self.lockWaitSecondsDefault,
            isMigrating: isMigrating)
    }

    /// Opens a ledger with another waiting time for the lock than the default of 60 seconds, or as a later build would.
    /// - Parameter laterMigrations: Schema versions after those of this build.
    package init(
        path: String, readOnly: Bool, lockWaitSeconds: Double, isMigrating: Bool = true,
        laterMigrations: [[String]] = []
    ) throws {
        file = LedgerFile(path: path)
        schema = LedgerSchema(migrations: LedgerSchema.current.migrations + laterMigrations)
        isReadOnly = readOnly
        self.lockWaitSeconds = lockWaitSeconds
        watch = FileWatch(file)
        watch.noteMain()
        let access = try file.examine()
        reads = ReadConnections(file, access, watch)
        lock = LedgerLock(file)
        let version = try reads.use("reading the schema version") { [file, schema] db in
            try LedgerHeader.checkVersion(db, file.path, schema)
        }
        if version < LedgerSchema.historyVersion {
            guard access == .ordinary, isMigrating else { throw Self.isTooOld(file.path) }
            try lock.hold(waitSeconds: lockWaitSeconds) { [file, schema] in
                try WriteConnection.migrate(file, schema)
            }
        }
        header = try reads.use("reading what the ledger says about itself") { [file, schema] db in
            try LedgerHeader.read(
                db, file.path, version: LedgerHeader.checkVersion(db, file.path, schema))
        }
        reads.know(LogBinding(file: file, header: header))
        if access == .ordinary { try look() }
    }

    private static func isTooOld(_ path: String) -> StoreError {
        StoreError(
            .readOnly,
            "\(path) was written by an older Daybook and must be brought up to date first, which this command does not do "
                + "or its folder does not allow; copy it to a folder that can be written, and open the copy: "
                + "daybook status SUBJECT --ledger COPY")
    }

    /// Compares the files with those that were opened, and the log with the file.
    /// - Throws: `.replaced`, `.foreignLog`
    private func look() throws {
        guard try watch.checkNames() else { return }
        try watch.seeing {
            try reads.use("comparing the log with the file") { [file, header] db in
                try LogBinding(file: file, header: header).check(db)
            }
        }
    }

    /// The same for readers, twice a second at most.
    func lookWhenDue() throws {
        guard reads.isOrdinary, watch.isLookDue else { return }
        try look()
    }

    /// Creates an empty ledger, wholly or not at all.
    /// - Parameter app: One ledger is one app.
    /// - Throws: `StoreError`: `.alreadyExists`, `.notFound` when there is no such folder,
    ///   `.readOnly`, `.full`.
    public static func create(at path: String, app: String) throws -> SQLiteEventStore {
        try create(at: path, app: app, laterMigrations: [])
    }

    /// Creates a ledger as a later build would.
    package static func create(
        at path: String, app: String, laterMigrations: [[String]]
    ) throws -> SQLiteEventStore {
        let file = LedgerFile(path: path)
        let schema = LedgerSchema(migrations: LedgerSchema.current.migrations + laterMigrations)
        let creation = LedgerCreation(file: file, app: app, schema: schema)
        // Asked before the lock too, so that no lock file appears beside another program's file.
        try creation.checkIsFree()
        try LedgerLock(file).hold(waitSeconds: lockWaitSecondsDefault) { try creation.run() }
        return try SQLiteEventStore(
            path: path, readOnly: false, lockWaitSeconds: lockWaitSecondsDefault,
            laterMigrations: laterMigrations)
    }

    /// A caller that forgets to close loses nothing; the connection still must not be closed without the lock.
    deinit {
        guard let connection = writing.withLock({ $0.connection }) else { return }
        do {
            try closeUnderLock(connection, waitSeconds: Self.lastWaitSeconds)
        } catch {
            // Another process may commit now: the log stays as it is, and the next to open the ledger reads it there.
            log.tell(.warning, "\(file.path) was not closed: \(error)")
            abandon(connection)
        }
    }

    /// `FULL` when acknowledged means on the disk; read back from the live connection just before
    /// each commit.
    ///
    /// `none` before the first write, when nothing can have been acknowledged.
    public var durability: String {
        writing.withLock { $0.connection }?.durability ?? "none"
    }

    /// Runs the body while no other thread, store or process can append.
    ///
    /// The body must not call `exclusively` again: it would wait for itself.
    /// - Throws: `StoreError.busy` after waiting for 60 seconds, `.readOnly`, `.closed`, and what
    ///   the body throws.
    @discardableResult
    public func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result {
        try StoreError.require(
            !isReadOnly, .readOnly, "\(file.path) was opened for reading; open it again for writing"
        )
        return try lock.hold(waitSeconds: lockWaitSeconds) {
            let connection = try writeConnection()
            let turn = Turn(connection)
            defer { turn.connection = nil }
            let result = try body(turn)
            do {
                try connection.checkpointWhenDue()
            } catch {
                // The events are in the log, on the disk: failing now would deny what is true.
                log.tell(.error, "\(error)")
            }
            return result
        }
    }

    /// Waits for the writer, moves the log into the file and closes every connection; twice is as
    /// good as once.
    /// - Throws: `StoreError.busy` when another writer kept the lock; nothing is lost, and it can be tried again.
    public func close() throws {
        try reads.close()
        try counter.withLock { counter in
            try counter?.connection.close()
            counter = nil
        }
        let connection = writing.withLock { writing in
            writing.isClosed = true
            return writing.connection
        }
        guard let connection else { return }
        try closeUnderLock(connection, waitSeconds: lockWaitSeconds)
        watch.forgetLog()
        writing.withLock { $0.connection = nil }
    }

    private func closeUnderLock(_ connection: WriteConnection, waitSeconds: Double) throws {
        try lock.hold(waitSeconds: waitSeconds) {
            do {
                try connection.checkFiles()
            } catch {
                log.tell(.error, "\(error)")
                return abandon(connection)
            }
            do {
                try connection.checkpoint()
            } catch {
                // The log keeps the events; the next process that opens the ledger reads them there.
                log.tell(.error, "\(error)")
            }
            try connection.close()
        }
    }

    private func abandon(_ connection: WriteConnection) {
        do {
            try connection.abandon()
        } catch {
            // Closed as usual it would move the log, so it stays open.
            _ = Unmanaged.passRetained(connection)
            log.tell(.error, "\(error)")
        }
    }

    /// Opened by the first writer, who holds the lock: a process that only reads opens nothing that may write.
    private func writeConnection() throws -> WriteConnection {
        let known = try writing.withLock { writing in
            try StoreError.require(
                !writing.isClosed, .closed, "\(file.path) was closed; open it again")
            return writing.connection
        }
        if let known { return known }
        try watch.checkNames()
        // It may be gone by now, or have got a second name.
        try file.checkName()
        let connection = try WriteConnection(file, schema, header, watch)
        writing.withLock { $0.connection = connection }
        return connection
    }

    /// Adds the views for analysts to the file (docs/sql.md), or removes them; nothing else of it changes.
    /// - Returns: Whether anything was different.
    @discardableResult
    public func setEventViews(_ areThere: Bool) throws -> Bool {
        try lock.hold(waitSeconds: lockWaitSeconds) {
            try writeConnection().setEventViews(areThere)
        }
    }

    /// Runs the body on the connection that writes.
    func onWriteConnection<Result>(
        _ task: String, _ body: (Database) throws -> Result
    ) throws -> Result {
        try lock.hold(waitSeconds: lockWaitSeconds) { try writeConnection().run(task, body) }
    }

    /// The right to append; it ends with the body that it was given to.
    private final class Turn: StoreWriter {
        var connection: WriteConnection?

        init(_ connection: WriteConnection) { self.connection = connection }

        func append(_ batch: AppendBatch) throws -> HistoryPoint {
            guard let connection else {
                throw StoreError(.closed, "the right to append has ended; ask for it again")
            }
            return try connection.append(batch)
        }
    }
}
