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

    /// Whole rows by position, in the given order; unknown positions are left out. Of one moment are the rows between
    /// two unknown ones, and at most a thousand.
    /// - Throws: `.damaged` for a row that is in no stream or uses no name of this ledger.
    public func rows(at positions: [Int64]) throws -> [EventRow] {
        var rows: [EventRow] = []
        rows.reserveCapacity(positions.count)
        var index = 0
        while index < positions.count {
            let end = min(index + Self.walkCount, positions.count)
            try reads.use("reading \(positions.count) rows") { db in
                var known = bounds.withLock { $0 }
                while index < end {
                    let missing = try db.walk(RowSelection.rowsOfWalk, from: positions[index]) {
                        row in
                        try take(row, db, &known, into: &rows)
                        index += 1
                        // None is below 1; the walk would take it for its end.
                        return index < end ? max(positions[index], 0) : 0
                    }
                    if missing != nil || (index < end && positions[index] < 1) { index += 1 }
                }
            }
        }
        return rows
    }

    /// A stream's rows, newest first, by following each row to the one before it.
    /// - Throws: `.damaged` when a row follows a later one, one that is missing or one of another stream.
    public func stream(endingAt position: Int64) throws -> [EventRow] {
        var rows: [EventRow] = []
        var next = position
        while next >= 1 {
            let missing = try reads.use("reading the stream that ends at position \(position)") {
                db in
                var known = bounds.withLock { $0 }
                let end = rows.count + Self.walkCount
                return try db.walk(RowSelection.rowsOfWalk, from: next) { row in
                    try take(row, db, &known, into: &rows)
                    if rows.count == 1 {
                        // A damaged version says nothing about how much space is needed.
                        let count = min(max(rows[0].streamVersion, 1), Int64(Self.walkCount))
                        rows.reserveCapacity(Int(count))
                    }
                    try checkLastLink(rows)
                    next = rows[rows.count - 1].previous
                    return rows.count < end ? next : 0
                }
            }
            if missing != nil { break }
        }
        // An unknown position has no stream; a row that follows an unknown one is damaged.
        if let oldest = rows.last, next >= 1 {
            throw brokenChain(oldest.event, after: oldest.previous, "which is missing")
        }
        return rows
    }

    /// Whether the last row may stand before the one that was read before it, and after the one that it names.
    private func checkLastLink(_ rows: [EventRow]) throws {
        let last = rows.count - 1
        let oldest = rows[last]
        guard oldest.previous < oldest.event.position else {
            throw brokenChain(oldest.event, after: oldest.previous, "which is not before it")
        }
        guard last > 0 else { return }
        let newer = rows[last - 1].event
        guard oldest.event.stream == newer.stream else {
            throw brokenChain(
                newer, after: oldest.event.position, "which is in stream \(oldest.event.stream)")
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

    /// Appends a row that fits the rest of the ledger.
    private func take(
        _ row: OpaquePointer, _ db: Database, _ known: inout RowBounds,
        into rows: inout [EventRow]
    ) throws {
        var claims = RowClaims()
        rows.append(RowSelection.row(row, &claims))
        if !known.admit(claims) { try admit(claims, &known, db) }
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
