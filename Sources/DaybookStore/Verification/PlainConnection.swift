import GRDBSQLite

/// A bare read-only connection with a statement loop of its own.
final class PlainConnection {
    private var handle: OpaquePointer?
    private let file: LedgerFile
    private let access: LedgerFile.Access

    init(path: String) throws {
        file = LedgerFile(path: path)
        access = try file.examine()
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        let name = access == .ordinary ? file.path : file.immutableURI
        // A path that begins like a URI is told apart by being absolute.
        let code = sqlite3_open_v2(name, &handle, flags, nil)
        guard code == SQLITE_OK else {
            sqlite3_close_v2(handle)
            handle = nil
            throw StoreError(.failed, "\(file.path) cannot be opened: code \(code)")
        }
        sqlite3_busy_timeout(handle, 10_000)
    }

    deinit { sqlite3_close_v2(handle) }

    /// An immutable connection reads nonsense from a file that changes after all.
    func checkUnchanged() throws { try file.checkUnchanged(since: access) }

    /// Hands each row to the body.
    func each(_ sql: String, _ numbers: [Int64] = [], _ body: (PlainRow) throws -> Void) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement
        else { throw failure() }
        defer { sqlite3_finalize(statement) }
        for (index, number) in numbers.enumerated() {
            sqlite3_bind_int64(statement, CInt(index + 1), number)
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try body(PlainRow(statement: statement))
            case SQLITE_DONE: return
            default: throw failure()
            }
        }
    }

    /// Hands out a table in the order of its first column, in transactions of some thousand rows.
    /// - Parameter sql: With three places: after, through, at most.
    func pages(
        _ sql: String, through last: Int64, count: Int64 = 10_000,
        _ body: (PlainRow) throws -> Void
    ) throws {
        var number = Int64.min
        while number < last {
            let before = number
            try each(sql, [before, last, count]) { row in
                number = row.number(0)
                try body(row)
            }
            guard number > before else { return }
        }
    }

    private func failure() -> StoreError {
        let reason = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "no memory"
        return StoreError(.damaged, "\(file.path): \(reason)")
    }
}

/// The row that a statement stands on; no longer valid after the next step.
struct PlainRow {
    fileprivate let statement: OpaquePointer

    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// NULL is 0.
    func number(_ column: CInt) -> Int64 { sqlite3_column_int64(statement, column) }

    func number(_ column: CInt, else usual: Int64) -> Int64 {
        isNull(column) ? usual : number(column)
    }

    func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        guard let start = sqlite3_column_blob(statement, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func hash(_ column: CInt) -> PlainHash? { PlainHash(bytes(column)) }

    /// Replaces the text by that of a column of keys or refs, in which 16 bytes are a UUID.
    func read(_ column: CInt, into text: inout PlainText) {
        text.bytes.removeAll(keepingCapacity: true)
        text.uuid = nil
        let type = sqlite3_column_type(statement, column)
        text.isThere = type != SQLITE_NULL
        guard text.isThere else { return }
        let raw = bytes(column)
        guard type == SQLITE_BLOB, raw.count == 16 else {
            text.bytes.append(contentsOf: raw)
            return
        }
        let digits: StaticString = "0123456789abcdef"
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<16 {
            let byte = raw[index]
            if index < 8 {
                halves.0 = halves.0 << 8 | UInt64(byte)
            } else {
                halves.1 = halves.1 << 8 | UInt64(byte)
            }
            if index == 4 || index == 6 || index == 8 || index == 10 { text.bytes.append(0x2D) }
            text.bytes.append(digits.utf8Start[Int(byte >> 4)])
            text.bytes.append(digits.utf8Start[Int(byte & 15)])
        }
        text.uuid = halves
    }
}

/// A key or a ref as text.
struct PlainText {
    var isThere = false
    var bytes: [UInt8] = []
    /// Where it stands in the file as one.
    var uuid: (UInt64, UInt64)?

    /// The 128 bits that stand for it in derived files (`Reference`).
    var bits: PlainBits {
        if let uuid, uuid.1 >> 62 == 2 {
            let rest = uuid.1 & 0x3FFF_FFFF_FFFF_FF3F
            return PlainBits(high: uuid.0, low: rest | (uuid.1 & 0xC0) << 56 | 0x80)
        }
        var padded = PlainBits()
        if bytes.count <= 15 {
            for (index, byte) in bytes.enumerated() {
                let shift = UInt64(56 - 8 * (index & 7))
                if index < 8 {
                    padded.high |= UInt64(byte) << shift
                } else {
                    padded.low |= UInt64(byte) << shift
                }
            }
            padded.low |= UInt64(bytes.count)
            return padded
        }
        let hashed = PlainHash(of: bytes).leading
        return PlainBits(high: hashed.0, low: hashed.1 | 0xC0)
    }
}

/// The 128 bits that stand for a text.
struct PlainBits: Hashable {
    var high: UInt64 = 0
    var low: UInt64 = 0
}
