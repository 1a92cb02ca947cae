import Synchronization

/// The times of groups of this ledger that are not visible yet: what they come to will be recorded at these times or
/// later, so until then no answer of what was known at such a time is final (rule 5).
final class PendingTimes: Sendable {
    private let times = Mutex<[Int64]>([])

    /// Reads a clock, from then on as the time of a group.
    /// - Parameter clock: Asked while those who look at the times wait, so that none sees it too late.
    func begin(_ clock: () -> Int64) -> Int64 {
        times.withLock { times in
            let time = clock()
            times.append(time)
            return time
        }
    }

    /// What was recorded at a time is visible now, or never will be.
    func end(_ time: Int64) {
        times.withLock { times in
            guard let index = times.firstIndex(of: time) else { return }
            times.swapAt(index, times.count - 1)
            times.removeLast()
        }
    }

    /// `Int64.max`: there are none.
    var earliest: Int64 { times.withLock { $0.min() ?? Int64.max } }
}
