package import Crypto

/// A SHA-256 digest inside of the hash over a history; 32 bytes without an allocation.
public struct HistoryHash: Sendable, Hashable, CustomStringConvertible {
    /// How many bytes a digest has.
    public static let byteCount = 32
    /// Stands where nothing was hashed yet.
    public static let zero = HistoryHash(words: (0, 0, 0, 0))

    /// The digest's bytes in memory order.
    private var w0: UInt64
    private var w1: UInt64
    private var w2: UInt64
    private var w3: UInt64

    private init(words: (UInt64, UInt64, UInt64, UInt64)) {
        (w0, w1, w2, w3) = words
    }

    /// - Returns: `nil` unless there are 32 bytes.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(words: bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self))
    }

    /// Takes the bytes of a digest; nothing is hashed.
    /// - Returns: `nil` unless there are 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard let hash = bytes.withUnsafeBytes({ HistoryHash($0) }) else { return nil }
        self = hash
    }

    package init(_ digest: SHA256.Digest) {
        self.init(
            words: digest.withUnsafeBytes {
                $0.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
            })
    }

    /// Of some bytes.
    package init(of bytes: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        self.init(hash.finalize())
    }

    package init(of bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { HistoryHash(of: $0) }
    }

    /// Lends the 32 bytes.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        try withUnsafeBytes(of: (w0, w1, w2, w3), body)
    }

    /// A copy of the 32 bytes.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// 64 hexadecimal digits.
    public var description: String { Digest.hexadecimal(bytes) }

    /// The first digits, for people: enough to tell two histories apart at a glance.
    public var short: String { String(description.prefix(12)) }
}
