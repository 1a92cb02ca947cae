public import DaybookEvents
import GRDB
import GRDBSQLite

/// Reading: short transactions, page by page, each page as it stood at one moment.
///
/// What a page hands to the caller is handed over after its transaction ended, so the caller may
/// take its time, and may read through the same store meanwhile.
extension SQLiteEventStore {
    private static let pageCount = 10_000

    /// The last event, as this moment's readers see it.
    public func head() throws -> StoreHead {
        try reads.use("reading the head") { db in
            var head = StoreHead(position: 0, recordedAt: 0)
            try db.forEachRow(
                "SELECT position, recorded_at FROM events ORDER BY position DESC LIMIT 1"
            ) { row in
                head.position = sqlite3_column_int64(row, 0)
                head.recordedAt = sqlite3_column_int64(row, 1)
            }
            return head
        }
    }

    /// Names with numbers above a count, in order.
    public func names(after count: Int) throws -> [String] {
        try pages(
            of: "SELECT id, text FROM names WHERE id > ? ORDER BY id LIMIT ?", after: Int64(count)
        ) {
            StoredText.plain($0, 1)
        }
    }

    /// Streams with numbers above a number, in order.
    /// - Throws: `.damaged` for an environment or kind that was never released.
    public func streams(after id: UInt32) throws -> [StreamRecord] {
        let sql = "SELECT id, environment, kind, name FROM streams WHERE id > ? ORDER BY id LIMIT ?"
        return try pages(of: sql, after: Int64(id)) { [file] row in
            let number = sqlite3_column_int64(row, 0)
            guard let environment = Environment(column: row, 1),
                let kind = StreamKind(column: row, 2)
            else {
                throw StoreError(
                    .damaged,
                    "\(file.path) is damaged: stream \(number) has an unknown environment or kind")
            }
            return StreamRecord(
                id: UInt32(truncatingIfNeeded: number), environment: environment, kind: kind,
                name: NameID(truncatingIfNeeded: sqlite3_column_int64(row, 3)))
        }
    }

