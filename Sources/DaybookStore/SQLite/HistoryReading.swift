import DaybookEvents
import GRDB

/// Finds places in the history of a file, inside of one transaction.
struct HistoryReading {
    let db: Database
    let file: LedgerFile
    let header: StoreHeader

    /// The name of the history at its end.
    func head() throws -> HistoryHead { try HistoryHead.required(db, file.path) }

    /// The cursor at the end, made anew from the last mark, the leaves after it and the rows of the open block.
    /// - Throws: `.damaged` when that does not lead to the hash that the file names.
    func cursor(_ head: HistoryHead) throws -> HistoryCursor {
        let cursor = try cursor(
            at: head.point.position, epoch: head.point.epoch, head.names, head.streams)
        try StoreError.requireIntact(
            cursor.point.hash == head.point.hash, file.path,
            "the events up to position \(head.point.position) are not those that were committed")
        return cursor
    }

    /// The cursor of another file's place or of a process that went on from there, moved to the end.
    /// - Returns: `nil` when it does not lead there: it is of another past.
    func advanced(_ known: HistoryCursor, to head: HistoryHead) throws -> HistoryCursor? {
        guard known.position <= head.point.position,
            head.point.position - known.position < HistoryCursor.blockCount
        else { return nil }
        var cursor = known
        try appendNames(through: head.point, to: &cursor)
        try append(through: head.point.position, to: &cursor)
        cursor.epoch = head.point.epoch
        return cursor.point.hash == head.point.hash ? cursor : nil
    }

    /// The name of everything up to a position.
    /// - Parameters:
    ///   - names: How many of the ledger's names it covers.
    ///   - streams: How many of the ledger's streams.
    /// - Returns: `nil` beyond the end.
    func point(at position: Int64, names: Int64, streams: Int64) throws -> HistoryPoint? {
        let head = try head()
        guard position >= 0, position <= head.point.position, names >= 0,
            names <= head.point.nameCount, streams >= 0, streams <= head.point.streamCount
        else { return nil }
        if let mark = try mark(at: position), mark.nameCount == names, mark.streamCount == streams {
            return mark
        }
        return try cursor(
            at: position, epoch: head.point.epoch, try nameChain(names, head),
            try streamChain(streams, head)
        ).point
    }

    /// The cursor at a position without names and streams.
    /// - Returns: `nil` beyond the end.
    func eventCursor(at position: Int64) throws -> HistoryCursor? {
        guard position >= 0, position <= (try head()).point.position else { return nil }
        return try cursor(at: position, epoch: 1, HistoryChain(), HistoryChain())
    }

    /// The name of everything up to a mark, with the names and streams that it counts.
    func mark(at position: Int64) throws -> HistoryPoint? {
        var point: HistoryPoint?
        try db.forEachRow(
            "SELECT names, streams, hash FROM history_marks WHERE position = ?", [position]
        ) { row in
            guard let hash = row.historyHash(2) else { return }
            point = HistoryPoint(
                position: position, epoch: 0, nameCount: row.integer(0),
                streamCount: row.integer(1), hash: hash)
        }
        return point
    }

    // MARK: Steps

    /// The cursor at a position, from what the file names for it.
    func cursor(at point: HistoryPoint) throws -> HistoryCursor {
        let head = try head()
        return try cursor(
            at: point.position, epoch: point.epoch, try nameChain(point.nameCount, head),
            try streamChain(point.streamCount, head))
    }

    private func cursor(
        at position: Int64, epoch: Int64, _ names: HistoryChain, _ streams: HistoryChain
    ) throws -> HistoryCursor {
        var cursor = HistoryCursor(
            ledgerID: header.ledgerID, epoch: epoch,
            tree: try tree(through: position / HistoryCursor.blockCount), names: names,
            streams: streams)
        try append(through: position, to: &cursor)
        return cursor
    }

