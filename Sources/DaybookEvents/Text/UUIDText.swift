/// The canonical text of a UUID (RFC 9562 §4), read and written without Foundation.
public enum UUIDText {
    /// How long the text is.
    public static let byteCount = 36

    /// The two halves, big-endian; `nil` unless the text is 36 bytes of lower-case canonical form.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
        guard bytes.count == byteCount else { return nil }
        guard bytes[8] == hyphen, bytes[13] == hyphen, bytes[18] == hyphen, bytes[23] == hyphen
        else { return nil }
        // Collects the upper bits of every digit: one test at the end instead of one for each.
        var excess: UInt8 = 0
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 { append(bytes[index], to: &halves.0, &excess) }
        for index in 9..<13 { append(bytes[index], to: &halves.0, &excess) }
        for index in 14..<18 { append(bytes[index], to: &halves.0, &excess) }
        for index in 19..<23 { append(bytes[index], to: &halves.1, &excess) }
        for index in 24..<36 { append(bytes[index], to: &halves.1, &excess) }
        guard excess < 16 else { return nil }
        return halves
    }

    private static let hyphen = UInt8(ascii: "-")

    @inline(__always)
    private static func append(_ byte: UInt8, to half: inout UInt64, _ excess: inout UInt8) {
        let digit = byte &- UInt8(ascii: "0")
        let letter = byte &- UInt8(ascii: "a")
        let value = digit < 10 ? digit : letter < 6 ? letter + 10 : 0xFF
        excess |= value
        half = half << 4 | UInt64(value & 15)
    }

    /// The two halves, big-endian; `nil` unless the text is a UUID in lower-case canonical form.
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
        let raw = UnsafeMutableRawBufferPointer(bytes)
        let middle = (digits(halves.0), digits(halves.1 >> 32))
        raw.storeBytes(of: digits(halves.0 >> 32).bigEndian, as: UInt64.self)
        func put(_ four: UInt64, at offset: Int) {
            raw[offset - 1] = hyphen
            raw.storeBytes(
                of: UInt32(truncatingIfNeeded: four).bigEndian, toByteOffset: offset,
                as: UInt32.self)
        }
        put(middle.0 >> 32, at: 9)
        put(middle.0, at: 14)
        put(middle.1 >> 32, at: 19)
        put(middle.1, at: 24)
        raw.storeBytes(of: digits(halves.1).bigEndian, toByteOffset: 28, as: UInt64.self)
    }

    /// The lower 32 bits in hexadecimal: eight characters, the first in the upper byte.
    private static func digits(_ bits: UInt64) -> UInt64 {
        // One digit to a byte.
        var digits = bits & 0xFFFF_FFFF
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 1 in each byte with a digit above 9: in ASCII `a` comes 39 places after where it would follow `9`.
        let aboveNine = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits &+ 0x3030_3030_3030_3030 &+ aboveNine &* 39
    }

    /// The lower-case canonical text of a UUID, from its two halves, big-endian.
    public static func format(_ halves: (UInt64, UInt64)) -> String {
        String(unsafeUninitializedCapacity: byteCount) { bytes in
            write(halves, to: bytes)
            return byteCount
        }
    }

    /// The two spellings of a UUID that programs write, of one in whatever letter case (RFC 9562 §4: both are the
    /// same); `nil` for what is no UUID, or one without a letter.
    public static func spellings(of text: String) -> (lower: String, upper: String)? {
        guard text.utf8.count == byteCount else { return nil }
        var hasLetters = false
        let lower = String(unsafeUninitializedCapacity: byteCount) { bytes in
            for (index, byte) in text.utf8.enumerated() {
                let isLetter = UInt8(ascii: "A") <= byte & 0xDF && byte & 0xDF <= UInt8(ascii: "F")
                if isLetter { hasLetters = true }
                bytes[index] = isLetter ? byte | 0x20 : byte
            }
            return byteCount
        }
        guard hasLetters, parse(lower) != nil else { return nil }
        return (lower, lower.uppercased())
    }

    /// The other spelling of a UUID that is spelled in one letter case; `nil` for everything else.
    public static func otherSpelling(of text: String) -> String? {
        guard let (lower, upper) = spellings(of: text) else { return nil }
        if haveSameBytes(text, lower) { return upper }
        return haveSameBytes(text, upper) ? lower : nil
    }

    /// A UUID in lower case; every other text as it is.
    public static func lowercased(_ text: String) -> String { spellings(of: text)?.lower ?? text }

    /// Whether a text is as long as a UUID and in mixed letter case; asked of every event, and nothing is made.
    static func isMixed(_ text: String) -> Bool {
        guard text.utf8.count == byteCount else { return false }
        var (hasLower, hasUpper) = (false, false)
        for byte in text.utf8 {
            if UInt8(ascii: "a") <= byte && byte <= UInt8(ascii: "f") { hasLower = true }
            if UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "F") { hasUpper = true }
        }
        return hasLower && hasUpper
    }
}
