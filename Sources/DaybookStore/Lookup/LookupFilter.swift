/// A split-block Bloom filter: says "surely not" or "perhaps" after reading 32 bytes.
///
/// Blocks of eight 32-bit words; a hash chooses one block by its upper half and one bit of every word by its lower
/// half, multiplied by eight odd numbers (Putze, Sanders and Singler 2007; the layout that Apache Parquet describes).
/// With 12 bits a key about one in 180 unknown keys is taken for known (measured).
package enum LookupFilter {
    /// How many bytes decide about one hash.
    package static let blockByteCount = 32
    private static let bitsPerKey = 12
    private static let salts: [UInt32] = [
        0x47B6_137B, 0x4497_4D91, 0x8824_AD5B, 0xA2B7_289D, 0x7054_95C7, 0x2DF1_424B, 0x9EFC_4947,
        0x5C6B_FB31,
    ]

    /// How many blocks a filter for so many keys has; at least one.
    package static func blockCount(keyCount: Int) -> Int {
        max(1, (keyCount * bitsPerKey + 8 * blockByteCount - 1) / (8 * blockByteCount))
    }

    /// The block that a hash belongs to.
    package static func block(of hash: UInt64, blockCount: Int) -> Int {
        // In Swift a shift binds more tightly than a product.
        Int(((hash >> 32) &* UInt64(blockCount)) >> 32)
    }

    /// The bits that stand for some hashes.
    /// - Parameter hashes: Ascending.
    package static func make(_ hashes: [UInt64]) -> [UInt8] {
        var bytes = ByteWriter()
        var blocks = Blocks(keyCount: hashes.count)
        for hash in hashes { blocks.add(hash) { bytes.append($0) } }
        blocks.finish { bytes.append($0) }
        return bytes.bytes
    }

    /// The blocks of a filter, made one after the other: a greater hash belongs to the same block or to a later one.
    struct Blocks {
        private let count: Int
        /// How many are complete.
        private var index = 0
        private var words = [UInt32](repeating: 0, count: 8)

        init(keyCount: Int) { count = LookupFilter.blockCount(keyCount: keyCount) }

        /// Takes the next hash, which is not smaller than the one before.
        /// - Parameter give: Is given the words of the blocks before its own.
        mutating func add(_ hash: UInt64, _ give: (UInt32) -> Void) {
            end(before: LookupFilter.block(of: hash, blockCount: count), give)
            for index in 0..<8 { words[index] |= LookupFilter.bit(hash, index) }
        }

        /// - Parameter give: Is given the words of the blocks that are left.
        mutating func finish(_ give: (UInt32) -> Void) { end(before: count, give) }

        private mutating func end(before block: Int, _ give: (UInt32) -> Void) {
            precondition(block >= index, "hashes of a filter do not ascend")
            while index < block {
                for place in 0..<8 {
                    give(words[place])
                    words[place] = 0
                }
                index += 1
            }
        }
    }

    /// Whether a hash may be among those that the filter was made of.
    /// - Parameter block: The 32 bytes that `block(of:blockCount:)` names.
    package static func mayContain(_ hash: UInt64, _ block: UnsafeRawBufferPointer) -> Bool {
        for index in 0..<8 {
            let word = UInt32(
                littleEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            if word & bit(hash, index) == 0 { return false }
        }
        return true
    }

    private static func bit(_ hash: UInt64, _ index: Int) -> UInt32 {
        1 << ((UInt32(truncatingIfNeeded: hash) &* salts[index]) >> 27)
    }
}
