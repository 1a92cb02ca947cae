import Synchronization

/// A clock that only the test moves; give `{ clock.now }` to a ledger.
public final class FixtureClock: Sendable {
    private let content: Mutex<Int64>

    /// Stands at a time, in milliseconds since 1970 UTC.
    public init(_ now: Int64) { content = Mutex(now) }

    /// Where it stands, in milliseconds since 1970 UTC. A ledger never records a smaller time than before, wherever it
    /// is.
    public var now: Int64 {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
