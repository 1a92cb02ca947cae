import GRDB
import GRDBSQLite

/// A statement handle of SQLite, as the two hot loops use it.
extension OpaquePointer {
    func bind(_ index: CInt, _ bytes: StoredBytes) {
        switch bytes {
        case .null: sqlite3_bind_null(self, index)
        case .text(let text):
            // No destructor: the bytes outlive the step, and the bindings are cleared after it.
            let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
            if let start, !text.isEmpty {
                sqlite3_bind_text(self, index, start, CInt(text.count), nil)
            } else {
                // A null pointer would be NULL, and an empty text is not.
                sqlite3_bind_text(self, index, "", 0, Self.copies)
            }
        case .blob(let blob):
            if blob.isEmpty {
                sqlite3_bind_zeroblob(self, index, 0)
            } else {
                sqlite3_bind_blob(self, index, blob.baseAddress, CInt(blob.count), nil)
            }
        }
    }

    /// The number in a column; 0 for NULL.
    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(self, column) }

    /// The bytes of a column, which hold until the next step; none for NULL.
    func blob(_ column: CInt) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(self, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(self, column)))
    }

    /// Runs a statement that gives no rows, and forgets what was bound.
    func stepToEnd(_ connection: OpaquePointer?) throws {
        let code = sqlite3_step(self)
        defer { rewind() }
        guard code == SQLITE_DONE || code == SQLITE_ROW else {
            throw DatabaseError(code, connection)
        }
    }

    /// Hands each row to the body, and forgets what was bound.
    func forEachRow(_ connection: OpaquePointer?, _ body: () throws -> Void) throws {
        defer { rewind() }
        while true {
            switch sqlite3_step(self) {
            case SQLITE_ROW: try body()
            case SQLITE_DONE: return
            case let code: throw DatabaseError(code, connection)
            }
        }
    }

    private func rewind() {
        sqlite3_reset(self)
        sqlite3_clear_bindings(self)
    }

    /// SQLITE_TRANSIENT, which Swift cannot import: SQLite copies the bytes before it returns.
    static var copies: sqlite3_destructor_type? {
        unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
    }
}

extension DatabaseError {
    /// What SQLite says about its last call; called before the statement is reset.
    init(_ code: CInt, _ connection: OpaquePointer?) {
        let message = connection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        self.init(resultCode: ResultCode(rawValue: code), message: message)
    }
}
