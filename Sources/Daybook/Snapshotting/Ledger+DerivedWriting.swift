import DaybookEvents
import Dispatch
import Logging
import Synchronization

/// Segments and snapshots that a long-lived process writes beside its work: outside of the lock, one at a time,
/// and whatever becomes of them, no commit is concerned.
extension Ledger {
    /// Begins what is due after a commit.
    func scheduleDerivedWriting() {
        guard path != nil, !isReadOnly else { return }
        let head = state.withLock { $0.head.position }
        scheduleSealing(head)
        scheduleSnapshot(head)
    }

    /// Waits for what is written beside the work, with all that is due now.
    package func finishDerivedWriting() {
        scheduleDerivedWriting()
        derived.queue.sync { if let segments = events.segments { _ = seal(segments) } }
    }

    /// Ends what is written beside the work: a segment is given up, a snapshot is waited for. A clean shutdown leaves
    /// a snapshot behind when opening would read longer than a start may take.
    func endDerivedWriting() {
        guard path != nil, !isReadOnly else { return }
        derived.isEnding.store(true, ordering: .relaxed)
        derived.queue.sync {}
        if isSnapshotDue(state.withLock { $0.head.position }) { snapshotOrWarn() }
    }

    // MARK: Segments

    /// A range is sealed soon after its last event was committed: in the first moment in which nobody writes, or, where
    /// there is none, when many wait.
    private func scheduleSealing(_ head: Int64) {
        guard let segments = events.segments, segments.isAnyMissing(through: head) else { return }
        derived.schedule.withLock { schedule in
            schedule.lastCommit = ContinuousClock.now
            guard !schedule.isSealing, head >= schedule.sealAgainAt else { return }
            schedule.isSealing = true
            awaitQuiet(segments)
        }
    }

    /// Comes back until the moment for sealing is there.
    private func awaitQuiet(_ segments: SegmentFolder) {
        let quiet = DerivedWriting.quiet
        derived.queue.asyncAfter(deadline: .now() + .milliseconds(quiet)) { [self] in
            if isEnding { return }
            let head = state.withLock { $0.head.position }
            let isTime = derived.schedule.withLock { schedule in
                let backlog = (head - schedule.sealedAt) / segments.eventCount
                return backlog >= DerivedWriting.backlogMax
                    || ContinuousClock.now - schedule.lastCommit >= .milliseconds(quiet)
            }
            guard isTime else { return awaitQuiet(segments) }
            let failedAt = seal(segments)
            derived.schedule.withLock { schedule in
                schedule.isSealing = false
                schedule.sealedAt = head
                if let failedAt { schedule.sealAgainAt = failedAt + segments.eventCount }
            }
            // A range that was finished just before that.
            scheduleSealing(state.withLock { $0.head.position })
        }
    }

    /// - Returns: The ledger's end when a segment could not be written; the next is tried a range later.
    private func seal(_ segments: SegmentFolder) -> Int64? {
        while !isEnding {
            let head = state.withLock { $0.head.position }
            do {
                let isWritten = try segments.sealNext(from: store, through: head) { !isEnding }
                guard isWritten else { return nil }
            } catch {
                log.tell(.warning, "a segment was not written: \(Self.storeError(error).message)")
                return head
            }
        }
        return nil
    }

    private var isEnding: Bool { derived.isEnding.load(ordering: .relaxed) }

    // MARK: Snapshots

    /// Whether opening would read longer than a start may take.
    private func isSnapshotDue(_ head: Int64) -> Bool {
        head - snapshotPosition.withLock { $0 } > startUp.withLock { $0.tailCountMax }
    }

    /// A long-lived process writes one beside its work, but spends no more than a tenth of its time on them.
    private func scheduleSnapshot(_ head: Int64) {
        guard isSnapshotDue(head) else { return }
        derived.schedule.withLock { schedule in
            guard !schedule.isSnapshotting, ContinuousClock.now >= schedule.nextSnapshot else {
                return
            }
            schedule.isSnapshotting = true
            derived.queue.async { [self] in
                let start = ContinuousClock.now
                snapshotOrWarn()
                let end = ContinuousClock.now
                derived.schedule.withLock { schedule in
                    schedule.isSnapshotting = false
                    schedule.nextSnapshot = end + (end - start) * 9
                }
            }
        }
    }

    private func snapshotOrWarn() {
        do {
            try writeSnapshot(isDigesting: false) { _, _ in }
        } catch {
            log.tell(.warning, "no snapshot was written: \(error)")
        }
    }
}

/// Where segments and snapshots are written beside the work.
final class DerivedWriting: Sendable {
    /// Milliseconds without a commit after which nobody seems to write.
    static let quiet = 100
    /// So many ranges wait for a quiet moment at most: a million events.
    static let backlogMax: Int64 = 64

    struct Schedule {
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

    /// One file at a time, behind everybody who answers or commits.
    let queue = DispatchQueue(label: "daybook.derived", qos: .utility)
    let schedule = Mutex(Schedule())
    /// The ledger is being closed.
    let isEnding = Atomic<Bool>(false)
}
