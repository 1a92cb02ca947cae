import DaybookEvents
import GRDB

/// Reading names and streams: numbered from 1 without gaps, so that a number is a place in an array.
extension SQLiteEventStore {
    private static let pageCount = 10_000

    /// Names with numbers above a count, in order.
    /// - Throws: `.damaged` where a number is missing or a name is empty: all later names would be taken for others.
    public func names(after count: Int) throws -> [String] {
        let sql = "SELECT id, text FROM names WHERE id > ? ORDER BY id LIMIT ?"
        let start = max(0, Int64(count))
        let names = try pages("name", sql, after: start) { [file] row in
            let text = StoredText.plain(row, 1)
            try StoreError.requireIntact(
                !text.isEmpty, file.path, "name \(row.integer(0)) is empty")
            return text
        }
        bounds.withLock { $0.noteNames(after: start, through: start + Int64(names.count)) }
        return names
    }

    /// Streams with numbers above a number, in order.
    /// - Throws: `.damaged` where a number is missing, for a name that does not exist, and for an environment or kind
    ///   that was never released.
    public func streams(after id: UInt32) throws -> [StreamRecord] {
        let sql = """
            SELECT id, environment, kind, name, (SELECT max(id) FROM names) FROM streams \
            WHERE id > ? ORDER BY id LIMIT ?
            """
        let start = Int64(id)
        let streams = try pages("stream", sql, after: start) { [file] row in
            let stream = try StreamRecord(row: row, file)
            let nameCount = row.integer(4)
            try StoreError.requireIntact(
                stream.name <= nameCount, file.path,
                "stream \(stream.id) has name \(stream.name), "
                    + "but there are \(nameCount) names")
            return stream
        }
        bounds.withLock { $0.noteStreams(after: start, through: start + Int64(streams.count)) }
        return streams
    }

    private func pages<Element>(
        _ noun: String, _ sql: String, after start: Int64,
        _ element: (OpaquePointer) throws -> Element
    ) throws -> [Element] {
        var all: [Element] = []
        var last = start
        while true {
            let countBefore = all.count
            try reads.use("reading \(noun)s after \(last)") { db in
                try db.forEachRow(sql, [last, Int64(Self.pageCount)]) { row in
                    let number = row.integer(0)
                    try StoreError.requireIntact(
                        number == last &+ 1, file.path, "\(noun) \(number) follows \(noun) \(last)")
                    all.append(try element(row))
                    last = number
                }
            }
            if all.count - countBefore < Self.pageCount { return all }
        }
    }
}

extension RawRepresentable<UInt8> {
    /// Reads a column; `nil` for a number that none of the cases has.
    init?(column row: OpaquePointer, _ index: CInt) {
        guard let value = UInt8(exactly: row.integer(index)) else { return nil }
        self.init(rawValue: value)
    }
}
