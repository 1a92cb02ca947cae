import GRDBSQLite

/// Follows every stream at once through the events in position order.
struct ChainWalk {
    /// The columns that `visit` reads; after a position, through another, at most so many.
    static let sql = """
        SELECT position, recorded_at, stream, version, previous, source, party, profile, name_a, \
        name_b, name_c, key, ref, type, trust, flags, v, sequence, amount FROM events \
        WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
        """

    private(set) var findings: [String] = []
    private let nameCount: Int64
    private let findingCountMax: Int
    private var position: Int64 = 0
    private var recordedAt = Int64.min
    private var heads: [(position: Int64, version: Int64)]

    /// - Parameters:
    ///   - streamCount: As many as there are rows: a damaged number says nothing about how much space is needed.
    ///   - findingCountMax: Of what comes after it nothing more is said.
    init(streamCount: Int64, nameCount: Int64, findingCountMax: Int) {
        heads = Array(repeating: (0, 0), count: Int(streamCount) + 1)
        self.nameCount = nameCount
        self.findingCountMax = findingCountMax
    }

    mutating func visit(_ row: OpaquePointer) {
        guard findings.count <= findingCountMax else { return }
        let position = sqlite3_column_int64(row, 0)
        if position != self.position &+ 1 {
            findings.append(
                "Position \(position) follows position \(self.position): there is a gap.")
        }
        let recordedAt = sqlite3_column_int64(row, 1)
        if recordedAt < self.recordedAt {
            findings.append(
                "Position \(position) was recorded at \(recordedAt), "
                    + "before position \(self.position) at \(self.recordedAt)."
            )
        }
        self.position = position
        self.recordedAt = recordedAt
        checkChain(row, position)
        checkNumbers(row, position)
        guard Self.isText(row, 11), sqlite3_column_type(row, 11) != SQLITE_NULL,
            Self.isText(row, 12)
        else {
            findings.append("The key or ref at position \(position) is neither text nor a UUID.")
            return
        }
    }

    private mutating func checkChain(_ row: OpaquePointer, _ position: Int64) {
        let stream = sqlite3_column_int64(row, 2)
        let version = sqlite3_column_int64(row, 3)
        let previous = sqlite3_column_int64(row, 4)
        guard stream >= 1, stream < heads.count else {
            findings.append("Position \(position) is in stream \(stream), which does not exist.")
            return
        }
        let head = heads[Int(stream)]
        if previous != head.position {
            findings.append(
                "Position \(position) of stream \(stream) follows position \(previous), "
                    + "expected \(head.position)."
            )
        }
        if version != head.version &+ 1 {
            findings.append(
                "Position \(position) of stream \(stream) has version \(version), "
                    + "expected \(head.version &+ 1)."
            )
        }
        heads[Int(stream)] = (position, version)
    }

    /// Names that exist, and numbers that fit their field of an event.
    private mutating func checkNumbers(_ row: OpaquePointer, _ position: Int64) {
        for column in 5...10 {
            let name = sqlite3_column_int64(row, CInt(column))
            guard name < 0 || name > nameCount else { continue }
            findings.append("Position \(position) uses name \(name), which does not exist.")
        }
        for (column, word, limit) in Self.limits {
            let number = sqlite3_column_int64(row, column)
            guard !limit.contains(number) else { continue }
            findings.append("The \(word) at position \(position) is \(number), which does not fit.")
        }
    }

    /// As `RowSelection.event` reads them.
    private static let limits: [(CInt, String, ClosedRange<Int64>)] = [
        (13, "type", 0...255), (14, "trust", 0...255), (15, "flags", 0...65_535),
        (16, "v", 0...65_535), (17, "sequence", 0...Int64(UInt32.max)),
        (18, "amount", Int64(-Int32.max)...Int64(Int32.max)),
    ]

    /// Text, nothing, or the 16 bytes of a UUID.
    private static func isText(_ row: OpaquePointer, _ column: CInt) -> Bool {
        switch sqlite3_column_type(row, column) {
        case SQLITE_TEXT, SQLITE_NULL: true
        case SQLITE_BLOB: sqlite3_column_bytes(row, column) == 16
        default: false
        }
    }
}
