import DaybookDomain
import DaybookEvents
import DaybookStore
import Dispatch
import Synchronization

/// A snapshot that was written.
public struct SnapshotReport: Sendable, Equatable {
    public var path: String
    public var byteCount: Int
    /// The last position that it covers.
    public var position: Int64
    public var units: Int
}

extension Ledger {
    /// A clean shutdown writes a snapshot when opening would fold more events than this: about the 250 ms
    /// that a start may take (design §7), at the rate measured in `Benchmarks/`.
    static let tailCountMax: Int64 = 100_000

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

    /// Writes the folded state beside the ledger, so that the next opening only folds what came after.
    /// - Throws: `LedgerError.store` for a ledger in memory, or when the folder cannot be written; the
    ///   ledger itself is not concerned.
    @discardableResult
    public func snapshot() throws -> SnapshotReport {
        try refresh()
        return try translating {
            guard let path else {
                throw StoreError(.failed, "a ledger in memory has no place for snapshots")
            }
            try heal()
            // A copy: writing holds no lock, and appends go on.
            let frozen = state.withLock { $0 }
            let folder = Self.snapshotFolder(of: path)
            try DerivedFile.createFolder(folder)
            let position = frozen.head.position
            guard let row = try store.rows(at: [position]).first else {
                throw StoreError(.failed, "the ledger is empty; there is nothing to snapshot")
            }
            let digest = try Self.digest(of: frozen)
            let header = ContainerHeader(
                kind: .snapshot, fingerprint: StateSnapshot.fingerprint,
                ledger: StateSnapshot.ledgerNumber(store.header), firstPosition: 0, cut: position,
                anchor: StateSnapshot.anchor(row), stateDigest: digest.digest.bytes)
            let ladder = SnapshotLadder(folder: folder)
            let file = ladder.path(cut: position)
            let sections = try StateSnapshot.sections(frozen)
            try ContainerWriter.write(header, sections, to: file)
            ladder.prune()
            snapshotPosition.withLock { $0 = position }
            return SnapshotReport(
                path: file, byteCount: sections.reduce(0) { $0 + $1.bytes.count },
                position: position, units: digest.unitCount)
        }
    }

    /// The cut of the snapshot that this ledger began with or wrote last; 0 without one.
    package var snapshotCut: Int64 { snapshotPosition.withLock { $0 } }

    /// Folds anew what a damaged snapshot cannot give (law 3).
    func heal() throws {
        try state.withLock { state in
            let damaged = state.units.ids.filter {
                if case .damaged = state.units.lookup($0) { true } else { false }
            }
            guard !damaged.isEmpty else { return }
            log.warning("\(damaged.count) units of the snapshot are damaged and are folded anew")
            for unit in damaged { state.refoldUnit(of: unit) }
            try settle(&state)
        }
    }

    /// Begins with the newest snapshot that fits; one that does not is told in one log line and not used (law 3).
    func restoreSnapshot() {
        if let restored = newestSnapshot(through: Int64.max) {
            state.withLock { $0 = restored }
            snapshotPosition.withLock { $0 = restored.head.position }
        }
    }

    /// The state of the newest snapshot at or before a position; `nil` where there is none that fits.
    func newestSnapshot(through position: Int64) -> LedgerState? {
        guard let path else { return nil }
        let ladder = SnapshotLadder(folder: Self.snapshotFolder(of: path))
        for cut in ladder.cuts.reversed() where cut <= position {
            do {
                return try restored(try ContainerFile(path: ladder.path(cut: cut)))
            } catch {
                log.warning(
                    "snapshot \(cut) is not used: \(Self.storeError(error).message)")
            }
        }
        return nil
    }

    private func restored(_ file: ContainerFile) throws -> LedgerState {
        let header = file.header
        let head = try store.head()
        func refuse(_ reason: String) -> StoreError { StoreError(.damaged, reason) }
        guard header.kind == .snapshot else { throw refuse("it is no snapshot") }
        guard header.fingerprint == StateSnapshot.fingerprint else {
            throw refuse("another vocabulary wrote it")
        }
        guard header.ledger == StateSnapshot.ledgerNumber(store.header) else {
            throw refuse("it is of another ledger")
        }
        guard header.cut >= 1, header.cut <= head.position,
            let row = try store.rows(at: [header.cut]).first,
            StateSnapshot.anchor(row) == header.anchor
        else { throw refuse("its last event is not in this ledger") }
        var state = LedgerState()
        try state.takeNames(from: store)
        for record in try store.streams(after: 0) { state.add(record) }
        let units = SnapshotUnits(file)
        try StateSnapshot.restore(file, units, into: &state)
        for row in try store.rows(at: state.special) { state.noteSpecial(row.event) }
        state.joinLaterStreams()
        state.setHead(StoreHead(position: header.cut, recordedAt: row.recordedAt))
        try settle(&state)
        if !units.stale.isEmpty { try rebuild(units, &state) }
        return state
    }

    /// Folds the projections again that another version of their fold wrote; the other parts are used as they are.
    private func rebuild(_ units: SnapshotUnits, _ state: inout LedgerState) throws {
        let names = units.stale.map(\.rawValue).joined(separator: " and ")
        log.notice("snapshot: another version wrote \(names); folding that part again")
        let folded = try ReplayFold(
            store: store, frozen: state, workers: 1, batchCount: 1_000,
            projections: Projections(units.stale)
        ).run { _, _ in }
        let kept = Projection.allCases.filter { !units.stale.contains($0) }
        for (unit, part) in folded {
            guard var whole = units.state(unit, kept) else {
                state.refoldUnit(of: unit)
                continue
            }
            for projection in units.stale { whole.take(projection, from: part) }
            state.replace(unit, whole)
        }
        try settle(&state)
    }

    /// Whether opening would fold longer than a start may take, and somebody may write.
    private var isSnapshotDue: Bool {
        guard path != nil, !isReadOnly else { return false }
        let head = state.withLock { $0.head.position }
        return head - snapshotPosition.withLock { $0 } > Self.tailCountMax
    }

    /// A clean shutdown leaves a snapshot behind when the tail is long.
    func snapshotIfWorthwhile() {
        snapshots.queue.sync {}
        if isSnapshotDue { snapshotOrWarn() }
    }

    /// A long-lived process writes one beside its work, but spends no more than a tenth of its time on them.
    func scheduleSnapshot() {
        guard isSnapshotDue else { return }
        let isMine = snapshots.schedule.withLock { schedule in
            guard !schedule.isRunning, ContinuousClock.now >= schedule.next else { return false }
            schedule.isRunning = true
            return true
        }
        guard isMine else { return }
        snapshots.queue.async { [self] in
            let start = ContinuousClock.now
            snapshotOrWarn()
            let end = ContinuousClock.now
            snapshots.schedule.withLock { schedule in
                schedule.isRunning = false
                schedule.next = end + (end - start) * 9
            }
        }
    }

    private func snapshotOrWarn() {
        do {
            try snapshot()
        } catch {
            log.warning("no snapshot was written: \(error)")
        }
    }
}

/// Where snapshots are written beside the work, one at a time.
final class SnapshotWriting: Sendable {
    struct Schedule {
        var isRunning = false
        /// No snapshot begins before.
        var next = ContinuousClock.now
    }

    let queue = DispatchQueue(label: "daybook.snapshots")
    let schedule = Mutex(Schedule())
}

extension StateDigest {
    /// 32 bytes, most significant first.
    var bytes: [UInt8] {
        [words.3, words.2, words.1, words.0].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }
}