    /// The tree over the first blocks: that of the last mark, and the leaves after it.
    private func tree(through blockCount: Int64) throws -> HistoryTree {
        var tree = HistoryTree()
        let last = blockCount * HistoryCursor.blockCount
        try db.forEachRow(
            """
            SELECT position, tree FROM history_marks WHERE position <= ? \
            ORDER BY position DESC LIMIT 1
            """, [last]
        ) { row in
            let count = row.integer(0) / HistoryCursor.blockCount
            guard let known = HistoryTree(count: count, bytes: Array(row.blob(1))) else {
                throw damage("the mark at position \(count * HistoryCursor.blockCount) is no tree")
            }
            tree = known
        }
        try db.forEachRow(
            "SELECT id, hash FROM history_blocks WHERE id > ? AND id <= ? ORDER BY id",
            [tree.count, blockCount]
        ) { row in
            guard row.integer(0) == tree.count + 1, let leaf = row.historyHash(1)
            else { throw damage("the leaf of block \(tree.count + 1) is missing") }
            tree.append(leaf)
        }
        try StoreError.requireIntact(
            tree.count == blockCount, file.path, "the leaf of block \(tree.count + 1) is missing")
        return tree
    }

    /// Goes along the rows after a cursor.
    private func append(through last: Int64, to cursor: inout HistoryCursor) throws {
        var digests = StoredRowDigests(db: db, file: file, secret: header.secret)
        let rows = try digests.entries(after: cursor.position, through: last)
        try StoreError.requireIntact(
            Int64(rows.count) == last - cursor.position, file.path,
            "of the positions \(cursor.position + 1) to \(last) only \(rows.count) are there")
        cursor.append(count: rows.count) { rows[$0] }
    }

    private func nameChain(_ count: Int64, _ head: HistoryHead) throws -> HistoryChain {
        if count == head.point.nameCount { return head.names }
        var chain = try chain(count, "names", "name_hash")
        for name in try texts(after: chain.count, through: count) { chain.append(name: name) }
        guard chain.count == count else { throw damage("name \(chain.count + 1) is missing") }
        return chain
    }

    private func streamChain(_ count: Int64, _ head: HistoryHead) throws -> HistoryChain {
        if count == head.point.streamCount { return head.streams }
        var chain = try chain(count, "streams", "stream_hash")
        for stream in try records(after: chain.count, through: count) {
            chain.append(stream: stream)
        }
        guard chain.count == count else { throw damage("stream \(chain.count + 1) is missing") }
        return chain
    }

    /// The last chain of a mark that is no longer than wanted.
    private func chain(_ count: Int64, _ column: String, _ hashColumn: String) throws
        -> HistoryChain
    {
        var chain = HistoryChain()
        try db.forEachRow(
            """
            SELECT \(column), \(hashColumn) FROM history_marks WHERE \(column) <= ? \
            ORDER BY position DESC LIMIT 1
            """, [count]
        ) { row in
            guard let hash = row.historyHash(1) else { return }
            chain = HistoryChain(count: row.integer(0), hash: hash)
        }
        return chain
    }

    /// Takes up the names and streams that came after a cursor, up to a place in the history.
    func appendNames(through point: HistoryPoint, to cursor: inout HistoryCursor) throws {
        for name in try texts(after: cursor.names.count, through: point.nameCount) {
            cursor.append(name: name)
        }
        for stream in try records(after: cursor.streams.count, through: point.streamCount) {
            cursor.append(stream: stream)
        }
    }

    private func texts(after count: Int64, through last: Int64) throws -> [String] {
        guard count < last else { return [] }
        var texts: [String] = []
        try db.forEachRow(
            "SELECT text FROM names WHERE id > ? AND id <= ? ORDER BY id", [count, last]
        ) { texts.append(StoredText.plain($0, 0)) }
        return texts
    }

