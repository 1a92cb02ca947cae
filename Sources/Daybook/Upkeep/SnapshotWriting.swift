import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes a ledger's snapshots, and lets the ledger go on upon them.
struct SnapshotWriting {
    let core: LedgerCore

    /// Seals what is not sealed yet and writes what the ledger must know at its end.
    /// - Parameter isDigesting: Whether every aggregate is folded and digested, which costs as much as a replay.
    @discardableResult
    func write(
        isDigesting: Bool, progress: (Int64, Int64) throws -> Void
    ) throws -> SnapshotReport {
        try core.refresh()
        return try core.translating {
            guard !core.isReadOnly else {
                throw StoreError(
                    .readOnly,
                    "the ledger was opened for reading; open it for writing to snapshot it")
            }
            guard let path = core.path, let segments = core.events.segments,
                let folder = core.snapshots.folder
            else {
                throw StoreError(.failed, "a ledger in memory has no place for snapshots")
            }
            // A copy: writing holds no lock, and appends go on.
            let frozen = core.state.withLock { $0 }
            try DerivedFile.createFolder(folder.path, like: path)
            let position = frozen.head.position
            guard position > 0 else {
                throw StoreError(.failed, "the ledger is empty; there is nothing to snapshot")
            }
            let history = try snapshotHistory(frozen)
            try segments.seal(from: core.store, through: position, progress: progress)
            let sums = isDigesting ? try BucketSums.folding(frozen) : nil
            // Whatever the digest found to be damaged is written anew.
            try segments.seal(from: core.store, through: position)
            let header = ContainerHeader(
                kind: .snapshot, fingerprint: SnapshotFormat.fingerprint,
                ledger: SnapshotFormat.ledgerNumber(core.store.header), firstPosition: 0,
                history: history,
                stateDigest: (sums?.aggregates.digest ?? StateDigest()).bytes)
            let ladder = SnapshotLadder(folder: folder.path)
            let file = ladder.path(cut: position)
            let sections = SnapshotSections(
                state: frozen, sums: sums, secret: core.store.header.secret
            ).all()
            try core.knowledge.check()
            try ContainerWriter.write(header, sections, to: file, like: path)
            ladder.prune(through: position)
            core.snapshotPosition.withLock { $0 = position }
            goOn(from: file)
            return SnapshotReport(
                path: file, byteCount: sections.reduce(0) { $0 + $1.bytes.count },
                position: position, aggregates: sums?.aggregates.aggregateCount ?? 0,
                segmentByteCount: segments.segments.reduce(0) { $0 + $1.byteCount })
        }
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
    }

    /// Events that are taken in while the writer waits: a millisecond.
    private static let handoverCountMax: Int64 = 1_000
}
