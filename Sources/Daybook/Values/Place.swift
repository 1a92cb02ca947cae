// The text of a place, 33 characters of [0-9A-Za-z_-]:
//
//   "1"  the version of this form
//   32   base64url (RFC 4648 §5) of 24 bytes, all numbers big-endian:
//        offset  size  field
//             0     4  epoch, 1 or more
//             4     4  first bytes of the hash at the event that begins the epoch; of epoch 1 at position 0
//             8     8  position, 0 to 2^53
//            16     8  first bytes of the hash at the position
//
// The hash is that of `EventStore.eventCursor(at:)`. 24 bytes leave no bit of the 32 characters open, so a place has
// one text.

import DaybookIngest

/// A place in the history of a ledger, after the event at a position: what a reader keeps to go on from there.
///
/// It names what came before by a hash, so a ledger can tell whether it is of its own history. Opaque to readers; its
/// text goes into URLs as it is.
public struct Place: Sendable, Hashable, LosslessStringConvertible {
    /// The epoch of the position, from 1.
    public let epoch: Int64
    /// The last position before the place; 0: the beginning.
    public let position: Int64
    /// The hash's first bytes where the epoch begins: two ledgers, or two restores, may have begun one number each.
    let origin: UInt32
    /// The hash's first bytes at the position.
    let prefix: UInt64

    /// - Parameters:
    ///   - epoch: 1 or more; held within 32 bits.
    ///   - origin: The hash at the event that begins the epoch.
    ///   - hash: The hash at the position.
    init(epoch: Int64, position: Int64, origin: HistoryHash, hash: HistoryHash) {
        self.epoch = Int64(UInt32(clamping: epoch))
        self.position = position
        self.origin = UInt32(truncatingIfNeeded: Self.number(origin.bytes.prefix(4)))
        prefix = Self.number(hash.bytes.prefix(8))
    }

    private static let version: Character = "1"
    private static let textByteCount = 33

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads the text of a place.
    /// - Returns: `nil` for any text that `description` does not give.
    public init?(_ description: String) {
        guard description.utf8.count == Self.textByteCount, description.first == Self.version,
            let bytes = Base64.decode(String(description.dropFirst()), .url)
        else { return nil }
        epoch = Int64(Self.number(bytes[0..<4]))
        origin = UInt32(truncatingIfNeeded: Self.number(bytes[4..<8]))
        position = Int64(truncatingIfNeeded: Self.number(bytes[8..<16]))
        prefix = Self.number(bytes[16..<24])
        guard epoch >= 1, (0...AppendGround.positionMax).contains(position) else { return nil }
    }

    /// The one text that names this place.
    public var description: String {
        var bytes: [UInt8] = []
        func add(_ number: UInt64, _ count: Int) {
            for place in (0..<count).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place)))
            }
        }
        add(UInt64(epoch), 4)
        add(UInt64(origin), 4)
        add(UInt64(position), 8)
        add(prefix, 8)
        return "\(Self.version)\(Base64.encode(bytes, .url))"
    }
}
