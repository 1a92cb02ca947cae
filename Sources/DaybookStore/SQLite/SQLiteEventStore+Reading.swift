public import DaybookEvents
import GRDB

/// Reading: short transactions, page by page, each page as it stood at one moment.
///
/// What a page hands to the caller is handed over after its transaction ended, so the caller may
/// take its time, and may read through the same store meanwhile.
extension SQLiteEventStore {
    private static let pageCount = 10_000
    /// How many rows are looked up one by one in one transaction: some milliseconds, so that no reader of a long stream
    /// keeps the log from being written again from its start.
    private static let walkCount = 1_000

    /// The last event, as this moment's readers see it.
    /// - Throws: `.damaged` for a position that no ledger reaches.
    public func head() throws -> StoreHead {
        try reads.use("reading the head") { [file, schema] db in
            // A newer program may have migrated the file since it was opened: it is not half-read.
            try LedgerHeader.checkVersion(db, file.path, schema)
            return try Self.head(db, file)
        }
    }

    /// Hands out hot events in chunks, each decoded before the body sees it.
    /// - Throws: `.damaged` at a gap, or at a row that is in no stream or uses no name of this ledger.
    public func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        try chunks(RowSelection.eventsOfRange, start, end, chunkCount, RowSelection.event) {
            try body($0)
        }
    }

    /// Hands out whole rows in chunks.
    /// - Throws: `.damaged` as `scan` does.
    public func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        try chunks(RowSelection.rowsOfRange, start, end, chunkCount, RowSelection.row, body)
    }

    /// Whole rows by position, in the given order; unknown positions are left out.
    /// - Throws: `.damaged` for a row that is in no stream or uses no name of this ledger.
    public func rows(at positions: [Int64]) throws -> [EventRow] {
        var rows: [EventRow] = []
        rows.reserveCapacity(positions.count)
        for start in stride(from: 0, to: positions.count, by: Self.walkCount) {
            let part = positions[start..<min(start + Self.walkCount, positions.count)]
            try reads.use("reading \(positions.count) rows") { db in
                try db.inSnapshot {
                    let statement = try db.cachedStatement(sql: RowSelection.rowAtPosition)
                    for position in part {
                        _ = try read(position, statement, db, into: &rows)
                    }
                }
            }
        }
        return rows
    }

    /// A stream's rows, newest first, by following each row to the one before it.
    /// - Throws: `.damaged` when a row follows a later one, one that is missing or one of another stream.
    public func stream(endingAt position: Int64) throws -> [EventRow] {
        var rows: [EventRow] = []
        rows.reserveCapacity(16)
        var next = position
        while next >= 1 {
            let countBefore = rows.count
            try reads.use("reading the stream that ends at position \(position)") { db in
                try db.inSnapshot {
                    let statement = try db.cachedStatement(sql: RowSelection.rowAtPosition)
                    while next >= 1, rows.count - countBefore < Self.walkCount,
                        try read(next, statement, db, into: &rows)
                    {
                        try checkLastLink(rows)
                        next = rows[rows.count - 1].previous
                    }
                }
            }
            guard rows.count - countBefore == Self.walkCount else { break }
        }
        // An unknown position has no stream; a row that follows an unknown one is damaged.
        if let oldest = rows.last, next >= 1 {
            throw brokenChain(
                oldest.event, after: oldest.previous,
                next < oldest.event.position ? "which is missing" : "which is not before it")
        }
        return rows
    }

    /// Whether the last row may stand before the one that was read before it.
    private func checkLastLink(_ rows: [EventRow]) throws {
        let last = rows.count - 1
        guard last > 0 else { return }
        let (older, newer) = (rows[last].event, rows[last - 1].event)
        let previous = rows[last - 1].previous
        guard older.position < newer.position else {
            throw brokenChain(newer, after: previous, "which is not before it")
        }
        guard older.stream == newer.stream else {
            throw brokenChain(newer, after: previous, "which is in stream \(older.stream)")
        }
    }

    func brokenChain(_ event: Event, after previous: Int64, _ reason: String) -> StoreError {
        StoreError.damaged(
            file.path,
            "position \(event.position) of stream \(event.stream) "
                + "follows \(previous), \(reason)")
    }

    /// The last position recorded by a time; 0 when there is none.
    /// - Complexity: O(log *n*) rows read: the recorded time never goes back.
    public func position(recordedAtOrBefore instant: Int64) throws -> Int64 {
        try reads.use("looking for what was recorded by \(instant)") { [file] db in
            var low: Int64 = 0
            try db.inSnapshot {
                let last = try db.number("SELECT max(position) FROM events", []) ?? 0
                var high = min(last, AppendGround.positionMax)
                while low < high {
                    let middle = low + (high - low + 1) / 2
                    let sql = "SELECT recorded_at FROM events WHERE position = ?"
                    guard let recordedAt = try db.number(sql, [middle]) else {
                        throw StoreError.damaged(file.path, "position \(middle) is missing")
                    }
                    if recordedAt <= instant { low = middle } else { high = middle - 1 }
                }
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
    /// appends. While there is none it is a look into memory.
    /// - Throws: `.closed`; `.readOnly` in a folder that cannot be written, when another process began to write to the
    ///   ledger all the same: only opening it again shows what is new (rule 29).
    public func foreignChangeCounter() throws -> Int64 {
        try reads.checkUnchanged()
        try lookWhenDue()
        return try counter.withLock { counter in
            if let count = counter?.look() { return count }
            var asked = try counter ?? ChangeCounter(reads.open())
            defer { counter = asked }
            return try reads.run("looking for new events", on: asked.connection) {
                try asked.ask($0)
            }
        }
    }

    /// Whether a look for commits of others needs no statement; so it is from the second one on, of a ledger that can
    /// change.
    package var looksIntoMemory: Bool { counter.withLock { $0?.isInMemory ?? false } }

    /// Everything that the store can check about itself; empty when all is well.
    /// - Complexity: O(*n*): reads the whole file.
    public func findings() throws -> [String] {
        var inspection = LedgerInspection(reads: reads, file: file, schema: schema)
        return try inspection.run()
    }

    /// Chunks of a fixed range: events are never changed, so each chunk may have a transaction of
    /// its own.
    func chunks<Element>(
        _ sql: String, _ start: Checkpoint, _ end: Checkpoint, _ chunkCount: Int,
        _ element: (OpaquePointer, inout RowClaims) -> Element,
        _ body: ([Element]) throws -> Void
    ) throws {
        var last = max(0, start.position)
        let count = max(1, chunkCount)
        var chunk: [Element] = []
        chunk.reserveCapacity(min(count, Self.pageCount))
        while last < end.position {
            // The memory of the last chunk is used again, unless the body kept it.
            chunk.removeAll(keepingCapacity: true)
            var known = bounds.withLock { $0 }
            var claims = RowClaims()
            try reads.use("reading events after position \(last)") { db in
                try db.forEachRow(sql, [last, end.position, Int64(count)]) { row in
                    chunk.append(element(row, &claims))
                    guard claims.position == last &+ 1 else {
                        throw StoreError.damaged(
                            file.path, "position \(claims.position) follows position \(last)")
                    }
                    if !known.admit(claims) { try admit(claims, &known, db) }
                    last = claims.position
                }
            }
            guard !chunk.isEmpty else { return }
            try body(chunk)
        }
    }

    /// Counts streams and names again: others may have added some since.
    func admit(_ claims: RowClaims, _ known: inout RowBounds, _ db: Database) throws {
        try known.refresh(db, file.path)
        bounds.withLock { [known] in $0.merge(known) }
        guard known.admit(claims) else { throw known.refusal(of: claims, file.path) }
    }

    /// Appends the row at a position.
    /// - Returns: Whether there is one.
    private func read(
        _ position: Int64, _ statement: Statement, _ db: Database, into rows: inout [EventRow]
    ) throws -> Bool {
        let countBefore = rows.count
        var claims = RowClaims()
        try db.forEachRow(statement, of: position) { row in
            rows.append(RowSelection.row(row, &claims))
        }
        guard rows.count > countBefore else { return false }
        var known = bounds.withLock { $0 }
        if !known.admit(claims) { try admit(claims, &known, db) }
        return true
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
