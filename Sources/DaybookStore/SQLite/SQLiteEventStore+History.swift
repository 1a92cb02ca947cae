import DaybookEvents
import GRDB

/// The name of the file's history, at its end and before.
extension SQLiteEventStore: EventCursorStore {
    /// The last event and the name of everything up to it.
    /// - Throws: `.damaged` when events were added or removed by another program.
    public func end() throws -> StoreEnd {
        try reads.use("reading the end of the history") { [file, schema] db in
            // A newer program may have migrated the file since it was opened: it is not half-read.
            try LedgerHeader.checkVersion(db, file.path, schema)
            var end: StoreEnd?
            // One statement sees one moment; a transaction would cost more than the statement.
            try db.forEachRow(Self.endSQL) { row in
                guard let hash = row.historyHash(4) else { return }
                end = StoreEnd(
                    head: StoreHead(position: row.integer(5), recordedAt: row.integer(6)),
                    history: HistoryPoint(
                        position: row.integer(0), epoch: row.integer(1),
                        nameCount: row.integer(2), streamCount: row.integer(3), hash: hash))
            }
            guard let end else { throw StoreError.nameless(file.path) }
            guard end.head.position == end.history.position else {
                throw StoreError.strayEvents(
                    file.path, end.head.position, named: end.history.position)
            }
            return end
        }
    }

    private static let endSQL = """
        SELECT position, epoch, names, streams, hash, \
        (SELECT position FROM events ORDER BY position DESC LIMIT 1), \
        (SELECT recorded_at FROM events ORDER BY position DESC LIMIT 1) FROM history_head
        """

    /// The name of the history up to a position.
    public func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint? {
        try reading { reading in
            let all = try reading.mark(at: position) ?? reading.head().point
            return try reading.point(
                at: position, names: names ?? all.nameCount, streams: streams ?? all.streamCount)
        }
    }

    /// Whether the file's history has this one for its beginning.
    public func confirms(_ point: HistoryPoint) throws -> Bool {
        try reading { reading in
            let found = try reading.point(
                at: point.position, names: point.nameCount, streams: point.streamCount)
            return found?.hash == point.hash
        }
    }

    /// The cursor after the event at a position, without names and streams; `nil` beyond the end.
    public func storedEventCursor(at position: Int64) throws -> HistoryCursor? {
        try reading { try $0.eventCursor(at: position) }
    }

    private func reading<Result>(_ body: (HistoryReading) throws -> Result) throws -> Result {
        try reads.use("reading the history") { [file, header] db in
            try db.inSnapshot { try body(HistoryReading(db: db, file: file, header: header)) }
        }
    }

    static func head(_ db: Database, _ file: LedgerFile) throws -> StoreHead {
        var head = StoreHead(position: 0, recordedAt: 0)
        try db.forEachRow("SELECT position, recorded_at FROM events ORDER BY position DESC LIMIT 1")
        { row in
            head.position = row.integer(0)
            head.recordedAt = row.integer(1)
        }
        try StoreError.requireIntact(
            (0...AppendGround.positionMax).contains(head.position), file.path,
            "its last event is at position \(head.position), and no position is below 1 or "
                + "above \(AppendGround.positionMax)")
        return head
    }
}

extension StoreError {
    static func nameless(_ path: String) -> StoreError {
        StoreError.damaged(path, "it does not name its history")
    }

    /// Events that no commit of Daybook brought, or took away.
    static func strayEvents(_ path: String, _ position: Int64, named: Int64) -> StoreError {
        StoreError.damaged(
            path,
            "its last event is at position \(position), but its history ends at \(named); another "
                + "program added or removed events")
    }
}
