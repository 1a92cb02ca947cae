import DaybookEvents
import GRDB
import GRDBSQLite

/// Carries the hash over the history on with one batch, inside of its transaction.
struct HistoryInsertion {
    let db: Database
    let file: LedgerFile
    let header: StoreHeader
    let batch: AppendBatch
    /// Of the log as it is before the commit (`HistoryHead`).
    let logSalt: Int64

    /// A cursor and its point, which takes some hashing.
    struct End {
        var cursor: HistoryCursor
        var point: HistoryPoint
    }

    /// What a batch is appended to.
    struct Ground {
        var head: HistoryHead
        var cursor: HistoryCursor
        /// What the tables hold.
        var end: AppendGround
    }

    /// Finds the cursor at the end of the file, and checks that the batch goes on from this very history.
    /// - Parameter known: Where this connection's last commit ended.
    /// - Throws: `.otherHistory`; `.damaged` when the file's newest rows are not those that it names.
    func ground(_ known: End?) throws -> Ground {
        let reading = HistoryReading(db: db, file: file, header: header)
        let (head, end) = try HistoryHead.fitting(db, file.path)
        if let expected = batch.expectedHistory, expected != head.point.hash {
            throw StoreError.otherHistory(
                file.path, "what was to be appended was decided upon", expected,
                at: batch.expectedHead, head.point)
        }
        if let known {
            if known.point == head.point {
                return Ground(head: head, cursor: known.cursor, end: end)
            }
            if let advanced = try reading.advanced(known.cursor, to: head) {
                return Ground(head: head, cursor: advanced, end: end)
            }
        }
        return Ground(head: head, cursor: try reading.cursor(head), end: end)
    }

    /// Hashes the batch, whose names, streams and rows are in the file by now, and writes blocks, marks and the head.
    func run(_ ground: Ground) throws -> End {
        var cursor = ground.cursor
        for name in batch.names { cursor.append(name: name) }
        for stream in batch.streams { cursor.append(stream: stream) }
        for index in batch.rows.indices where batch.rows[index].event.type == .ledgerRestored {
            cursor.epoch = max(cursor.epoch + 1, batch.rows[index].event.amount)
        }
        let entries = try entries()
        try cursor.append(
            count: entries.count, entry: { entries[$0] },
            complete: { try Self.insert(db, block: $1, leaf: $2, $0) })
        let head = HistoryHead(cursor, salt: logSalt, after: ground.head)
        try head.write(db)
        return End(cursor: cursor, point: head.point)
    }

    private func entries() throws -> [HistoryCursor.Entry] {
        guard batch.digests.isEmpty else {
            return batch.digests.indices.map {
                HistoryCursor.Entry(
                    recordedAt: batch.rows[$0].recordedAt, digest: batch.digests[$0])
            }
        }
        var digests = StoredRowDigests(db: db, file: file, secret: header.secret)
        return try batch.rows.map { try digests.entry($0) }
    }

    /// Writes a complete block, and the mark that it may end at.
    static func insert(
        _ db: Database, block: Int64, leaf: HistoryHash, _ cursor: HistoryCursor
    ) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT INTO history_blocks(id, hash) VALUES (?, ?)"
        ).sqliteStatement
        sqlite3_bind_int64(statement, 1, block)
        statement.bind(2, leaf)
        try statement.stepToEnd(db.sqliteConnection)
        if cursor.position % HistoryCursor.markCount == 0 { try insert(db, mark: cursor) }
    }

    private static func insert(_ db: Database, mark cursor: HistoryCursor) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO history_marks(position, tree, names, name_hash, streams, stream_hash, \
                hash) VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).sqliteStatement
        sqlite3_bind_int64(statement, 1, cursor.position)
        sqlite3_bind_int64(statement, 3, cursor.names.count)
        statement.bind(4, cursor.names.hash)
        sqlite3_bind_int64(statement, 5, cursor.streams.count)
        statement.bind(6, cursor.streams.hash)
        statement.bind(7, cursor.point.hash)
        try cursor.tree.bytes.withUnsafeBytes { bytes in
            statement.bind(2, .blob(bytes))
            try statement.stepToEnd(db.sqliteConnection)
        }
    }
}
