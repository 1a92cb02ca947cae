import Crypto
import Synchronization

/// The paths that were followed, by the header that stated them.
///
/// A header that came with a good signature leads to the same key for ever, so it need not be read again: only the
/// moment is asked anew. Headers whose signature was wrong are not kept, or any sender could fill the memory with other
/// spellings of the same certificates. Only time is saved by this: with an empty memory the answers are the same.
package final class AppStoreChains: Sendable {
    /// Apple uses a handful at a time; a header takes about 6 KiB.
    package static let countMax = 32

    private struct Entry {
        let header: [UInt8]
        let path: AppStorePath
    }

    /// So few are compared faster than 6 KiB are hashed.
    private let entries = Mutex<[Entry]>([])

    /// - Parameter instant: Milliseconds since 1970 UTC; a path is only given where it is valid then.
    func path(of header: ArraySlice<UInt8>, at instant: Int64) -> AppStorePath? {
        let found = entries.withLock { entries in
            entries.first { Self.areSame($0.header, header) }?.path
        }
        return found.flatMap { $0.validity.contains(instant) ? $0 : nil }
    }

    func remember(_ path: AppStorePath, of header: ArraySlice<UInt8>) {
        entries.withLock { entries in
            guard !entries.contains(where: { Self.areSame($0.header, header) }) else { return }
            // A full memory begins anew: following a path again takes less than a millisecond.
            if entries.count >= Self.countMax { entries.removeAll() }
            // Copied, or the key would keep the whole of what it was a part of.
            entries.append(Entry(header: Array(header), path: path))
        }
    }

    var count: Int { entries.withLock { $0.count } }

    /// Eight bytes at a time.
    private static func areSame(_ left: [UInt8], _ right: ArraySlice<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                var offset = 0
                while offset + 8 <= left.count {
                    let one = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    let other = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    guard one == other else { return false }
                    offset += 8
                }
                return left[offset...].elementsEqual(right[offset...])
            }
        }
    }
}