    private func records(after count: Int64, through last: Int64) throws -> [StreamRecord] {
        var records: [StreamRecord] = []
        try db.forEachRow(
            """
            SELECT id, environment, kind, name FROM streams WHERE id > ? AND id <= ? ORDER BY id
            """, [count, last]
        ) { records.append(try StreamRecord(row: $0, file)) }
        return records
    }

    private func damage(_ reason: String) -> StoreError {
        .damaged(file.path, reason)
    }
}

extension StreamRecord {
    /// Reads the columns id, environment, kind, name.
    /// - Throws: `.damaged` for an environment or a kind that was never released, and for numbers that no stream or
    ///   name has.
    init(row: OpaquePointer, _ file: LedgerFile) throws {
        let (number, nameNumber) = (row.integer(0), row.integer(3))
        guard let id = UInt32(exactly: number), let environment = Environment(column: row, 1),
            let kind = StreamKind(column: row, 2), let name = NameID(exactly: nameNumber)
        else {
            throw StoreError.damaged(
                file.path,
                "stream \(number) has an unknown environment or kind, or the name \(nameNumber), "
                    + "which nothing has")
        }
        self.init(id: id, environment: environment, kind: kind, name: name)
    }
}

/// Works out the digests of rows from what stands in the file.
struct StoredRowDigests {
    private let db: Database
    private let file: LedgerFile
    private let digest: RowDigest
    private var names: [NameID: String] = [:]
    private var streams: [UInt32: StreamName] = [:]

    init(db: Database, file: LedgerFile, secret: LedgerSecret) {
        self.db = db
        self.file = file
        digest = RowDigest(secret)
    }

    /// So many texts are kept at hand.
    private static let keptCountMax = 100_000

    /// The rows of a range, as a cursor goes along them.
    /// - Parameter visit: Sees each row.
    mutating func entries(
        after start: Int64, through end: Int64, _ visit: (EventRow) throws -> Void = { _ in }
    ) throws -> [HistoryCursor.Entry] {
        var rows: [EventRow] = []
        var claims = RowClaims()
        try db.forEachRow(RowSelection.rowsOfRange, [start, end, Int64.max]) { row in
            rows.append(RowSelection.row(row, &claims))
            let expected = start + Int64(rows.count)
            try StoreError.requireIntact(
                !claims.isTooWide && claims.position == expected, file.path,
                "position \(expected) is missing or holds a number that does not fit")
        }
        var entries: [HistoryCursor.Entry] = []
        entries.reserveCapacity(rows.count)
        for row in rows {
            try visit(row)
            entries.append(try entry(row))
        }
        return entries
    }

    /// The digests of rows that a batch brings, whose names and streams are in the file by now.
    mutating func entry(_ row: EventRow) throws -> HistoryCursor.Entry {
        if names.count > Self.keptCountMax { names.removeAll() }
        if streams.count > Self.keptCountMax { streams.removeAll() }
        let stream = try stream(row.event.stream)
        let names = try RowDigest.Names(row.event) { try name($0) }
        return HistoryCursor.Entry(
            recordedAt: row.recordedAt, digest: digest.of(row, names, in: stream))
    }

    private mutating func name(_ id: NameID) throws -> String {
        if id == 0 { return "" }
        if let known = names[id] { return known }
        var text: String?
        try db.forEachRow("SELECT text FROM names WHERE id = ?", [Int64(id)]) {
            text = StoredText.plain($0, 0)
        }
        guard let text else {
            throw StoreError.damaged(file.path, "name \(id) is missing")
        }
        names[id] = text
        return text
    }

    private mutating func stream(_ id: UInt32) throws -> StreamName {
        if let known = streams[id] { return known }
        var record: StreamRecord?
        try db.forEachRow(
            "SELECT id, environment, kind, name FROM streams WHERE id = ?", [Int64(id)]
        ) { record = try StreamRecord(row: $0, file) }
        guard let record else {
            throw StoreError.damaged(file.path, "stream \(id) is missing")
        }
        let name = StreamName(record.environment, record.kind, try name(record.name))
        streams[id] = name
        return name
    }
}
