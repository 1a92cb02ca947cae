import DaybookDomain
import DaybookEvents
import DaybookStore
import Logging

/// A snapshot that was written.
public struct SnapshotReport: Sendable, Equatable {
    public var path: String
    public var byteCount: Int
    /// The last position that it covers.
    public var position: Int64
    public var units: Int
    /// Of all segments of the ledger.
    public var segmentByteCount: Int
}

extension Ledger {
    /// Where the snapshots of a ledger file are: `snapshots/<name>` beside a folder `events`, else beside the file.
    /// - Parameter path: As the store gives it, absolute and without symbolic links: one ledger has one folder.
    static func snapshotFolder(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[parts.count - 2] == "events" else {
            return path + ".snapshots"
        }
        let above = parts.dropLast(2).joined(separator: "/")
        return (above.isEmpty ? "" : above + "/") + "snapshots/" + parts[parts.count - 1]
    }

    /// The segments of a ledger file; `nil` for a ledger in memory.
    static func segments(
        of store: any EventStore, _ path: String?, _ eventCount: Int64, isReadOnly: Bool,
        _ log: Logger
    ) -> SegmentFolder? {
        path.map { path in
            SegmentFolder(
                path: snapshotFolder(of: path), store: store, like: path,
                ledger: SnapshotFormat.ledgerNumber(store.header),
                fingerprint: SnapshotFormat.fingerprint, eventCount: eventCount,
                isReadOnly: isReadOnly, report: { log.tell(.warning, $0) })
        }
    }

