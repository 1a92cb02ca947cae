import CDaybook
import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes a ledger's snapshots, and lets the ledger go on upon them.
struct SnapshotWriting {
    let core: LedgerCore

    /// Seals what is not sealed yet and writes what the ledger must know at its end.
    /// - Parameters:
    ///   - isDigesting: Whether every aggregate is folded and digested, which costs as much as a replay.
    ///   - givesWay: Whether threads that answer and commit go first.
    @discardableResult
    func write(
        isDigesting: Bool, givesWay: Bool, progress: (Int64, Int64) throws -> Void
    ) throws -> SnapshotReport {
        return try core.answering {
            let report = try written(
                isDigesting: isDigesting, givesWay: givesWay, progress: progress)
            core.snapshotPosition.withLock { $0 = report.position }
            // Not on the thread that gives way: the writer has to wait meanwhile.
            goOn(from: report.path)
            return report
        }
    }

    private func written(
        isDigesting: Bool, givesWay: Bool, progress: (Int64, Int64) throws -> Void
    ) throws -> SnapshotReport {
        try StoreError.require(
            !core.isReadOnly, .readOnly,
            "the ledger was opened for reading; open it for writing to snapshot it")
        guard let path = core.path, let segments = core.events.segments,
            let folder = core.snapshots.folder
        else {
            throw StoreError(.failed, "a ledger in memory has no place for snapshots")
        }
        try DerivedFile.createFolder(folder.path, like: path)
        let head = core.state.withLock { $0.head.position }
        _ = try Parallel.givingWay(givesWay) {
            try segments.seal(from: core.store, through: head, progress: progress)
        }
        // A copy: writing holds no lock, and appends go on. What they change meanwhile is there twice, so what takes
        // long comes before.
        let frozen = core.state.withLock { $0 }
        let position = frozen.head.position
        try StoreError.require(
            position > 0, .failed, "the ledger is empty; there is nothing to snapshot")
        let history = try snapshotHistory(frozen)
        let (file, byteCount, sums) = try Parallel.givingWay(givesWay) {
            try segments.seal(from: core.store, through: position)
            let sums =
                isDigesting
                ? try BucketSums.folding(frozen, workers: Self.workers(givesWay)) : nil
            // Whatever the digest found to be damaged is written anew.
            try segments.seal(from: core.store, through: position)
            let (file, byteCount) = try write(frozen, history, sums, into: folder, like: path)
            return (file, byteCount, sums)
        }
        return SnapshotReport(
            path: file, byteCount: byteCount,
            position: position, aggregates: sums?.aggregates.aggregateCount ?? 0,
            segmentByteCount: segments.segments.reduce(0) { $0 + $1.byteCount })
    }

    /// One of the store's four connections stays free for a writer, and one processor for those who go first: what
    /// wakes up on a busy one may wait until the scheduler's next tick.
    private static func workers(_ givesWay: Bool) -> Int {
        min(3, max(1, AggregatePass.workersDefault - (givesWay ? 1 : 0)))
    }

    /// - Returns: The file, and the bytes of its sections.
    private func write(
        _ frozen: LedgerState, _ history: HistoryPoint, _ sums: BucketSums?,
        into folder: DerivedFolder, like path: String
    ) throws -> (file: String, byteCount: Int) {
        let header = ContainerHeader(
            kind: .snapshot, fingerprint: SnapshotFormat.fingerprint,
            ledger: SnapshotFormat.ledgerNumber(core.store.header), firstPosition: 0,
            history: history,
            stateDigest: (sums?.aggregates.digest ?? StateDigest()).bytes)
        let ladder = SnapshotLadder(folder: folder.path)
        let file = ladder.path(cut: frozen.head.position)
        let sections = SnapshotSections(
            state: frozen, sums: sums, secret: core.store.header.secret
        ).all()
        try core.knowledge.check()
        let byteCount = try ContainerWriter.write(header, sections, to: file, like: path) {
            // What was read from a file that was lost meanwhile must not get into another one.
            try core.knowledge.check()
        }
        ladder.prune(through: frozen.head.position)
        return (file, byteCount)
    }

    /// The history of a state, with all names and streams that it knows.
    private func snapshotHistory(_ state: LedgerState) throws -> HistoryPoint {
        guard let known = state.history, known.position == state.head.position,
            try core.store.confirms(known),
            let history = try core.store.point(
                at: known.position, names: Int64(state.storedNameCount),
                streams: Int64(state.storedStreamCount))
        else {
            throw StoreError.otherHistory(
                core.path ?? core.app, "the snapshot would be of", state.history?.hash ?? .zero,
                at: state.head.position, nil)
        }
        return history
    }

    /// Goes on upon a snapshot that was just written: what it holds need not stay in memory.
    private func goOn(from path: String) {
        do {
            try handOver(to: path)
        } catch {
            core.log.tell(
                .notice,
                "the ledger goes on without its new snapshot: \(StoreError.wrapping(error).message)"
            )
        }
    }

    private func handOver(to path: String) throws {
        var fresh = try core.snapshots.restored(try ContainerFile(path: path), core.cache)
        // What was appended meanwhile is taken in before the writer has to wait.
        while true {
            let head = core.state.withLock { $0.head }
            guard head.position - fresh.head.position > Self.handoverCountMax else { break }
            try core.advance(&fresh, through: head)
        }
        // Under the lock no commit is half-way between its decision and its publication.
        // What was before is freed after the writer has gone on.
        var former: LedgerState?
        try core.store.exclusively { _ in
            try core.state.withLock { state in
                fresh.keys = state.keys
                try core.advance(&fresh, through: state.head)
                if let history = state.history { fresh.note(history) }
                former = state
                state = fresh
            }
        }
        withExtendedLifetime(former) {}
        former = nil
        // Names and streams that came since the snapshot before: much, and in small pieces.
        daybook_give_back_memory()
    }

    /// Events that are taken in while the writer waits: a millisecond.
    private static let handoverCountMax: Int64 = 1_000
}
