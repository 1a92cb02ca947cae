import Crypto
public import DaybookEvents

/// A Merkle tree over leaves that only grow (RFC 6962 §2.1), of which no more is kept than appending needs: the roots
/// of its complete subtrees, the greatest first.
public struct HistoryTree: Sendable, Equatable {
    /// How many leaves there are.
    public private(set) var count: Int64 = 0
    /// One for each bit that is set in `count`, the greatest subtree first.
    private var roots: [HistoryHash] = []

    /// Creates a tree without leaves.
    public init() {}

    /// - Parameter bytes: 32 for each bit that is set in `count`, as `bytes` gives them.
    /// - Returns: `nil` when there are more or fewer.
    public init?(count: Int64, bytes: [UInt8]) {
        let size = HistoryHash.byteCount
        guard count >= 0, bytes.count == count.nonzeroBitCount * size else { return nil }
        self.count = count
        roots = stride(from: 0, to: bytes.count, by: size).compactMap {
            HistoryHash(Array(bytes[$0..<$0 + size]))
        }
    }

    /// The roots of the complete subtrees, 32 bytes each, the greatest subtree first; empty without leaves.
    public var bytes: [UInt8] { roots.flatMap(\.bytes) }

    /// - Complexity: O(1) amortised, O(log *n*) at most.
    public mutating func append(_ leaf: HistoryHash) {
        var node = leaf
        var rest = count
        while rest & 1 == 1, let left = roots.popLast() {
            node = Self.node(left, node)
            rest >>= 1
        }
        roots.append(node)
        count += 1
    }

    /// The root; of no leaves the SHA-256 of no bytes.
    /// - Complexity: O(log *n*)
    public var root: HistoryHash {
        guard var node = roots.last else { return HistoryHash(SHA256().finalize()) }
        for left in roots.dropLast().reversed() { node = Self.node(left, node) }
        return node
    }

    private static func node(_ left: HistoryHash, _ right: HistoryHash) -> HistoryHash {
        var hash = SHA256()
        withUnsafeBytes(of: UInt8(1)) { hash.update(bufferPointer: $0) }
        left.withBytes { hash.update(bufferPointer: $0) }
        right.withBytes { hash.update(bufferPointer: $0) }
        return HistoryHash(hash.finalize())
    }
}
