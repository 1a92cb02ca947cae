/// 32 random bytes that each ledger is given when it is created: they stay in its file and in its backups, and never
/// reach an export.
///
/// Two keys come from them: one hides texts inside digests, so that a digest of texts that were erased cannot be tried
/// out once the key is gone; the other keeps chosen names from falling into one place of a hash table.
public struct LedgerSecret: Sendable, Hashable {
    /// How many bytes a secret has.
    public static let byteCount = 32

    /// 32 bytes.
    public let bytes: [UInt8]
    package let blindingKey: SipHash.Key
    /// For tables of hashes in derived files.
    package let lookupKey: SipHash.Key

    /// - Returns: `nil` unless there are 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
        func word(_ index: Int) -> UInt64 {
            bytes[8 * index..<8 * index + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        blindingKey = SipHash.Key(low: word(0), high: word(1))
        lookupKey = SipHash.Key(low: word(2), high: word(3))
    }

    /// Reads the form that stands in a ledger's file: 64 hexadecimal digits.
    public init?(hexadecimal text: String) {
        guard let bytes = Digest.bytes(hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The secret as 64 lower-case hexadecimal digits, as it stands in a ledger's file.
    public var hexadecimal: String { Digest.hexadecimal(bytes) }

    /// A secret that is the same in every run: for ledgers in memory, whose digests are not kept.
    public static let ofMemory = LedgerSecret(words: (1, 2, 3, 4))

    private init(words: (UInt64, UInt64, UInt64, UInt64)) {
        bytes = [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
        blindingKey = SipHash.Key(low: words.0, high: words.1)
        lookupKey = SipHash.Key(low: words.2, high: words.3)
    }

    /// A new one, from the system's source of randomness.
    public static func random(
        using generator: inout some RandomNumberGenerator
    ) -> LedgerSecret {
        LedgerSecret(
            words: (generator.next(), generator.next(), generator.next(), generator.next()))
    }
}
