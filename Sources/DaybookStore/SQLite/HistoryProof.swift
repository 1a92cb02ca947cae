import DaybookEvents
import GRDB

/// Works the hash over a history out again from the rows of a file, and compares it with every block, mark and
/// end that the file names; inside of one transaction.
struct HistoryProof {
    let db: Database
    let file: LedgerFile
    let header: StoreHeader

    private static let chunkCount: Int64 = 4_096

    /// Proves everything, also what the hash does not cover: that each row continues its stream, and that the
    /// documents of catalogs and reports are there.
    /// - Parameter progress: Events hashed, and events in all.
    /// - Returns: The end of the history.
    /// - Throws: `.damaged` with the first place that does not fit; what `progress` throws.
    func run(progress: (Int64, Int64) throws -> Void) throws -> HistoryPoint {
        let head = try HistoryHead.fitting(db, file.path).head
        var marks = try MarkProof(db, file)
        let chains = try chains(&marks)
        guard chains.names == head.names, chains.streams == head.streams else {
            throw damage("its names or streams are not those that were committed")
        }
        let cursor = HistoryCursor(
            ledgerID: header.ledgerID, epoch: head.point.epoch, tree: HistoryTree(),
            names: chains.names, streams: chains.streams)
        var walk = StreamWalk(streamCount: Int(head.point.streamCount))
        try run(cursor, to: head.point, progress: progress) { row in
            if let reason = walk.problem(row) { throw damage(reason) }
        } complete: { cursor in
            try marks.compare(cursor)
        }
        try checkDocuments(walk.documents)
        return head.point
    }

    /// Proves what comes after a place that is known to be in the history.
    /// - Parameter progress: Events hashed, and events of that part in all.
    /// - Throws: As `run`.
    func run(
        after start: HistoryPoint, progress: (Int64, Int64) throws -> Void
    ) throws -> HistoryPoint {
        let head = try HistoryHead.fitting(db, file.path).head
        let reading = HistoryReading(db: db, file: file, header: header)
        var cursor = try reading.cursor(at: start)
        guard cursor.point.hash == start.hash else {
            throw damage(
                "the events up to position \(start.position) are not those that were committed")
        }
        try reading.appendNames(through: head.point, to: &cursor)
        try run(
            cursor, to: head.point,
            progress: { try progress($0 - start.position, $1 - start.position) }, visit: { _ in },
            complete: { _ in })
        return head.point
    }

    private func run(
        _ start: HistoryCursor, to end: HistoryPoint, progress: (Int64, Int64) throws -> Void,
        visit: (EventRow) throws -> Void, complete: (HistoryCursor) throws -> Void
    ) throws {
        var cursor = start
        var digests = StoredRowDigests(db: db, file: file, secret: header.secret)
        while cursor.position < end.position {
            let before = cursor.position
            let entries = try digests.entries(
                after: before, through: min(end.position, before + Self.chunkCount), visit)
            guard !entries.isEmpty else { throw damage("position \(before + 1) is missing") }
            try cursor.append(
                count: entries.count, entry: { entries[$0] },
                complete: {
                    try compare($0, block: $1, leaf: $2)
                    try complete($0)
                })
            try progress(cursor.position, end.position)
        }
        guard cursor.point.hash == end.hash else {
            throw damage("the events after the last whole block are not those that were committed")
        }
    }

    private func chains(_ marks: inout MarkProof) throws -> (
        names: HistoryChain, streams: HistoryChain
    ) {
        var (names, streams) = (HistoryChain(), HistoryChain())
        marks.note(names: names)
        marks.note(streams: streams)
        try db.forEachRow("SELECT text FROM names ORDER BY id") {
            names.append(name: StoredText.plain($0, 0))
            marks.note(names: names)
        }
        try db.forEachRow("SELECT id, environment, kind, name FROM streams ORDER BY id") {
            streams.append(stream: try StreamRecord(row: $0, file))
            marks.note(streams: streams)
        }
        return (names, streams)
    }

    private func compare(_ cursor: HistoryCursor, block: Int64, leaf: HistoryHash) throws {
        var stored: HistoryHash?
        try db.forEachRow("SELECT hash FROM history_blocks WHERE id = ?", [block]) {
            stored = $0.historyHash(0)
        }
        guard stored == leaf else {
            throw damage(
                "the events from position \(cursor.position - HistoryCursor.blockCount + 1) to \(cursor.position) are not "
                    + "those that were committed")
        }
    }

