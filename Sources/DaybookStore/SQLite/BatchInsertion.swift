import GRDB
import GRDBSQLite

/// One append, inside a transaction that the caller commits, on ground that was checked.
struct BatchInsertion {
    let db: Database
    let batch: AppendBatch

    func run() throws {
        try insertNames()
        try insertStreams()
        try insertDocuments()
        try insertRows()
    }

    private func insertNames() throws {
        guard !batch.names.isEmpty else { return }
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
        guard !batch.streams.isEmpty else { return }
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
        // Lent by a pointer: a row of an array would be copied.
        try batch.rows.withUnsafeBufferPointer { rows in
            for index in rows.indices { try insertion.insert(rows[index]) }
        }
    }

    private func handle(_ sql: String) throws -> OpaquePointer {
        try db.cachedStatement(sql: sql).sqliteStatement
    }
}
