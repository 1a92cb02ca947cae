import DaybookEvents
import GRDBSQLite

/// Text of a key or ref as it stands in a row: a canonical UUID as its 16 bytes, anything else as
/// it is.
enum StoredText {
    /// Lends the bytes to bind; they are valid inside the body alone.
    static func withBytes<Result>(
        of text: String?, _ body: (StoredBytes) throws -> Result
    ) rethrows -> Result {
        guard var text else { return try body(.null) }
        return try text.withUTF8 { bytes in
            guard let uuid = UUIDText.parse(bytes) else { return try body(.text(bytes)) }
            let pair = (uuid.0.bigEndian, uuid.1.bigEndian)
            return try withUnsafeBytes(of: pair) { try body(.blob($0)) }
        }
    }

    /// The text of a column; `nil` for NULL.
    static func text(_ statement: OpaquePointer, _ column: CInt) -> String? {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: nil
        case SQLITE_BLOB: uuid(statement, column).map(UUIDText.format) ?? plain(statement, column)
        default: plain(statement, column)
        }
    }

    /// The bits that stand for a column's text in a hot event; none for NULL.
    static func reference(_ statement: OpaquePointer, _ column: CInt) -> Reference {
        // Fetched once: a call on the statement costs more than one on the value, which may be used by one thread
        // alone, as the connection is.
        let value = sqlite3_column_value(statement, column)
        switch sqlite3_value_type(value) {
        case SQLITE_NULL: return .none
        case SQLITE_BLOB:
            // A BLOB that is no UUID only damage can bring about; `findings()` reports it.
            guard sqlite3_value_bytes(value) == 16, let bytes = sqlite3_value_blob(value) else {
                return .none
            }
            return Reference(uuid: uuid(bytes))
        default:
            // The text is asked for before its length: that order is the one without a conversion.
            let start = sqlite3_value_text(value)
            let count = Int(sqlite3_value_bytes(value))
            return Reference(
                utf8: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
        }
    }

    /// A column that is text, or was meant to be.
    static func plain(_ statement: OpaquePointer, _ column: CInt) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// `nil` for a BLOB that is no UUID, which only damage can bring about; `findings()` reports
    /// it.
    private static func uuid(_ statement: OpaquePointer, _ column: CInt) -> (UInt64, UInt64)? {
        guard sqlite3_column_bytes(statement, column) == 16,
            let bytes = sqlite3_column_blob(statement, column)
        else { return nil }
        return uuid(bytes)
    }

    private static func uuid(_ bytes: UnsafeRawPointer) -> (UInt64, UInt64) {
        (
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }
}

/// Bytes on loan, ready to be bound.
enum StoredBytes {
    case null
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeRawBufferPointer)
}
