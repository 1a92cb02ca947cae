import Crypto

/// 128 bits that stand for a text with as many values as there are events: keys, refs, transaction ids.
///
/// ```
/// bytes 0 … 14   text of at most 15 bytes, padded with zeros
/// byte  15       its length, 0 … 15
/// ```
/// or, for longer text, the top two bits of byte 15 say what the other 126 are:
/// ```
/// 10   a UUID in lower-case canonical form, of the variant of RFC 9562: its bytes, the top two bits of byte 8
///      (the variant, which is 10) and of byte 15 having changed places
/// 11   the first 16 bytes of the text's SHA-256, less these two bits
/// ```
/// Short text and such UUIDs are exact. Other text is equal when its digest is: 126 bits, so two of a ledger's refs
/// meet by chance once in 10^18 ledgers of 10^10 events, and no UUID can be made to meet a digest. Idempotency
/// additionally compares the text of the key. Short references compare like their bytes; for long ones only the text
/// can tell (`isOrdered`).
public struct Reference: Sendable, Hashable, BitwiseCopyable {
    /// Which bits a text has; part of the fingerprint of every file that keeps references or hashes of them.
    public static let layoutVersion: UInt64 = 2

    /// Bytes 0 to 7, the first one in the highest bits.
    public var high: UInt64
    /// Bytes 8 to 15, the last one in the lowest bits.
    public var low: UInt64

    /// Stands where there is no reference; the empty text has the same bits.
    public static let none = Reference(high: 0, low: 0)

    /// The top two bits of byte 15.
    private static let uuidTag: UInt64 = 0x80
    private static let digestTag: UInt64 = 0xC0
    private static let tagMask: UInt64 = 0xC0

    /// Creates a reference from its bits; nothing is checked.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The reference of a text: exact where it is short or a UUID, else by its digest.
    /// - Complexity: O(*n*) in the bytes of the text.
    public init(_ text: String) {
        var text = text
        self = text.withUTF8 { Self(utf8: $0) }
    }

    /// - Parameter bytes: The text's UTF-8.
    public init(utf8 bytes: UnsafeBufferPointer<UInt8>) { self = Self.make(bytes) }

    private static func make(_ bytes: UnsafeBufferPointer<UInt8>) -> Reference {
        if bytes.count <= 15 { return inline(bytes) }
        if let uuid = UUIDText.parse(bytes), let exact = packed(uuid) { return exact }
        return hashed(bytes)
    }

    private static func hashed(_ bytes: UnsafeBufferPointer<UInt8>) -> Reference {
        var hash = SHA256()
        hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
        let digest = hash.finalize()
        return digest.withUnsafeBytes { raw in
            Reference(
                high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                    | digestTag)
        }
    }

    private static func inline(_ bytes: UnsafeBufferPointer<UInt8>) -> Reference {
        let count = bytes.count
        let raw = UnsafeRawBufferPointer(bytes)
        func eight(at offset: Int) -> UInt64 {
            UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func four(at offset: Int) -> UInt64 {
            UInt64(UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        // The first and the last word hold all of it; a shift by 64 leaves nothing.
        if count >= 8 {
            return Reference(
                high: eight(at: 0),
                low: eight(at: count - 8) << UInt64(128 - 8 * count) | UInt64(count))
        }
        var high: UInt64 = 0
        if count >= 4 {
            high = four(at: 0) << 32 | four(at: count - 4) << UInt64(64 - 8 * count)
        } else {
            for index in 0..<count { high |= UInt64(bytes[index]) << UInt64(56 - 8 * index) }
        }
        return Reference(high: high, low: UInt64(count))
    }

    /// The UUID itself; `nil` for the variants before and beside RFC 9562, whose text is hashed.
    private static func packed(_ uuid: (UInt64, UInt64)) -> Reference? {
        guard uuid.1 >> 62 == 0b10 else { return nil }
        let rest = uuid.1 & 0x3FFF_FFFF_FFFF_FFFF & ~tagMask
        return Reference(high: uuid.0, low: rest | (uuid.1 & tagMask) << 56 | uuidTag)
    }

    /// The reference of a UUID's canonical text, from its two halves.
    public init(uuid: (UInt64, UInt64)) {
        if let exact = Self.packed(uuid) {
            self = exact
        } else {
            self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUIDText.byteCount) {
                UUIDText.write(uuid, to: $0)
                return Self.hashed(UnsafeBufferPointer($0))
            }
        }
    }

    /// Whether it is `none`.
    public var isNone: Bool { high == 0 && low == 0 }

    /// Whether the bits are the text itself, so that they also give its order.
    public var isExact: Bool { low & 0x80 == 0 }

    /// The text, when it is short enough to be here.
    public var exactText: String? {
        guard isExact else { return nil }
        let count = Int(low & 0xFF)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in 0..<count {
            let half = index < 8 ? high : low
            let shift = UInt64(56 - 8 * (index & 7))
            bytes.append(UInt8(truncatingIfNeeded: half >> shift))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether there is a `text`, told without making it.
    public var hasText: Bool { low & Self.tagMask != Self.digestTag }

    /// The bits as 32 hexadecimal digits, for what must be shown although its text is not known.
    public var hexadecimal: String { Digest.hexadecimal(high) + Digest.hexadecimal(low) }

    /// The text, where it is short or a UUID in canonical form; `nil` where only the row knows it.
    public var text: String? {
        if isExact { return exactText }
        guard low & Self.tagMask == Self.uuidTag else { return nil }
        // The variant is 10, and its place holds the top two bits of the last byte (`packed`).
        let last = low >> 56 & Self.tagMask
        let rest = low & 0x3FFF_FFFF_FFFF_FFFF & ~Self.tagMask
        return UUIDText.format((high, 0x8000_0000_0000_0000 | rest | last))
    }

    /// Byte order of the texts; `nil` when only the texts can tell.
    public static func isOrdered(_ left: Reference, before right: Reference) -> Bool? {
        if left == right { return false }
        guard left.isExact, right.isExact else { return nil }
        return (left.high, left.low) < (right.high, right.low)
    }
}
