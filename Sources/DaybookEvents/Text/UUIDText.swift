/// The canonical text of a UUID (RFC 9562 §4), read and written without Foundation.
public enum UUIDText {
    /// How long the text is.
    public static let byteCount = 36

    /// The two halves, big-endian; `nil` unless the text is 36 bytes of lower-case canonical form.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
        guard bytes.count == byteCount else { return nil }
        guard bytes[8] == hyphen, bytes[13] == hyphen, bytes[18] == hyphen, bytes[23] == hyphen
        else { return nil }
        let raw = UnsafeRawBufferPointer(bytes)
        func eight(at offset: Int) -> UInt64 {
            UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func four(at offset: Int) -> UInt64 {
            UInt64(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        guard let first = bits(eight(at: 0)), let second = bits(four(at: 9) << 32 | four(at: 14)),
            let third = bits(four(at: 19) << 32 | four(at: 24)), let fourth = bits(eight(at: 28))
        else { return nil }
        return (first << 32 | second, third << 32 | fourth)
    }

    private static let hyphen = UInt8(ascii: "-")

    /// What eight lower-case hexadecimal digits stand for, the first one in the upper byte; `nil` for other characters.
    @inline(__always)
    private static func bits(_ text: UInt64) -> UInt64? {
        let isLetter = text >> 6 & 0x0101_0101_0101_0101
        let digits = (text & 0x0F0F_0F0F_0F0F_0F0F) &+ isLetter &* 9
        guard digits & 0xF0F0_F0F0_F0F0_F0F0 == 0, ascii(digits) == text else { return nil }
        var bits = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return (bits | bits >> 16) & 0xFFFF_FFFF
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
        return ascii(digits)
    }

    /// Eight characters of eight digits, each of which is a byte below 16.
    @inline(__always)
    private static func ascii(_ digits: UInt64) -> UInt64 {
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
        guard text.utf8.count == byteCount, mayBeMixed(text) else { return false }
        var (hasLower, hasUpper) = (false, false)
        for byte in text.utf8 {
            if UInt8(ascii: "a") <= byte && byte <= UInt8(ascii: "f") { hasLower = true }
            if UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "F") { hasUpper = true }
        }
        return hasLower && hasUpper
    }

    /// Whether both letter cases may be there, asked eight bytes at a time; true of some other characters, too.
    /// - Precondition: The text is as long as a UUID.
    private static func mayBeMixed(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            let raw = UnsafeRawBufferPointer(utf8)
            var (lower, upper): (UInt64, UInt64) = (0, 0)
            var offset = 0
            while offset < byteCount {
                // The last eight bytes, some of them for the second time.
                let word = raw.loadUnaligned(
                    fromByteOffset: min(offset, byteCount - 8), as: UInt64.self)
                let letters = word & 0x4040_4040_4040_4040
                lower |= letters & word << 1
                upper |= letters & ~(word << 1)
                offset += 8
            }
            return lower != 0 && upper != 0
        }
    }
}
