import Crypto

/// 128 bits that stand for a text with as many values as there are events: keys, refs, transaction ids.
///
/// ```
/// bytes 0 … 14   text of at most 15 bytes, padded with zeros
/// byte  15       its length, 0 … 15
/// ```
/// or, for longer text, byte 15 has its top bit set and the other 127 bits are
/// - the UUID itself (lower case, canonical form, top bit of its last byte clear), or
/// - the first 127 bits of the text's SHA-256.
///
/// Short text is exact. Longer text is equal when its digest is: 127 bits, so two of a ledger's refs meet by
/// chance once in 10^18 ledgers of 10^10 events. Idempotency additionally compares the text of the key.
/// Short references compare like their bytes; for long ones only the text can tell (`isOrdered`).
public struct Reference: Sendable, Hashable {
    public var high: UInt64
    public var low: UInt64

    public static let none = Reference(high: 0, low: 0)

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public init(_ text: String) {
        var text = text
        self = text.withUTF8 { Self(utf8: $0) }
    }

    /// - Parameter bytes: The text's UTF-8.
    public init(utf8 bytes: UnsafeBufferPointer<UInt8>) { self = Self.make(bytes) }

    private static func make(_ bytes: UnsafeBufferPointer<UInt8>) -> Reference {
        if bytes.count <= 15 { return inline(bytes) }
        // One bit of the 128 marks long text, so only UUIDs that have it clear fit as they are; the others are hashed.
        if let uuid = UUIDText.parse(bytes), uuid.1 & 0x80 == 0 { return Reference(packed: uuid) }
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
                    | 0x80)
        }
    }

    private static func inline(_ bytes: UnsafeBufferPointer<UInt8>) -> Reference {
        var high: UInt64 = 0
        var low = UInt64(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                high |= UInt64(byte) << UInt64(56 - 8 * index)
            } else {
                low |= UInt64(byte) << UInt64(56 - 8 * (index - 8))
            }
        }
        return Reference(high: high, low: low)
    }

    private init(packed uuid: (UInt64, UInt64)) {
        self.init(high: uuid.0, low: uuid.1 | 0x80)
    }

    /// The reference of a UUID's canonical text, from its two halves.
    public init(uuid: (UInt64, UInt64)) {
        if uuid.1 & 0x80 == 0 {
            self.init(packed: uuid)
        } else {
            self.init(UUIDText.format(uuid))
        }
    }

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

    /// Byte order of the texts; `nil` when only the texts can tell.
    public static func isOrdered(_ left: Reference, before right: Reference) -> Bool? {
        if left == right { return false }
        guard left.isExact, right.isExact else { return nil }
        return (left.high, left.low) < (right.high, right.low)
    }
}

/// The canonical text of a UUID, read and written without Foundation.
public enum UUIDText {
    /// The two halves, big-endian; `nil` unless the text is 36 bytes of lower-case canonical form.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
        guard bytes.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for index in 0..<36 {
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
        guard text.utf8.count == 36 else { return nil }
        var text = text
        return text.withUTF8 { parse($0) }
    }

    public static func format(_ halves: (UInt64, UInt64)) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                bytes.append(UInt8(ascii: "-"))
            }
            let half = index < 16 ? halves.0 : halves.1
            bytes.append(digits[Int(half >> UInt64(60 - 4 * (index & 15)) & 15)])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
