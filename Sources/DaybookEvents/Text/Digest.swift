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
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize().withUnsafeBytes {
            UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
        }
    }

    /// A number in 16 lower-case hexadecimal digits.
    public static func hexadecimal(_ number: UInt64) -> String {
        hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }

    /// Lower-case hexadecimal.
    public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
