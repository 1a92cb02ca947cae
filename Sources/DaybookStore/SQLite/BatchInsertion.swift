import GRDB
import GRDBSQLite

/// One append, inside a transaction that the caller commits: checks the ground it stands on, then
/// inserts.
struct BatchInsertion {
    let db: Database
    let batch: AppendBatch

    /// - Throws: `.conflict` when the ledger is not what the batch was decided upon.
    func run() throws {
        try check()
        try insertNames()
        try insertStreams()
        try insertDocuments()
        try insertRows()
    }

    private func check() throws {
        let head = try number("SELECT max(position) FROM events")
        guard head == batch.expectedHead else {
            throw StoreError(
                .conflict,
                "the head is at position \(head), expected \(batch.expectedHead); "
                    + "read on and decide again"
            )
        }
        let nameCount = try number("SELECT max(id) FROM names")
        guard nameCount == Int64(batch.nameCount) else {
            throw StoreError(
                .conflict,
                "the ledger has \(nameCount) names, expected \(batch.nameCount); "
                    + "read on and decide again"
            )
        }
        if let first = batch.streams.first {
            let last = try number("SELECT max(id) FROM streams")
            guard Int64(first.id) == last + 1 else {
                throw StoreError(
                    .conflict,
                    "stream \(first.id) does not follow stream \(last); read on and decide again")
            }
        }
        try checkRows(head: head)
    }

    private func checkRows(head: Int64) throws {
        var position = head
        var recordedAt = try number(
            "SELECT recorded_at FROM events WHERE position = \(head)", Int64.min)
        for row in batch.rows {
            guard row.event.position == position + 1 else {
                throw StoreError(
                    .conflict, "position \(row.event.position) does not follow \(position)")
            }
            // `position(recordedAtOrBefore:)` searches by halves, so time must never go back.
            guard row.recordedAt >= recordedAt else {
                throw StoreError(
                    .conflict,
                    "position \(row.event.position) would be recorded at \(row.recordedAt), before "
                        + "position \(position) at \(recordedAt); record it no earlier"
                )
            }
            position += 1
            recordedAt = row.recordedAt
        }
    }

    private func insertNames() throws {
        let statement = try handle("INSERT INTO names(id, text) VALUES (?, ?)")
        for (index, name) in batch.names.enumerated() {
            sqlite3_bind_int64(statement, 1, Int64(batch.nameCount + index + 1))
            var name = name
            try name.withUTF8 { bytes in
                statement.bind(2, .text(bytes))
                try statement.stepToEnd(db.sqliteConnection)
            }
        }
    }

    private func insertStreams() throws {
        let statement = try handle(
            "INSERT INTO streams(id, environment, kind, name) VALUES (?, ?, ?, ?)")
        for stream in batch.streams {
            sqlite3_bind_int64(statement, 1, Int64(stream.id))
            sqlite3_bind_int64(statement, 2, Int64(stream.environment.rawValue))
            sqlite3_bind_int64(statement, 3, Int64(stream.kind.rawValue))
            sqlite3_bind_int64(statement, 4, Int64(stream.name))
            try statement.stepToEnd(db.sqliteConnection)
        }
    }

    /// A document that is there already stays: the same digest, the same bytes.
    private func insertDocuments() throws {
        guard !batch.documents.isEmpty else { return }
        let statement = try handle(
            """
            INSERT INTO documents(sha256, bytes) SELECT ?1, ?2 \
            WHERE NOT EXISTS (SELECT 1 FROM documents WHERE sha256 = ?1)
            """)
        for document in batch.documents {
            var sha256 = document.sha256
            try sha256.withUTF8 { text in
                try document.bytes.withUnsafeBytes { bytes in
                    statement.bind(1, .text(text))
                    statement.bind(2, .blob(bytes))
                    try statement.stepToEnd(db.sqliteConnection)
                }
            }
        }
    }

    private func insertRows() throws {
        let insertion = RowInsertion(
            statement: try handle(RowInsertion.sql), connection: db.sqliteConnection)
        for row in batch.rows { try insertion.insert(row) }
    }

    private func number(_ sql: String, _ absent: Int64 = 0) throws -> Int64 {
        try Int64.fetchOne(db, sql: sql) ?? absent
    }

    private func handle(_ sql: String) throws -> OpaquePointer {
        try db.cachedStatement(sql: sql).sqliteStatement
    }
}