    private func checkDocuments(_ named: Set<String>) throws {
        var missing = named
        var last: Int64 = 0
        try db.forEachRow("SELECT sha256, bytes, id FROM documents ORDER BY id") { row in
            let expected = StoredText.plain(row, 0)
            guard Digest.hexadecimal(Digest.sha256(row.blob(1))) == expected else {
                throw damage("the document \(expected) has other bytes")
            }
            let id = row.integer(2)
            guard id == last + 1 else { throw damage("document \(last + 1) is missing") }
            last = id
            missing.remove(expected)
        }
        guard let first = missing.min() else { return }
        throw damage("the document \(first) is missing")
    }

    private func damage(_ reason: String) -> StoreError { .damagedBackup(file, reason) }
}

extension StoreError {
    fileprivate static func damagedBackup(_ file: LedgerFile, _ reason: String) -> StoreError {
        StoreError(.damaged, "\(file.path) is damaged: \(reason); use another backup")
    }
}

/// What the marks of a file say, compared with what the rows lead to.
private struct MarkProof {
    private struct Mark {
        var position: Int64
        var tree: [UInt8]
        var names: HistoryChain
        var streams: HistoryChain
        var hash: HistoryHash
    }

    private let file: LedgerFile
    private var marks: [Mark] = []
    /// The chains that were found at the counts that marks name.
    private var names: Set<HistoryChain> = []
    private var streams: Set<HistoryChain> = []
    private let nameCounts: Set<Int64>
    private let streamCounts: Set<Int64>
    private var next = 0

    init(_ db: Database, _ file: LedgerFile) throws {
        self.file = file
        var marks: [Mark] = []
        try db.forEachRow(
            """
            SELECT position, tree, names, name_hash, streams, stream_hash, hash \
            FROM history_marks ORDER BY position
            """
        ) { row in
            guard let names = row.historyHash(3), let streams = row.historyHash(5),
                let hash = row.historyHash(6)
            else { throw StoreError.damagedBackup(file, "a mark holds no hashes") }
            marks.append(
                Mark(
                    position: row.integer(0), tree: Array(row.blob(1)),
                    names: HistoryChain(count: row.integer(2), hash: names),
                    streams: HistoryChain(count: row.integer(4), hash: streams),
                    hash: hash))
        }
        self.marks = marks
        nameCounts = Set(marks.map(\.names.count))
        streamCounts = Set(marks.map(\.streams.count))
    }

    mutating func note(names chain: HistoryChain) {
        if nameCounts.contains(chain.count) { names.insert(chain) }
    }

    mutating func note(streams chain: HistoryChain) {
        if streamCounts.contains(chain.count) { streams.insert(chain) }
    }

    /// - Parameter cursor: At the end of a block.
    mutating func compare(_ cursor: HistoryCursor) throws {
        guard cursor.position % HistoryCursor.markCount == 0 else { return }
        guard next < marks.count, marks[next].position == cursor.position else {
            throw StoreError.damagedBackup(
                file, "the mark at position \(cursor.position) is missing")
        }
        let mark = marks[next]
        next += 1
        let there = HistoryCursor(going: cursor, names: mark.names, streams: mark.streams)
        guard mark.tree == cursor.tree.bytes, names.contains(mark.names),
            streams.contains(mark.streams), there.point.hash == mark.hash
        else {
            throw StoreError.damagedBackup(
                file, "the mark at position \(cursor.position) does not fit")
        }
    }
}

/// Follows every stream from row to row, and collects the documents that rows name.
private struct StreamWalk {
    private var ends: [(position: Int64, version: Int64)]
    private(set) var documents: Set<String> = []

    init(streamCount: Int) {
        ends = Array(repeating: (0, 0), count: max(0, streamCount))
    }

    /// - Returns: What is wrong with the row; `nil`: nothing.
    mutating func problem(_ row: EventRow) -> String? {
        let place = Int(row.event.stream) - 1
        guard ends.indices.contains(place) else {
            return
                "the event at position \(row.event.position) is in stream \(row.event.stream), which does not exist"
        }
        let end = ends[place]
        guard row.previous == end.position, Int64(row.streamVersion) == end.version + 1 else {
            return "the event at position \(row.event.position) does not continue its stream"
        }
        ends[place] = (row.event.position, end.version + 1)
        if row.event.type.hasDocument, let document = row.reference {
            documents.insert(document)
        }
        return nil
    }
}
