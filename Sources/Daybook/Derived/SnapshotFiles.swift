import DaybookDomain
import DaybookEvents
import DaybookStore
import Logging

/// The snapshots of a ledger file: which one fits, and the state that it gives.
package struct SnapshotFiles: Sendable {
    package let store: any EventStore
    /// `nil` for a ledger in memory, which has none.
    package let folder: DerivedFolder?
    /// Where hot events are read from.
    package let events: EventLog
    let settling: Settling
    let knowledge: LostKnowledge
    let log: Logger

    /// The snapshots by the positions that they end at; `nil` for a ledger in memory.
    package var ladder: SnapshotLadder? { folder.map { SnapshotLadder(folder: $0.path) } }

    /// The state of the newest snapshot at or before a position; `nil` where there is none that fits.
    /// - Parameter cache: Of the aggregates that are asked for; a state of the past has none.
    package func newest(through position: Int64, cache: AggregateCache? = nil) -> LedgerState? {
        guard let ladder else { return nil }
        let cuts = ladder.cuts
        // Asked after the folder was read: the writer of a snapshot had its events before. A ledger that cannot tell
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
        defer { folder?.setAside("snapshots", foreign) }
        for cut in cuts.reversed() where cut <= min(position, head) {
            do {
                return try restored(try ContainerFile(path: ladder.path(cut: cut)), cache)
            } catch let error as StoreError where error.code == .otherHistory {
                foreign.append(ladder.path(cut: cut))
            } catch {
                log.tell(
                    .warning, "snapshot \(cut) is not used: \(StoreError.wrapping(error).message)")
            }
        }
        return nil
    }

    /// Makes what a snapshot holds again, from rows alone, should its file be lost while it is mapped.
    private func image() -> SnapshotImage {
        SnapshotImage(knowledge: knowledge) { cut, nameCount, streamCount in
            var state = LedgerState(log: events)
            let streams = try state.takeNames(from: store, countMax: nameCount)
            for record in streams.prefix(streamCount) { state.add(record) }
            try store.scan(
                after: .start, through: Checkpoint(position: cut), chunkCount: 1_000
            ) { events in
                for index in events.indices { state.apply(events[index], recordedAt: 0) }
            }
            try settling.settle(&state)
            return SnapshotSections(
                state: state, sums: nil, secret: store.header.secret
            ).all()
        }
    }

    /// A snapshot that was given a digest when it was written.
    package struct DigestedSnapshot {
        package var cut: Int64
        package var digest: [UInt8]
        /// The section `sums`; empty where it cannot be read.
        package var sums: [UInt8]
        /// `nil` where the snapshot is of the very end that was asked for.
        var state: LedgerState?
    }

    /// The newest one at or before a position; what cannot be used is passed over, as an opening told already.
    package func digested(through head: Int64) -> DigestedSnapshot? {
        guard let ladder else { return nil }
        for cut in ladder.cuts.reversed() where cut <= head {
            // Whatever is the matter with the file, it says no digest of this history; `verify` tells of it.
            guard let file = try? ContainerFile(path: ladder.path(cut: cut)),
                file.header.stateDigest.contains(where: { $0 != 0 }),
                (try? check(file)) != nil, file.header.cut == cut,
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

    /// - Throws: Why a file is no snapshot of this history.
    private func check(_ file: ContainerFile) throws {
        let header = file.header
        try StoreError.require(header.kind == .snapshot, .damaged, "it is no snapshot")
        try StoreError.require(
            header.fingerprint == SnapshotFormat.fingerprint, .damaged,
            "another vocabulary wrote it")
        try StoreError.require(
            header.ledger == SnapshotFormat.ledgerNumber(store.header), .damaged,
            "it is of another ledger")
        try StoreError.require(
            header.cut >= 1 && store.confirms(header.history), .otherHistory,
            "it was made from another history of this ledger")
    }

    /// The state at a snapshot's end, settled.
    /// - Throws: `StoreError` where the file does not fit.
    package func restored(_ file: ContainerFile, _ cache: AggregateCache?) throws -> LedgerState {
        try check(file)
        let header = file.header
        let base = try MappedState(file, store.header.secret, image: image())
        var state = LedgerState(log: events, base: base, cache: cache)
        let later = try state.takeNames(from: store)
        guard let row = try store.rows(at: [header.cut]).first else {
            throw StoreError(.damaged, "its last event is not in this ledger")
        }
        // Corrections first: of an alias that was voided no later stream may be grouped.
        for row in try store.rows(at: state.special) { state.noteSpecial(row.event) }
        for record in later { state.add(record) }
        state.setHead(
            StoreHead(position: header.cut, recordedAt: row.recordedAt), header.history)
        try settling.settle(&state)
        return state
    }
}

extension StateDigest {
    /// 32 bytes, most significant first.
    package var bytes: [UInt8] {
        [words.3, words.2, words.1, words.0].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }
}
