/// What the tables beside the events say, read in one transaction before the walk.
struct PlainHead {
    /// A row of `history_marks`.
    struct Mark {
        var tree: [UInt8]
        var names: Int64
        var nameLink: PlainHash?
        var streams: Int64
        var streamLink: PlainHash?
        var hash: PlainHash?
    }

    private(set) var ledger: [UInt8] = []
    private(set) var secret: PlainSecret?
    /// The last numbers.
    private(set) var position: Int64 = 0
    private(set) var nameCount: Int64 = 0
    private(set) var streamCount: Int64 = 0
    private(set) var documentCount: Int64 = 0
    /// The row of `history_head`, and its position.
    private(set) var head: (position: Int64, mark: Mark)?
    private(set) var epoch: Int64 = 0
    private(set) var marks: [Int64: Mark] = [:]
    private(set) var blocks: [Int64: PlainHash] = [:]

    init(_ connection: PlainConnection) throws {
        try connection.each("BEGIN") { _ in }
        defer {
            // Nothing was written; a connection that fails here fails at the next statement, too.
            try? connection.each("COMMIT") { _ in }
        }
        try connection.each("SELECT key, value FROM meta") { row in
            switch String(decoding: row.bytes(0), as: UTF8.self) {
            case "ledger_id": ledger = Array(row.bytes(1))
            case "secret": secret = PlainSecret(Array(row.bytes(1))[...])
            default: break
            }
        }
        func last(_ sql: String) throws -> Int64 {
            var number: Int64 = 0
            try connection.each(sql) { number = $0.number(0) }
            return number
        }
        position = try last("SELECT max(position) FROM events")
        nameCount = try last("SELECT max(id) FROM names")
        streamCount = try last("SELECT max(id) FROM streams")
        documentCount = try last("SELECT max(id) FROM documents")
        let columns = "position, names, name_hash, streams, stream_hash, hash"
        try connection.each("SELECT \(columns), epoch FROM history_head") { row in
            head = (row.number(0), Self.mark(row, []))
            epoch = row.number(6)
        }
        try connection.each("SELECT \(columns), tree FROM history_marks") { row in
            marks[row.number(0)] = Self.mark(row, Array(row.bytes(6)))
        }
        try connection.each("SELECT id, hash FROM history_blocks") { row in
            blocks[row.number(0)] = row.hash(1) ?? PlainHash()
        }
    }

    private static func mark(_ row: PlainRow, _ tree: [UInt8]) -> Mark {
        Mark(
            tree: tree, names: row.number(1), nameLink: row.hash(2), streams: row.number(3),
            streamLink: row.hash(4), hash: row.hash(5))
    }
}
