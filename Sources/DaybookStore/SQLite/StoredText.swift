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

    /// The bits that stand for a column's text in a hot event; none for NULL.
    static func reference(_ statement: OpaquePointer, _ column: CInt) -> Reference {
        switch Stored(statement, column) {
        case .nothing, .damage: .none
        case .uuid(let halves): Reference(uuid: halves)
        case .text(let bytes): Reference(utf8: bytes)
        }
    }

    /// The same with the text itself; `nil` for NULL.
    static func whole(
        _ statement: OpaquePointer, _ column: CInt
    ) -> (reference: Reference, text: String?) {
        switch Stored(statement, column) {
        case .nothing: (.none, nil)
        case .uuid(let halves): (Reference(uuid: halves), UUIDText.format(halves))
        case .text(let bytes):
            (Reference(utf8: bytes), String(decoding: bytes, as: UTF8.self))
        case .damage: (.none, plain(statement, column))
        }
    }

    /// What a column holds; bytes are valid until the next step.
    private enum Stored {
        case nothing
        /// The two halves, big-endian.
        case uuid((UInt64, UInt64))
        case text(UnsafeBufferPointer<UInt8>)
        /// A BLOB that is no UUID, which only damage can bring about; `findings()` reports it.
        case damage

        @inline(__always)
        init(_ statement: OpaquePointer, _ column: CInt) {
            // Fetched once: a call on the statement costs more than one on the value, which may be used by one thread
            // alone, as the connection is.
            let value = sqlite3_column_value(statement, column)
            switch sqlite3_value_type(value) {
            case SQLITE_NULL: self = .nothing
            case SQLITE_BLOB:
                guard sqlite3_value_bytes(value) == 16, let bytes = sqlite3_value_blob(value)
                else {
                    self = .damage
                    return
                }
                self = .uuid(
                    (
                        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                    ))
            default:
                // The text is asked for before its length: that order is the one without a conversion.
                let start = sqlite3_value_text(value)
                let count = Int(sqlite3_value_bytes(value))
                self = .text(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
            }
        }
    }

    /// A column that is text, or was meant to be.
    static func plain(_ statement: OpaquePointer, _ column: CInt) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

/// Bytes on loan, ready to be bound.
enum StoredBytes {
    case null
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeRawBufferPointer)
}