    /// Hands out hot events in chunks, each decoded before the body sees it.
    public func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        try chunks(
            RowSelection.eventsOfRange, start, end, chunkCount, RowSelection.event, \.position
        ) { try body($0) }
    }

    /// Hands out whole rows in chunks.
    public func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        try chunks(
            RowSelection.rowsOfRange, start, end, chunkCount, RowSelection.row, \.event.position,
            body)
    }

    /// Whole rows by position, in the given order; unknown positions are left out.
    public func rows(at positions: [Int64]) throws -> [EventRow] {
        try reads.use("reading \(positions.count) rows") { db in
            var rows: [EventRow] = []
            rows.reserveCapacity(positions.count)
            try db.inTransaction(.deferred) {
                for position in positions {
                    if let row = try db.row(at: position) { rows.append(row) }
                }
                return .commit
            }
            return rows
        }
    }

    /// A stream's rows, newest first, by following each row to the one before it.
    /// - Throws: `.damaged` when a row claims to follow a later one.
    public func stream(endingAt position: Int64) throws -> [EventRow] {
        try reads.use("reading the stream that ends at position \(position)") { [file] db in
            var rows: [EventRow] = []
            try db.inTransaction(.deferred) {
                var position = position
                while position >= 1, let row = try db.row(at: position) {
                    rows.append(row)
                    guard row.previous < position else {
                        throw StoreError(
                            .damaged,
                            "\(file.path) is damaged: position \(position) follows "
                                + "\(row.previous), which is not before it; restore a backup")
                    }
                    position = row.previous
                }
                return .commit
            }
            return rows
        }
    }

    /// The last position recorded by a time; 0 when there is none.
    /// - Complexity: O(log *n*) rows read: the recorded time never goes back.
    public func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        try reads.use("looking for what was recorded by \(instant)") { [file] db in
            var low: Int64 = 0
            try db.inTransaction(.deferred) {
                var high = try db.number("SELECT max(position) FROM events", []) ?? 0
                while low < high {
                    let middle = low + (high - low + 1) / 2
                    let sql = "SELECT recorded_at FROM events WHERE position = ?"
                    guard let recordedAt = try db.number(sql, [middle]) else {
                        throw StoreError(
                            .damaged,
                            "\(file.path) is damaged: position \(middle) is missing; "
                                + "restore a backup"
                        )
                    }
                    if recordedAt <= instant { low = middle } else { high = middle - 1 }
                }
                return .commit
            }
            return low
        }
    }

    /// The bytes of a document by their SHA-256; `nil` when it is not there.
    public func document(sha256: String) throws -> [UInt8]? {
        try reads.use("reading the document \(sha256)") { db in
            try [UInt8].fetchDocument(db, sha256)
        }
    }

    /// Changes with every commit through another connection: other processes, and this store's own
    /// appends.
    public func foreignChangeCounter() throws -> Int64 {
        try counter.withLock { counter in
            let queue = try counter ?? reads.open()
            counter = queue
            return try queue.inDatabase { [file] db in
                do {
                    return try db.number("PRAGMA data_version", []) ?? 0
                } catch {
                    throw SQLiteFailure.translate(
                        error, "looking for new events", file.path, db.sqliteConnection)
                }
            }
        }
    }

    /// Everything that the store can check about itself; empty when all is well.
    /// - Complexity: O(*n*): reads the whole file.
    public func findings() throws -> [String] {
        try LedgerInspection(reads: reads, file: file).run()
    }

    /// Chunks of a fixed range: events are never changed, so each chunk may have a transaction of
    /// its own.
    private func chunks<Element>(
        _ sql: String, _ start: Checkpoint, _ end: Checkpoint, _ chunkCount: Int,
        _ element: (OpaquePointer) -> Element, _ position: KeyPath<Element, Int64>,
        _ body: ([Element]) throws -> Void
    ) throws {
        var last = start.position
        let count = max(1, chunkCount)
        var chunk: [Element] = []
        chunk.reserveCapacity(min(count, Self.pageCount))
        while last < end.position {
            // The room of the last chunk is used again, unless the body kept it.
            chunk.removeAll(keepingCapacity: true)
            try reads.use("reading events after position \(last)") { db in
                try db.forEachRow(sql, [last, end.position, Int64(count)]) { row in
                    chunk.append(element(row))
                }
            }
            guard let newest = chunk.last else { return }
            last = newest[keyPath: position]
            try body(chunk)
        }
    }

    private func pages<Element>(
        of sql: String, after start: Int64, _ element: (OpaquePointer) throws -> Element
    ) throws -> [Element] {
        var all: [Element] = []
        var last = start
        while true {
            let countBefore = all.count
            try reads.use("reading names and streams after \(last)") { db in
                try db.forEachRow(sql, [last, Int64(Self.pageCount)]) { row in
                    last = sqlite3_column_int64(row, 0)
                    all.append(try element(row))
                }
            }
            if all.count - countBefore < Self.pageCount { return all }
        }
    }
}

extension Environment {
    fileprivate init?(column row: OpaquePointer, _ index: CInt) {
        self.init(rawValue: UInt8(clamping: sqlite3_column_int64(row, index)))
    }
}

extension StreamKind {
    fileprivate init?(column row: OpaquePointer, _ index: CInt) {
        self.init(rawValue: UInt8(clamping: sqlite3_column_int64(row, index)))
    }
}

extension [UInt8] {
    /// The bytes of a document; `nil` when it is not there.
    fileprivate static func fetchDocument(_ db: Database, _ sha256: String) throws -> [UInt8]? {
        let sql = "SELECT bytes FROM documents WHERE sha256 = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [sha256]) else { return nil }
        return try row.withUnsafeData(atIndex: 0) { $0.map { Array($0) } ?? [] }
    }
}
