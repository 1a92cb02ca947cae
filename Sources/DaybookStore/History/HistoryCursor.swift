import Crypto
public import DaybookEvents

// The hash over a history up to a position p:
//
//   entry   recorded_at (8, little-endian) and the digest of the row (32, `RowDigest`)
//   block   256 entries; its leaf is SHA-256 of 0x00 and the entries (RFC 6962 §2.1)
//   tree    RFC 6962's over the leaves of all complete blocks
//   open    SHA-256 of 0x00 and the entries of the block that is not complete, also where there are none
//   hash    SHA-256 of "daybook history 1" (17), SHA-256 of the ledger id (32), p (8), root of the tree (32),
//           open (32), count and last link of the chain of names (8, 32), the same of streams (8, 32)
//
// So it covers ledger, rows with their order and times, names and streams with their numbers; documents are covered by
// the digests that rows name. A process proves its place in a history with the leaves of the blocks since the last
// mark, 64 at most, and the rows of one block, 255 at most.

/// Goes along a history and has its hash at every step.
public struct HistoryCursor: Sendable {
    /// Positions of a block.
    public static let blockCount: Int64 = 256
    /// Positions from mark to mark: there the tree is kept, and derived files of whole ranges are proved by one look.
    public static let markCount: Int64 = 16_384
    private static let entryByteCount = 40
    private static let hashedByteCount = 17 + 5 * HistoryHash.byteCount + 3 * 8

    /// SHA-256 of the ledger's id.
    private let ledger: HistoryHash
    /// The last position that the cursor has covered; 0 before the first event.
    public private(set) var position: Int64
    /// The epoch that `point` names; set by the caller, and no part of the hash.
    public var epoch: Int64
    /// The tree over the leaves of all complete blocks.
    public private(set) var tree: HistoryTree
    /// The chain over the names so far.
    public private(set) var names: HistoryChain
    /// The chain over the streams so far.
    public private(set) var streams: HistoryChain
    private var open: SHA256

    /// Before the first event.
    public init(ledgerID: String) {
        self.init(
            ledgerID: ledgerID, epoch: 1, tree: HistoryTree(), names: HistoryChain(),
            streams: HistoryChain())
    }

    /// At the end of a complete block.
    public init(
        ledgerID: String, epoch: Int64, tree: HistoryTree, names: HistoryChain,
        streams: HistoryChain
    ) {
        ledger = HistoryHash(of: Array(ledgerID.utf8))
        position = tree.count * Self.blockCount
        self.epoch = epoch
        self.tree = tree
        self.names = names
        self.streams = streams
        open = Self.emptyBlock
    }

    /// At the same place with other chains: as it would be with so many names and streams.
    init(going other: HistoryCursor, names: HistoryChain, streams: HistoryChain) {
        self = other
        self.names = names
        self.streams = streams
    }

    private static var emptyBlock: SHA256 {
        var hash = SHA256()
        withUnsafeBytes(of: UInt8(0)) { hash.update(bufferPointer: $0) }
        return hash
    }

    /// A row to go along.
    public struct Entry: Sendable {
        /// When the row was recorded, in milliseconds since 1970 UTC.
        public var recordedAt: Int64
        /// The digest of the row (`RowDigest`).
        public var digest: HistoryHash

        /// Creates an entry; the digest is not compared with anything.
        public init(recordedAt: Int64, digest: HistoryHash) {
            self.recordedAt = recordedAt
            self.digest = digest
        }
    }

    /// Goes along the rows after this position.
    /// - Parameter complete: Is given every block that was completed: its number from 1 on and its leaf, with the
    ///   cursor at its end.
    public mutating func append(
        count: Int, entry: (Int) -> Entry,
        complete: (HistoryCursor, Int64, HistoryHash) throws -> Void
    ) rethrows {
        var bytes: [UInt8] = []
        var index = 0
        while index < count {
            let free = Int(Self.blockCount - position % Self.blockCount)
            let part = index..<min(count, index + free)
            bytes.removeAll(keepingCapacity: true)
            bytes.reserveCapacity(part.count * Self.entryByteCount)
            for place in part {
                let entry = entry(place)
                withUnsafeBytes(of: entry.recordedAt.littleEndian) { bytes.append(contentsOf: $0) }
                entry.digest.withBytes { bytes.append(contentsOf: $0) }
            }
            bytes.withUnsafeBytes { open.update(bufferPointer: $0) }
            position += Int64(part.count)
            index = part.upperBound
            guard position % Self.blockCount == 0 else { continue }
            let leaf = HistoryHash(open.finalize())
            open = Self.emptyBlock
            tree.append(leaf)
            try complete(self, tree.count, leaf)
        }
    }

    /// The same for a caller that needs no blocks.
    public mutating func append(count: Int, entry: (Int) -> Entry) {
        append(count: count, entry: entry, complete: { _, _, _ in })
    }

    /// Goes over a complete block whose leaf is known.
    /// - Precondition: The cursor is at the end of a block.
    public mutating func append(leaf: HistoryHash) {
        precondition(position % Self.blockCount == 0, "a block is open at position \(position)")
        tree.append(leaf)
        position += Self.blockCount
    }

    /// Adds a name to the chain of names; the position stays.
    public mutating func append(name: String) { names.append(name: name) }

    /// Adds a stream to the chain of streams; the position stays.
    public mutating func append(stream: StreamRecord) { streams.append(stream: stream) }

    /// The name of everything up to here.
    public var point: HistoryPoint {
        HistoryPoint(
            position: position, epoch: epoch, nameCount: names.count, streamCount: streams.count,
            hash: hash)
    }

    private var hash: HistoryHash {
        let openHash = HistoryHash(open.finalize())
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.hashedByteCount)
        bytes.append(contentsOf: "daybook history 1".utf8)
        func append(_ number: Int64) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        func append(_ hash: HistoryHash) { hash.withBytes { bytes.append(contentsOf: $0) } }
        append(ledger)
        append(position)
        append(tree.root)
        append(openHash)
        append(names.count)
        append(names.hash)
        append(streams.count)
        append(streams.hash)
        return HistoryHash(of: bytes)
    }
}
