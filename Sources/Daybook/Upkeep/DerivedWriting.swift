import DaybookEvents
import DaybookStore
import Dispatch
import Logging
import Synchronization

/// Segments and snapshots that a long-lived process writes beside its work: outside of the lock, one at a time,
/// and whatever becomes of them, no commit is concerned.
final class DerivedWriting: Sendable {
    private let core: LedgerCore
    /// Milliseconds without a commit after which no process seems to write.
    private static let quiet = 100
    /// So many ranges wait for a quiet moment at most: a million events.
    private static let backlogMax: Int64 = 64

    private struct Plan {
        /// One waits for its moment, or is being written.
        var isSealing = false
        var lastCommit = ContinuousClock.now
        /// The ledger's end when segments were sealed last.
        var sealedAt: Int64 = 0
        /// After a failure: no segment is begun before the ledger has so many events.
        var sealAgainAt: Int64 = 0
        var isSnapshotting = false
        /// No snapshot begins before.
        var nextSnapshot = ContinuousClock.now
    }

    /// One file at a time, behind every answer and every commit.
    private let queue = DispatchQueue(label: "daybook.derived", qos: .utility)
    private let plan = Mutex(Plan())
    /// The ledger is being closed.
    private let ending = Atomic<Bool>(false)

    init(_ core: LedgerCore) { self.core = core }

    private var isEnding: Bool { ending.load(ordering: .relaxed) }

    /// Begins what is due after a group of requests.
    /// - Parameter hasAppended: What appends nothing is no commit, and does not postpone the sealing of what is there.
    func schedule(hasAppended: Bool) {
        guard core.path != nil, !core.isReadOnly else { return }
        let head = core.state.withLock { $0.head.position }
        scheduleSealing(head, hasAppended: hasAppended)
        scheduleSnapshot(head)
    }

    /// Waits for what is written beside the work, with all that is due now.
    func finish() {
        schedule(hasAppended: false)
        queue.sync { if let segments = core.events.segments { _ = seal(segments) } }
    }

    /// Ends what is written beside the work: a segment is given up, a snapshot is waited for. A clean shutdown leaves
    /// a snapshot behind when opening would read longer than a start may take.
    func end() {
        guard core.path != nil, !core.isReadOnly else { return }
        ending.store(true, ordering: .relaxed)
        queue.sync {}
        // Nothing is left to give way to.
        if isSnapshotDue(core.state.withLock { $0.head.position }) {
            snapshotOrWarn(givesWay: false)
        }
    }

    // MARK: Segments

    /// A range is sealed soon after its last event was committed: in the first moment in which no process writes, or,
    /// where there is none, when many wait.
    private func scheduleSealing(_ head: Int64, hasAppended: Bool) {
        guard let segments = core.events.segments, segments.isAnyMissing(through: head) else {
            return
        }
        plan.withLock { plan in
            if hasAppended { plan.lastCommit = ContinuousClock.now }
            guard !plan.isSealing, head >= plan.sealAgainAt else { return }
            plan.isSealing = true
            awaitQuiet(segments)
        }
    }

    /// Comes back until the moment for sealing is there.
    private func awaitQuiet(_ segments: SegmentFolder) {
        let quiet = Self.quiet
        queue.asyncAfter(deadline: .now() + .milliseconds(quiet)) { [self] in
            if isEnding { return }
            let head = core.state.withLock { $0.head.position }
            let isTime = plan.withLock { plan in
                let backlog = (head - plan.sealedAt) / segments.eventCount
                return backlog >= Self.backlogMax
                    || ContinuousClock.now - plan.lastCommit >= .milliseconds(quiet)
            }
            guard isTime else { return awaitQuiet(segments) }
            let failedAt = seal(segments)
            plan.withLock { plan in
                plan.isSealing = false
                plan.sealedAt = head
                if let failedAt { plan.sealAgainAt = failedAt + segments.eventCount }
            }
            // A range that was finished just before that.
            scheduleSealing(core.state.withLock { $0.head.position }, hasAppended: false)
        }
    }

    /// - Returns: The ledger's end when a segment could not be written; the next is tried a range later.
    private func seal(_ segments: SegmentFolder) -> Int64? {
        while !isEnding {
            let head = core.state.withLock { $0.head.position }
            do {
                let isWritten = try Parallel.givingWay {
                    try segments.sealNext(from: core.store, through: head) { !isEnding }
                }
                guard isWritten else { return nil }
            } catch {
                core.log.tell(
                    .warning, "a segment was not written: \(StoreError.wrapping(error).message)")
                return head
            }
        }
        return nil
    }

    // MARK: Snapshots

    /// Whether opening would read longer than a start may take.
    private func isSnapshotDue(_ head: Int64) -> Bool {
        head - core.snapshotPosition.withLock { $0 } > core.startUp.withLock { $0.tailCountMax }
    }

    /// A long-lived process writes one beside its work, but spends no more than a tenth of its time on them.
    private func scheduleSnapshot(_ head: Int64) {
        guard isSnapshotDue(head) else { return }
        plan.withLock { plan in
            guard !plan.isSnapshotting, ContinuousClock.now >= plan.nextSnapshot else {
                return
            }
            plan.isSnapshotting = true
            queue.async { [self] in
                let start = ContinuousClock.now
                snapshotOrWarn(givesWay: true)
                let end = ContinuousClock.now
                self.plan.withLock { plan in
                    plan.isSnapshotting = false
                    plan.nextSnapshot = end + (end - start) * 9
                }
            }
        }
    }

    private func snapshotOrWarn(givesWay: Bool) {
        do {
            try SnapshotWriting(core: core).write(isDigesting: false, givesWay: givesWay) { _, _ in
            }
        } catch {
            core.log.tell(.warning, "no snapshot was written: \(error)")
        }
    }
}
