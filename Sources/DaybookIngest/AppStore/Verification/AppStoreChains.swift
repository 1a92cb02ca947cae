import Crypto
import Synchronization

/// The paths that were followed, by the header that stated them.
///
/// A header that came with a good signature leads to the same key for ever, so it need not be read again: only the
/// moment is asked anew. Headers whose signature was wrong are not kept, or anybody could fill the memory with other
/// spellings of the same certificates. Only time is saved by this: with an empty memory the answers are the same.
package final class AppStoreChains: Sendable {
    /// Apple uses a handful at a time; a header takes about 6 KiB.
    package static let countMax = 32

    private let paths = Mutex<[ArraySlice<UInt8>: AppStorePath]>([:])

    /// - Parameter instant: Milliseconds since 1970 UTC; a path is only given where it is valid then.
    func path(of header: ArraySlice<UInt8>, at instant: Int64) -> AppStorePath? {
        paths.withLock { $0[header] }.flatMap { $0.validity.contains(instant) ? $0 : nil }
    }

    func remember(_ path: AppStorePath, of header: ArraySlice<UInt8>) {
        paths.withLock { paths in
            guard paths[header] == nil else { return }
            // A full memory begins anew: following a path again takes less than a millisecond.
            if paths.count >= Self.countMax { paths.removeAll() }
            // Copied, or the key would keep the whole of what it was a part of.
            paths[ArraySlice(Array(header))] = path
        }
    }

    var count: Int { paths.withLock { $0.count } }
}