    /// Seals what is not sealed yet and writes what the ledger must know at its end, so that the next opening only
    /// reads what came after.
    /// - Parameter progress: Events that were sealed, and how many are to be.
    /// - Throws: `LedgerError.store` for a ledger in memory, or when the folder cannot be written; what `progress`
    ///   throws. The ledger itself is not concerned.
    @discardableResult
    public func snapshot(
        progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> SnapshotReport {
        try writeSnapshot(isDigesting: true, progress: progress)
    }

    /// - Parameter isDigesting: Whether every unit is folded and digested, which costs as much as a replay.
    @discardableResult
    func writeSnapshot(
        isDigesting: Bool, progress: (Int64, Int64) throws -> Void
    ) throws -> SnapshotReport {
        try refresh()
        return try translating {
            guard !isReadOnly else {
                throw StoreError(
                    .readOnly,
                    "the ledger was opened for reading; open it for writing to snapshot it")
            }
            guard let path, let segments = events.segments else {
                throw StoreError(.failed, "a ledger in memory has no place for snapshots")
            }
            // A copy: writing holds no lock, and appends go on.
            let frozen = state.withLock { $0 }
            let folder = Self.snapshotFolder(of: path)
            try DerivedFile.createFolder(folder, like: path)
            let position = frozen.head.position
            guard position > 0 else {
                throw StoreError(.failed, "the ledger is empty; there is nothing to snapshot")
            }
            let history = try snapshotHistory(frozen)
            try segments.seal(from: store, through: position, progress: progress)
            let sums = isDigesting ? try BucketSums.folding(frozen) : nil
            // Whatever the digest found to be damaged is written anew.
            try segments.seal(from: store, through: position)
            let header = ContainerHeader(
                kind: .snapshot, fingerprint: SnapshotFormat.fingerprint,
                ledger: SnapshotFormat.ledgerNumber(store.header), firstPosition: 0,
                history: history,
                stateDigest: (sums?.units.digest ?? StateDigest()).bytes)
            let ladder = SnapshotLadder(folder: folder)
            let file = ladder.path(cut: position)
            let sections = SnapshotSections(
                state: frozen, sums: sums, secret: store.header.secret
            ).all()
            try knowledge.check()
            try ContainerWriter.write(header, sections, to: file, like: path)
            ladder.prune(through: position)
            snapshotPosition.withLock { $0 = position }
            goOn(from: file)
            return SnapshotReport(
                path: file, byteCount: sections.reduce(0) { $0 + $1.bytes.count },
                position: position, units: sums?.units.unitCount ?? 0,
                segmentByteCount: segments.segments.reduce(0) { $0 + $1.byteCount })
        }
    }

    /// The history of a state, with all names and streams that it knows.
    private func snapshotHistory(_ state: LedgerState) throws -> HistoryPoint {
        guard let known = state.history, known.position == state.head.position,
            try store.confirms(known),
            let history = try store.point(
                at: known.position, names: Int64(state.storedNameCount),
                streams: Int64(state.storedStreamCount))
        else {
            throw StoreError.otherHistory(
                path ?? app, "the snapshot would be of", state.history?.hash ?? .zero,
                at: state.head.position, nil)
        }
        return history
    }

    /// Goes on upon a snapshot that was just written: what it holds need not stay in memory.
    private func goOn(from path: String) {
        do {
            try handOver(to: path)
        } catch {
            log.tell(
                .notice,
                "the ledger goes on without its new snapshot: \(Self.storeError(error).message)")
        }
    }

    private func handOver(to path: String) throws {
        var fresh = try restored(try ContainerFile(path: path), cache)
        // What was appended meanwhile is taken in before the writer has to wait.
        while true {
            let head = state.withLock { $0.head }
            guard head.position - fresh.head.position > Self.handoverCountMax else { break }
            try advance(&fresh, through: head)
        }
        // Under the lock no commit is half-way between its decision and its publication.
        // What was before is freed after the writer has gone on.
        var former: LedgerState?
        try store.exclusively { _ in
            try state.withLock { state in
                fresh.keys = state.keys
                try advance(&fresh, through: state.head)
                if let history = state.history { fresh.note(history) }
                former = state
                state = fresh
            }
        }
        withExtendedLifetime(former) {}
    }

    /// Events that are taken in while the writer waits: a millisecond.
    private static let handoverCountMax: Int64 = 1_000

    /// A snapshot that was given a digest when it was written.
    struct DigestedSnapshot {
        var cut: Int64
        var digest: [UInt8]
        /// The section `sums`; empty where it cannot be read.
        var sums: [UInt8]
        /// `nil` where the snapshot is of the very end that was asked for.
        var state: LedgerState?
    }

    /// The newest one at or before a position; what cannot be used is passed over, as an opening told already.
    func digestedSnapshot(through head: Int64) -> DigestedSnapshot? {
        guard let path else { return nil }
        let ladder = SnapshotLadder(folder: Self.snapshotFolder(of: path))
        for cut in ladder.cuts.reversed() where cut <= head {
            // Whatever is the matter with the file, it says no digest of this history; `verify` tells of it.
            guard let file = try? ContainerFile(path: ladder.path(cut: cut)),
                file.header.stateDigest.contains(where: { $0 != 0 }),
                (try? checkSnapshot(file)) != nil, file.header.cut == cut,
                file.fingerprint("sums") == SnapshotFormat.foldFingerprint
            else { continue }
            let digest = file.header.stateDigest
            let sums = (try? file.bytes("sums")) ?? []
            if cut == head {
                return DigestedSnapshot(cut: cut, digest: digest, sums: sums, state: nil)
            }
            guard let state = try? restored(file, nil) else { continue }
            return DigestedSnapshot(cut: cut, digest: digest, sums: sums, state: state)
        }
        return nil
    }

    /// The cut of the snapshot that this ledger began with or wrote last; 0 without one.
    package var snapshotCut: Int64 { snapshotPosition.withLock { $0 } }

    /// Begins with the newest snapshot that fits; one that does not is told in one log line and not used (law 3).
    func restoreSnapshot() {
        if let restored = newestSnapshot(through: Int64.max, cache: cache) {
            state.withLock { $0 = restored }
            snapshotPosition.withLock { $0 = restored.head.position }
        }
    }

    /// The state of the newest snapshot at or before a position; `nil` where there is none that fits.
    /// - Parameter cache: Of the units that are asked for; a state of the past has none.
    func newestSnapshot(through position: Int64, cache: UnitCache? = nil) -> LedgerState? {
        guard let path else { return nil }
        let ladder = SnapshotLadder(folder: Self.snapshotFolder(of: path))
        let cuts = ladder.cuts
        // Asked after the folder was read: whoever wrote a snapshot had its events before. A ledger that cannot tell
        // its end is not opened anyway.
        let head = (try? store.head().position) ?? 0
        let beyond = cuts.filter { $0 > head }
        // Told by an opening, not again by each question about the past.
        if position == Int64.max, let first = beyond.first {
            log.tell(
                .warning,
                "snapshots beyond the ledger's end, \(head), are passed over: \(beyond.count), the first is \(first)"
            )
        }
        var foreign: [String] = []
        defer { setAside("snapshots", foreign) }
        for cut in cuts.reversed() where cut <= min(position, head) {
            do {
                return try restored(try ContainerFile(path: ladder.path(cut: cut)), cache)
            } catch let error as StoreError where error.code == .otherHistory {
                foreign.append(ladder.path(cut: cut))
            } catch {
                log.tell(
                    .warning, "snapshot \(cut) is not used: \(Self.storeError(error).message)")
            }
        }
        return nil
    }

    /// Makes what a snapshot holds again, from rows alone, should its file be lost while it is mapped.
    private func snapshotImage() -> SnapshotImage {
        SnapshotImage(knowledge: knowledge) { [weak self] cut, nameCount, streamCount in
            guard let self else {
                throw StoreError(.closed, "the ledger is closed; open it again")
            }
            var state = LedgerState(log: events)
            try state.takeNames(from: store, countMax: nameCount)
            for record in try store.streams(after: 0).prefix(streamCount) { state.add(record) }
            try store.scan(
                after: .start, through: Checkpoint(position: cut), chunkCount: 1_000
            ) { events in
                for index in events.indices { state.apply(events[index], recordedAt: 0) }
            }
            try settle(&state)
            return SnapshotSections(
                state: state, sums: nil, secret: store.header.secret
            ).all()
        }
    }

    /// - Throws: Why a file is no snapshot of this history.
    private func checkSnapshot(_ file: ContainerFile) throws {
        let header = file.header
        func refuse(_ reason: String) -> StoreError { StoreError(.damaged, reason) }
        guard header.kind == .snapshot else { throw refuse("it is no snapshot") }
        guard header.fingerprint == SnapshotFormat.fingerprint else {
            throw refuse("another vocabulary wrote it")
        }
        guard header.ledger == SnapshotFormat.ledgerNumber(store.header) else {
            throw refuse("it is of another ledger")
        }
        guard header.cut >= 1, try store.confirms(header.history) else {
            throw StoreError(.otherHistory, "it was made from another history of this ledger")
        }
    }

    private func restored(_ file: ContainerFile, _ cache: UnitCache?) throws -> LedgerState {
        try checkSnapshot(file)
        let header = file.header
        func refuse(_ reason: String) -> StoreError { StoreError(.damaged, reason) }
        let base = try MappedState(file, store.header.secret, image: snapshotImage())
        var state = LedgerState(log: events, base: base, cache: cache)
        try state.takeNames(from: store)
        let later = try store.streams(after: UInt32(state.storedStreamCount))
        guard let row = try store.rows(at: [header.cut]).first else {
            throw StoreError(.damaged, "its last event is not in this ledger")
        }
        // Corrections first: of an alias that was voided no later stream may be grouped.
        for row in try store.rows(at: state.special) { state.noteSpecial(row.event) }
        for record in later { state.add(record) }
        state.setHead(
            StoreHead(position: header.cut, recordedAt: row.recordedAt), header.history)
        try settle(&state)
        return state
    }
}

extension StateDigest {
    /// 32 bytes, most significant first.
    var bytes: [UInt8] {
        [words.3, words.2, words.1, words.0].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }
}
