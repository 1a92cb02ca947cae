import DaybookEvents
import GRDB
import GRDBSQLite

/// Works the hash over a whole history out again from the rows of a file, and compares it with every block, mark and
/// end that the file names.
struct HistoryProof {
    let db: Database
    let file: LedgerFile
    let header: StoreHeader

    private static let chunkCount: Int64 = 4_096

    /// - Parameter progress: Events hashed, and events in all.
    /// - Returns: The end of the history.
    /// - Throws: `.damaged` with the first place that does not fit; what `progress` throws.
    func run(progress: (Int64, Int64) throws -> Void) throws -> HistoryPoint {
        let head = try HistoryHead.required(db, file.path)
        let last = try db.number("SELECT max(position) FROM events", []) ?? 0
        guard last == head.point.position else {
            throw StoreError.strayEvents(file.path, last, named: head.point.position)
        }
        let chains = try chains()
        guard chains.names == head.names, chains.streams == head.streams else {
            throw damage("its names or streams are not those that were committed")
        }
        var cursor = HistoryCursor(
            ledgerID: header.ledgerID, epoch: head.point.epoch, tree: HistoryTree(),
            names: chains.names, streams: chains.streams)
        var digests = StoredRowDigests(db: db, file: file, secret: header.secret)
        while cursor.position < last {
            let before = cursor.position
            let entries = try digests.entries(
                after: before, through: min(last, before + Self.chunkCount))
            guard !entries.isEmpty else { throw damage("position \(before + 1) is missing") }
            try cursor.append(
                count: entries.count, entry: { entries[$0] },
                complete: { try compare($0, block: $1, leaf: $2) })
            try progress(cursor.position, last)
        }
        guard cursor.point.hash == head.point.hash else {
            throw damage("the events after the last whole block are not those that were committed")
        }
        try checkDocuments()
        return head.point
    }

    private func chains() throws -> (names: HistoryChain, streams: HistoryChain) {
        var (names, streams) = (HistoryChain(), HistoryChain())
        try db.forEachRow("SELECT text FROM names ORDER BY id") {
            names.append(name: StoredText.plain($0, 0))
        }
        try db.forEachRow("SELECT id, environment, kind, name FROM streams ORDER BY id") {
            streams.append(stream: try StreamRecord(row: $0, file))
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
        guard cursor.position % HistoryCursor.markCount == 0 else { return }
        var isTree = false
        try db.forEachRow("SELECT tree FROM history_marks WHERE position = ?", [cursor.position]) {
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob($0, 0), count: Int(sqlite3_column_bytes($0, 0)))
            isTree = bytes.elementsEqual(cursor.tree.bytes)
        }
        guard isTree else { throw damage("the mark at position \(cursor.position) does not fit") }
    }

    private func checkDocuments() throws {
        try db.forEachRow("SELECT sha256, bytes FROM documents ORDER BY id") { row in
            let expected = StoredText.plain(row, 0)
            let start = sqlite3_column_blob(row, 1)
            let bytes = UnsafeRawBufferPointer(
                start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(row, 1)))
            guard Digest.hexadecimal(Digest.sha256(bytes)) == expected else {
                throw damage("the document \(expected) has other bytes")
            }
        }
    }

    private func damage(_ reason: String) -> StoreError {
        StoreError(.damaged, "\(file.path) is damaged: \(reason); use another backup")
    }
}
