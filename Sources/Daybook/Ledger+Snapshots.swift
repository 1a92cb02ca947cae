import DaybookDomain
import DaybookEvents
import DaybookStore

/// A snapshot that was written.
public struct SnapshotReport: Sendable, Equatable {
    public var path: String
    public var byteCount: Int
    /// The last position that it covers.
    public var position: Int64
    public var units: Int
}

extension Ledger {
    /// How many snapshots are kept: the newest, and one in case that it is damaged.
    static let snapshotsKept = 2
    /// A clean shutdown writes a snapshot when opening would fold more events than this: about the 250 ms
    /// that a start may take (design §7), at the rate measured in `Benchmarks/`.
    static let tailCountMax: Int64 = 100_000

    /// Where the snapshots of a ledger file are: `snapshots/<name>` beside a folder `events`, else beside the file.
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
            let number = String(position)
            let name =
                String(repeating: "0", count: max(0, 12 - number.count)) + number + ".daysnap"
            let sections = try StateSnapshot.sections(frozen)
            try ContainerWriter.write(header, sections, to: "\(folder)/\(name)")
            prune(folder)
            snapshotPosition.withLock { $0 = position }
            return SnapshotReport(
                path: "\(folder)/\(name)", byteCount: sections.reduce(0) { $0 + $1.bytes.count },
                position: position, units: digest.unitCount)
        }
    }

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

    private func prune(_ folder: String) {
        let names = DerivedFile.names(in: folder, suffix: ".daysnap")
        for name in names.dropLast(Self.snapshotsKept) { DerivedFile.remove("\(folder)/\(name)") }
    }

    /// Begins with the newest snapshot that fits; one that does not is told in one log line and not used (law 3).
    func restoreSnapshot() {
        guard let path else { return }
        let folder = Self.snapshotFolder(of: path)
        for name in DerivedFile.names(in: folder, suffix: ".daysnap").reversed() {
            do {
                try restore(try ContainerFile(path: "\(folder)/\(name)"))
                return
            } catch {
                log.warning("snapshot \(name) is not used: \(Self.storeError(error).message)")
                state.withLock { $0 = LedgerState() }
            }
        }
    }

    private func restore(_ file: ContainerFile) throws {
        let header = file.header
        let head = try store.head()
        func refuse(_ reason: String) -> StoreError { StoreError(.damaged, reason) }
        guard header.kind == .snapshot else { throw refuse("it is no snapshot") }
        guard header.fingerprint == StateSnapshot.fingerprint else {
            throw refuse("another version of the folds wrote it")
        }
        guard header.ledger == StateSnapshot.ledgerNumber(store.header) else {
            throw refuse("it is of another ledger")
        }
        guard header.cut >= 1, header.cut <= head.position,
            let row = try store.rows(at: [header.cut]).first,
            StateSnapshot.anchor(row) == header.anchor
        else { throw refuse("its last event is not in this ledger") }
        try state.withLock { state in
            for name in try store.names(after: 0) { _ = state.names.intern(name) }
            state.storedNameCount = state.names.count
            for record in try store.streams(after: 0) { state.add(record) }
            state.storedStreamCount = state.streams.count
            try StateSnapshot.restore(file, into: &state)
            for row in try store.rows(at: state.special) { state.noteSpecial(row.event) }
            state.setHead(StoreHead(position: header.cut, recordedAt: row.recordedAt))
            try settle(&state)
        }
        snapshotPosition.withLock { $0 = header.cut }
    }

    /// A clean shutdown leaves a snapshot behind when the tail is long.
    func snapshotIfWorthwhile() {
        guard path != nil else { return }
        let head = state.withLock { $0.head.position }
        guard head - snapshotPosition.withLock({ $0 }) > Self.tailCountMax else { return }
        do {
            try snapshot()
        } catch {
            log.warning("no snapshot was written: \(error)")
        }
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
