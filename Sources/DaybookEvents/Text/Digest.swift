import Crypto

/// SHA-256 in the shapes that the ledger needs.
public enum Digest {
    /// The 32 bytes.
    public static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        Array(SHA256.hash(data: Array(bytes)))
    }

    /// SHA-256 as four words, the most significant first.
    public static func words(of bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return hash.finalize().withUnsafeBytes { raw in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// The first 64 bits of the HMAC with SHA-256 (RFC 2104), big-endian.
    public static func hmacPrefix(_ bytes: [UInt8], key: [UInt8]) -> UInt64 {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        code.update(data: bytes)
        return code.finalize().withUnsafeBytes {
            UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
        }
    }

    /// The first 64 bits, big-endian.
    public static func sha256Prefix(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { words(of: $0).0 }
    }

    /// A number in 16 lower-case hexadecimal digits.
    public static func hexadecimal(_ number: UInt64) -> String {
        hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }

    /// Lower-case hexadecimal.
    public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter value: Below 16.
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The bytes that pairs of hexadecimal digits, of either case, stand for; `nil` where the text is anything else.
    public static func bytes(hexadecimal text: String) -> [UInt8]? {
        guard text.utf8.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            // Not the radix of an initializer: that takes a sign for part of a number.
            let letter = (character | 0x20) &- UInt8(ascii: "a")
            let digit = character &- UInt8(ascii: "0")
            guard digit < 10 || letter < 6 else { return nil }
            let value = digit < 10 ? digit : letter + 10
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
