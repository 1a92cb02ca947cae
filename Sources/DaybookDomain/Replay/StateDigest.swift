public import DaybookEvents

/// A sum over aggregates, modulo 2^256, of SHA-256(name ‖ canonical bytes of the state): the same for any order, split
/// or number of workers (rule 23).
public struct StateDigest: Sendable, Equatable, CustomStringConvertible {
    /// Least significant word first.
    public private(set) var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Makes the digest of no aggregates: 0.
    public init() {}

    /// - Parameter words: Least significant first.
    public init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Equal when all 256 bits are.
    public static func == (left: StateDigest, right: StateDigest) -> Bool {
        left.words == right.words
    }

    /// Adds one aggregate.
    public mutating func add(
        aggregate name: StreamName, _ state: borrowing AggregateState, names: NameTable
    ) {
        var writer = StateWriter(names: names)
        writer.stream(name)
        state.write(to: &writer)
        add(writer.withBytes { Digest.words(of: $0) })
    }

    /// Adds what is said about an aggregate elsewhere, as the SHA-256 of its UTF-8.
    public mutating func add(text: String) {
        add(Array(text.utf8).withUnsafeBytes { Digest.words(of: $0) })
    }

    /// Adds the sum of other aggregates.
    public mutating func add(_ other: StateDigest) {
        var carry: UInt64 = 0
        words.0 = Self.sum(words.0, other.words.0, &carry)
        words.1 = Self.sum(words.1, other.words.1, &carry)
        words.2 = Self.sum(words.2, other.words.2, &carry)
        words.3 = Self.sum(words.3, other.words.3, &carry)
    }

    /// Takes the sum of other aggregates away.
    public mutating func subtract(_ other: StateDigest) {
        var negative = StateDigest()
        negative.words = (~other.words.0, ~other.words.1, ~other.words.2, ~other.words.3)
        var one = StateDigest()
        one.words.0 = 1
        negative.add(one)
        add(negative)
    }

    /// The lowest 32 bits; of a sum they are the sum of the parts' ones.
    public var lowBits: UInt32 { UInt32(truncatingIfNeeded: words.0) }

    private mutating func add(_ words: (UInt64, UInt64, UInt64, UInt64)) {
        var other = StateDigest()
        other.words = (words.3, words.2, words.1, words.0)
        add(other)
    }

    private static func sum(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
        let (first, overflow) = left.addingReportingOverflow(right)
        let (second, carried) = first.addingReportingOverflow(carry)
        carry = (overflow ? 1 : 0) + (carried ? 1 : 0)
        return second
    }

    /// - Parameter text: As `description` writes it.
    public init?(_ text: String) {
        guard let bytes = Digest.bytes(hexadecimal: text), bytes.count == 32 else { return nil }
        func word(_ index: Int) -> UInt64 {
            bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (word(3), word(2), word(1), word(0))
    }

    /// 64 hexadecimal digits, most significant first.
    public var description: String {
        [words.3, words.2, words.1, words.0].map { Digest.hexadecimal($0) }.joined()
    }
}
