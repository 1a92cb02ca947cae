import Crypto

/// 32 bytes of a SHA-256.
struct PlainHash: Equatable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// 32 zeros.
    init() {}

    init(_ digest: SHA256.Digest) {
        digest.withUnsafeBytes {
            words = $0.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
        }
    }

    /// - Returns: `nil` unless there are 32 bytes.
    init?(_ raw: UnsafeRawBufferPointer) {
        guard raw.count == 32 else { return nil }
        words = raw.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    init(of bytes: [UInt8]) {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        self.init(hash.finalize())
    }

    static func == (left: PlainHash, right: PlainHash) -> Bool { left.words == right.words }

    var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: words) { bytes.append(contentsOf: $0) }
    }

    /// The first 128 bits, big-endian.
    var leading: (UInt64, UInt64) { (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1)) }

    var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The first digits, for people.
    var short: String { hexadecimal.prefix(12) + "…" }
}

/// SipHash-2-4, written a second time.
struct PlainSip {
    private var v: (UInt64, UInt64, UInt64, UInt64)

    private init(_ key: (UInt64, UInt64), isWide: Bool) {
        v = (
            key.0 ^ 0x736F_6D65_7073_6575, key.1 ^ 0x646F_7261_6E64_6F6D,
            key.0 ^ 0x6C79_6765_6E65_7261, key.1 ^ 0x7465_6462_7974_6573
        )
        if isWide { v.1 ^= 0xEE }
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }

    private mutating func rounds(_ count: Int) {
        for _ in 0..<count {
            v.0 &+= v.1
            v.2 &+= v.3
            v.1 = Self.rotated(v.1, 13) ^ v.0
            v.3 = Self.rotated(v.3, 16) ^ v.2
            v.0 = Self.rotated(v.0, 32)
            v.2 &+= v.1
            v.0 &+= v.3
            v.1 = Self.rotated(v.1, 17) ^ v.2
            v.3 = Self.rotated(v.3, 21) ^ v.0
            v.2 = Self.rotated(v.2, 32)
        }
    }

    private mutating func take(_ word: UInt64) {
        v.3 ^= word
        rounds(2)
        v.0 ^= word
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var word: UInt64 = 0
        for index in 0..<bytes.count {
            word |= UInt64(bytes[index]) << UInt64(8 * (index & 7))
            if index & 7 == 7 {
                take(word)
                word = 0
            }
        }
        take(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
    }

    private var folded: UInt64 { v.0 ^ v.1 ^ v.2 ^ v.3 }

    /// - Parameter mark: Tells the short hash from the wide one.
    private mutating func finish(_ mark: UInt64) -> UInt64 {
        v.2 ^= mark
        rounds(4)
        return folded
    }

    static func short(_ key: (UInt64, UInt64), _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sip = PlainSip(key, isWide: false)
        sip.take(bytes)
        return sip.finish(0xFF)
    }

    /// Of the 24 bytes of three little-endian words.
    static func short(
        _ key: (UInt64, UInt64), _ first: UInt64, _ second: UInt64, _ third: UInt64
    ) -> UInt64 {
        var sip = PlainSip(key, isWide: false)
        sip.take(first)
        sip.take(second)
        sip.take(third)
        sip.take(24 << 56)
        return sip.finish(0xFF)
    }

    static func wide(
        _ key: (UInt64, UInt64), _ bytes: UnsafeRawBufferPointer
    ) -> (UInt64, UInt64) {
        var sip = PlainSip(key, isWide: true)
        sip.take(bytes)
        let first = sip.finish(0xEE)
        sip.v.1 ^= 0xDD
        sip.rounds(4)
        return (first, sip.folded)
    }
}

/// CRC-32C, a byte at a time.
enum PlainChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
        }
    }

    static func of(_ bytes: UnsafeRawBufferPointer, zeroed: Range<Int> = 0..<0) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var value = UInt32.max
            for index in 0..<bytes.count {
                let byte = zeroed.contains(index) ? 0 : bytes[index]
                value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
            }
            return ~value
        }
    }
}

/// The hash over a history (its parts stand in `HistoryCursor.swift`), worked out step by step.
struct PlainHistory {
    /// Complete blocks of 256 entries.
    private(set) var blockCount: Int64 = 0
    private var entryCount = 0
    /// Of each power of two the root of the complete subtree of so many leaves that is not part of a greater one.
    private var levels: [PlainHash?] = []
    private var open = PlainHistory.begun()

    private static func begun() -> SHA256 {
        var hash = SHA256()
        withUnsafeBytes(of: UInt8(0)) { hash.update(bufferPointer: $0) }
        return hash
    }

    /// - Returns: The leaf of the block that this entry completes.
    mutating func append(recordedAt: Int64, digest: PlainHash) -> PlainHash? {
        withUnsafeBytes(of: (recordedAt.littleEndian, digest)) {
            open.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[0..<40]))
        }
        entryCount += 1
        guard entryCount == 256 else { return nil }
        let leaf = PlainHash(open.finalize())
        open = Self.begun()
        entryCount = 0
        blockCount += 1
        var node = leaf
        var level = 0
        while level < levels.count, let left = levels[level] {
            node = Self.node(left, node)
            levels[level] = nil
            level += 1
        }
        if level == levels.count { levels.append(nil) }
        levels[level] = node
        return leaf
    }

    private static func node(_ left: PlainHash, _ right: PlainHash) -> PlainHash {
        PlainHash(of: [1] + left.bytes + right.bytes)
    }

    /// The subtrees, the greatest first, as a mark keeps them.
    var treeBytes: [UInt8] { levels.reversed().compactMap(\.self).flatMap(\.bytes) }

    private var root: PlainHash {
        var node: PlainHash?
        for left in levels.compactMap(\.self) { node = node.map { Self.node(left, $0) } ?? left }
        return node ?? PlainHash(of: [])
    }

    /// The hash at this place.
    /// - Parameters:
    ///   - ledger: The ledger's id.
    ///   - names: How many names, and the last link of their chain.
    ///   - streams: The same of streams.
    func hash(
        ledger: [UInt8], position: Int64, names: (Int64, PlainHash), streams: (Int64, PlainHash)
    ) -> PlainHash {
        var bytes = Array("daybook history 1".utf8)
        func append(_ number: Int64) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        PlainHash(of: ledger).append(to: &bytes)
        append(position)
        root.append(to: &bytes)
        PlainHash(open.finalize()).append(to: &bytes)
        append(names.0)
        names.1.append(to: &bytes)
        append(streams.0)
        streams.1.append(to: &bytes)
        return PlainHash(of: bytes)
    }
}
