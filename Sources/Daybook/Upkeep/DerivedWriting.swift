import DaybookEvents
import DaybookStore
import Dispatch
import Logging
import Synchronization

/// Segments, snapshots and large runs of keys that a long-lived process writes beside its work: outside of the lock,
/// one at a time, and whatever becomes of them, no commit is concerned.
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
        /// No snapshot begins before, unless names fill the memory.
        var nextSnapshot = ContinuousClock.now
        /// After a failure: no snapshot begins before.
        var snapshotAgain = ContinuousClock.now
        /// Names that were in memory after the last snapshot was written: none, unless the ledger could not go on upon
        /// it.
        var namesHeld = 0
        /// When it was looked last whether runs of keys are to be merged.
        var keys = KeysAtHand()
    }

    /// What says whether runs of keys may be due that were not before.
    private struct KeysAtHand: Equatable {
        var sealedThrough: Int64 = 0
        var fileCount = 0

        init() {}

        init(_ keys: KeyIndex?) {
            sealedThrough = keys?.sealedThrough ?? 0
            fileCount = keys?.fileCount ?? 0
        }
    }

    /// One file at a time, behind every answer and every commit.
    private let queue = DispatchQueue(label: "daybook.derived", qos: .utility)
    private let plan = Mutex(Plan())
    /// The ledger is being closed.
    private let ending = Atomic<Bool>(false)
    /// A snapshot waits that is pressing.
    private let pressing = Atomic<Bool>(false)

    init(_ core: LedgerCore) { self.core = core }

    private var isEnding: Bool { ending.load(ordering: .relaxed) }

    /// Begins what is due after a group of requests.
    /// - Parameter hasAppended: What appends nothing is no commit, and does not postpone the sealing of what is there.
    func schedule(hasAppended: Bool) {
        guard core.path != nil, !core.isReadOnly else { return }
        let (held, keys) = core.state.withLock { (Held($0), KeysAtHand($0.keys)) }
        scheduleSealing(held.head, hasAppended: hasAppended)
        scheduleSnapshot(held)
        scheduleMerging(keys)
    }

    /// Waits for what is written beside the work, with all that is due now.
    func finish() {
        schedule(hasAppended: false)
        queue.sync {
            if let segments = core.events.segments { _ = seal(segments) }
            mergeKeys(countMax: .max, givesWay: true)
        }
    }

    /// Ends what is written beside the work: a segment and a run of keys are given up, a snapshot is waited for. A
    /// clean shutdown leaves a snapshot behind when one is due.
    func end() {
        guard core.path != nil, !core.isReadOnly else { return }
        ending.store(true, ordering: .relaxed)
        queue.sync {}
        // Nothing is left to give way to.
        if urgency(core.state.withLock { Held($0) }) != .none { snapshotOrWarn(givesWay: false) }
        mergeKeys(countMax: Self.keysOfClosingMax, givesWay: false)
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

    /// What came since the snapshot that a ledger goes on upon.
    private struct Held {
        var head: Int64
        /// Names that are in memory.
        var nameCount: Int
        /// Those that the snapshot has.
        var writtenCount: Int

        init(_ state: LedgerState) {
            head = state.head.position
            nameCount = state.names.heldCount
            writtenCount = state.names.count - nameCount
        }
    }

    private enum Urgency {
        case none
        /// Opening would read longer than a start may take, or much of what came since the last snapshot is in memory,
        /// where its place is in the file of one.
        case due
        /// Twice as many names are in memory: the next one does not wait, and does not give way.
        case pressing
    }

    private func urgency(_ held: Held) -> Urgency {
        let tail = held.head - core.snapshotPosition.withLock { $0 }
        let nameCount = held.nameCount - plan.withLock { $0.namesHeld }
        let namesMax = max(core.held.namesMax, held.writtenCount / 8)
        if tail > 0, nameCount > 2 * namesMax { return .pressing }
        let tailMax = min(core.startUp.withLock { $0.tailCountMax }, core.held.eventsMax)
        return tail > tailMax || tail > 0 && nameCount > namesMax ? .due : .none
    }

    /// A long-lived process writes one beside its work, but spends no more than a tenth of its time on them, unless
    /// names fill its memory.
    private func scheduleSnapshot(_ held: Held) {
        let urgency = urgency(held)
        if urgency == .none { return }
        plan.withLock { plan in
            let now = ContinuousClock.now
            guard now >= plan.snapshotAgain else { return }
            // One that waits behind a merge need not wait for its end.
            if urgency == .pressing { pressing.store(true, ordering: .relaxed) }
            guard !plan.isSnapshotting, urgency == .pressing || now >= plan.nextSnapshot
            else { return }
            plan.isSnapshotting = true
            queue.async { [self] in
                // What waited behind other work may have become pressing.
                let urgency = self.urgency(core.state.withLock { Held($0) })
                let start = ContinuousClock.now
                let isWritten = snapshotOrWarn(givesWay: urgency != .pressing)
                let end = ContinuousClock.now
                self.plan.withLock { plan in
                    // Together: what is found pressing from here on is of another snapshot.
                    pressing.store(false, ordering: .relaxed)
                    plan.isSnapshotting = false
                    plan.nextSnapshot = end + (end - start) * 9
                    if !isWritten { plan.snapshotAgain = end + core.held.pauseAfterFailure }
                }
            }
        }
    }

    /// - Returns: Whether one was written.
    @discardableResult
    private func snapshotOrWarn(givesWay: Bool) -> Bool {
        do {
            try SnapshotWriting(core: core).write(isDigesting: false, givesWay: givesWay) { _, _ in
            }
            let namesHeld = core.state.withLock { $0.names.heldCount }
            plan.withLock { $0.namesHeld = namesHeld }
            return true
        } catch {
            core.log.tell(.warning, "no snapshot was written: \(error)")
            return false
        }
    }

    // MARK: Keys

    /// So many positions are put together when a ledger is closed: what is more takes seconds, and is done by a process
    /// that lives on.
    private static let keysOfClosingMax: Int64 = 1 << 20

    private func scheduleMerging(_ keys: KeysAtHand) {
        let isNew = plan.withLock { plan in
            defer { plan.keys = keys }
            return plan.keys != keys
        }
        if isNew { queue.async { [self] in mergeKeys(countMax: .max, givesWay: true) } }
    }

    /// Puts runs of keys together that are too large for a commit to do it; where the ledger is closed meanwhile, or a
    /// snapshot is pressing, what was begun is given up.
    /// - Parameter countMax: Positions of all runs that are put together.
    private func mergeKeys(countMax: Int64, givesWay: Bool) {
        var left = countMax
        var last: ClosedRange<Int64>?
        while let runs = core.state.withLock({ $0.keys })?.due(countMax: left) {
            do {
                let merged = try Parallel.givingWay(givesWay) {
                    try core.keys.write(merged: runs) { [self] in
                        !givesWay || !isEnding && !pressing.load(ordering: .relaxed)
                    }
                }
                // Looked at again after the next commit: one that took its copy before shows the parts once more.
                plan.withLock { $0.keys = KeysAtHand() }
                guard let merged else { return }
                core.state.withLock { $0.keys?.replace(merged) }
                if merged.range == last { return }
                last = merged.range
                left -= Int64(merged.range.count)
            } catch {
                core.log.tell(
                    .warning,
                    "lookup arrays stay in parts: \(StoreError.wrapping(error).message)")
                return
            }
        }
    }
}
