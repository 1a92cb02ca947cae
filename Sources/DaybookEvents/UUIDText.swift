/// The canonical text of a UUID (RFC 9562 §4), read and written without Foundation.
public enum UUIDText {
    /// How long the text is.
    public static let byteCount = 36

    /// The two halves, big-endian; `nil` unless the text is 36 bytes of lower-case canonical form.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
        guard bytes.count == byteCount else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for index in 0..<byteCount {
            let byte = bytes[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let value: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            if digits < 16 {
                halves.0 = halves.0 << 4 | UInt64(value)
            } else {
                halves.1 = halves.1 << 4 | UInt64(value)
            }
            digits += 1
        }
        return halves
    }

    public static func parse(_ text: String) -> (UInt64, UInt64)? {
        guard text.utf8.count == byteCount else { return nil }
        var text = text
        return text.withUTF8 { parse($0) }
    }

    /// Writes the 36 bytes of the text.
    /// - Precondition: The buffer holds at least `byteCount` bytes.
    public static func write(
        _ halves: (UInt64, UInt64), to bytes: UnsafeMutableBufferPointer<UInt8>
    ) {
        precondition(bytes.count >= byteCount, "a UUID's text has \(byteCount) bytes")
        var place = 0
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                bytes[place] = UInt8(ascii: "-")
                place += 1
            }
            let half = index < 16 ? halves.0 : halves.1
            let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (index & 15))) & 15
            bytes[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
            place += 1
        }
    }

    public static func format(_ halves: (UInt64, UInt64)) -> String {
        String(unsafeUninitializedCapacity: byteCount) { bytes in
            write(halves, to: bytes)
            return byteCount
        }
    }
}
