import Daybook
import Synchronization

/// How much of what cannot be verified is kept from a route that is open: so many payloads, and so many bytes.
final class RefusalBudget: Sendable {
    static let countMax = 1_000
    static let byteCountMax = 16 << 20

    private let kept: Mutex<(count: Int, byteCount: Int)>

    /// - Parameter waiting: Those that wait in the ledger already.
    init(waiting: Int) { kept = Mutex((waiting, 0)) }

    func isFull(for byteCount: Int) -> Bool {
        kept.withLock {
            $0.count >= Self.countMax || $0.byteCount + byteCount > Self.byteCountMax
        }
    }

    func add(_ byteCount: Int) {
        kept.withLock {
            $0.count += 1
            $0.byteCount += byteCount
        }
    }
}
