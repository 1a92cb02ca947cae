import DaybookEvents
import GRDB
import GRDBSQLite

/// A place in a history, as the log's header names it.
struct LogPlace: Equatable {
    var position: Int64
    var hash: HistoryHash
}

extension LogPlace {
    init(_ point: HistoryPoint) { self.init(position: point.position, hash: point.hash) }
}

/// The row of `history_head`.
struct HistoryHead: Equatable {
    var point: HistoryPoint
    var nameHash: HistoryHash
    var streamHash: HistoryHash
    /// Of the log when the commit began that wrote the row; 0: there was none.
    var logSalt: Int64
    /// Where the main file stood, at least, when the log of that salt began.
    var base: LogPlace
    /// Where the ledger stood before that commit.
    var before: LogPlace
    /// Which file this is. Whatever writes the same events into other pages (a backup, one that is carried on, a
    /// restored ledger) gets a new one.
    var lineage: Int64

    /// What a commit writes that brings no event.
    /// - Parameter salt: Of the log as it is before the commit.
    mutating func carryOn(inLogWith salt: Int64) {
        base = start(ofLogWith: salt)
        before = LogPlace(point)
        logSalt = salt
    }

    /// Where the main file stood, at least, when the log of a salt began.
    func start(ofLogWith salt: Int64) -> LogPlace {
        if salt == 0 { return LogPlace(point) }
        return salt == logSalt ? base : before
    }

    var names: HistoryChain { HistoryChain(count: point.nameCount, hash: nameHash) }
    var streams: HistoryChain { HistoryChain(count: point.streamCount, hash: streamHash) }

    private static let columns = """
        position, epoch, names, name_hash, streams, stream_hash, hash, log_salt, base_position, \
        base_hash, before_position, before_hash, lineage
        """

    /// - Returns: `nil` when the row is not there or holds no hashes.
    static func read(_ db: Database) throws -> HistoryHead? {
        var head: HistoryHead?
        try db.forEachRow("SELECT \(columns) FROM history_head") { head = HistoryHead(row: $0) }
        return head
    }

    /// - Parameter row: Begins with the columns.
    private init?(row: OpaquePointer) {
        guard let hash = row.historyHash(6), let nameHash = row.historyHash(3),
            let streamHash = row.historyHash(5), let baseHash = row.historyHash(9),
            let beforeHash = row.historyHash(11)
        else { return nil }
        point = HistoryPoint(
            position: row.integer(0), epoch: row.integer(1), nameCount: row.integer(2),
            streamCount: row.integer(4), hash: hash)
        self.nameHash = nameHash
        self.streamHash = streamHash
        logSalt = row.integer(7)
        base = LogPlace(position: row.integer(8), hash: baseHash)
        before = LogPlace(position: row.integer(10), hash: beforeHash)
        lineage = row.integer(12)
    }

    /// The row of every ledger of schema 2.
    /// - Throws: `.damaged` without one.
    static func required(_ db: Database, _ path: String) throws -> HistoryHead {
        guard let head = try read(db) else { throw StoreError.nameless(path) }
        return head
    }

    /// One statement, because each commit asks: where there is no row yet a column is NULL, which reads as 0.
    private static let endSQL = """
        SELECT \(columns), (SELECT max(position) FROM events), (SELECT max(id) FROM names), \
        (SELECT max(id) FROM streams), \
        (SELECT recorded_at FROM events ORDER BY position DESC LIMIT 1) FROM history_head
        """

    /// The row of a file whose last event is the one that it names, and what the file's tables hold.
    /// - Throws: `.damaged` where another program added or removed events.
    static func fitting(
        _ db: Database, _ path: String
    ) throws -> (head: HistoryHead, end: AppendGround) {
        var found: (head: HistoryHead, end: AppendGround)?
        try db.forEachRow(endSQL) { row in
            found = HistoryHead(row: row).map { head in
                let last = StoreHead(position: row.integer(13), recordedAt: row.integer(16))
                return (
                    head,
                    AppendGround(
                        head: last, nameCount: row.integer(14), streamCount: row.integer(15))
                )
            }
        }
        guard let found else { throw StoreError.nameless(path) }
        guard found.end.head.position == found.head.point.position else {
            throw StoreError.strayEvents(
                path, found.end.head.position, named: found.head.point.position)
        }
        return found
    }

    func write(_ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE history_head SET position = ?, epoch = ?, names = ?, name_hash = ?, \
                streams = ?, stream_hash = ?, hash = ?, log_salt = ?, base_position = ?, \
                base_hash = ?, before_position = ?, before_hash = ?, lineage = ? WHERE id = 1
                """
        ).sqliteStatement
        sqlite3_bind_int64(statement, 1, point.position)
        sqlite3_bind_int64(statement, 2, point.epoch)
        sqlite3_bind_int64(statement, 3, point.nameCount)
        sqlite3_bind_int64(statement, 5, point.streamCount)
        sqlite3_bind_int64(statement, 8, logSalt)
        sqlite3_bind_int64(statement, 9, base.position)
        sqlite3_bind_int64(statement, 11, before.position)
        sqlite3_bind_int64(statement, 13, lineage)
        statement.bind(4, nameHash)
        statement.bind(6, streamHash)
        statement.bind(7, point.hash)
        statement.bind(10, base.hash)
        statement.bind(12, before.hash)
        try statement.stepToEnd(db.sqliteConnection)
    }

    /// The first row of a ledger.
    func insert(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO history_head(id, \(Self.columns)) \
                VALUES (1, 0, 1, 0, zeroblob(32), 0, zeroblob(32), zeroblob(32), 0, 0, \
                zeroblob(32), 0, zeroblob(32), 0)
                """)
        try write(db)
    }

    /// Makes the file another one with the same history, inside the caller's transaction.
    static func renewLineage(_ db: Database) throws {
        try db.execute(
            sql: "UPDATE history_head SET lineage = ?", arguments: [newLineage])
    }
}

extension HistoryHead {
    /// Of a ledger without an event.
    init(ledgerID: String) {
        point = HistoryCursor(ledgerID: ledgerID).point
        nameHash = .zero
        streamHash = .zero
        logSalt = 0
        base = LogPlace(point)
        before = base
        lineage = Self.newLineage
    }

    /// What the commit that leads to a cursor writes.
    /// - Parameters:
    ///   - salt: Of the log as it is before the commit.
    ///   - former: The row before.
    init(_ cursor: HistoryCursor, salt: Int64, after former: HistoryHead) {
        point = cursor.point
        nameHash = cursor.names.hash
        streamHash = cursor.streams.hash
        logSalt = salt
        base = former.start(ofLogWith: salt)
        before = LogPlace(former.point)
        lineage = former.lineage
    }

    private static var newLineage: Int64 { .random(in: 1...Int64.max) }
}

extension OpaquePointer {
    /// A column's 32 bytes; `nil` where it has others.
    func historyHash(_ column: CInt) -> HistoryHash? {
        HistoryHash(blob(column))
    }

    /// The bytes are copied.
    func bind(_ index: CInt, _ hash: HistoryHash) {
        hash.withBytes { bytes in
            _ = sqlite3_bind_blob(self, index, bytes.baseAddress, CInt(bytes.count), Self.copies)
        }
    }
}
