import DaybookEvents
import DaybookStore
import Synchronization

/// The hashes over the newest events, so that a place near the end reads no event twice: a receipt names its place, and
/// a reader at the end comes back again and again.
final class RecentCursors: Sendable {
    /// How many positions before the end are held, and up to twice as many for a while.
    private static let countMax = 2 * Int(HistoryCursor.blockCount)

    private struct Held {
        /// Of positions one after the other.
        var cursors: [HistoryCursor] = []
        /// What this process committed after the last of them.
        var committed: [HistoryCursor.Entry] = []

        mutating func append(_ more: [HistoryCursor]) {
            cursors += more
            if cursors.count >= 2 * countMax { cursors.removeFirst(cursors.count - countMax) }
        }

        /// Goes along what was committed.
        mutating func goOn() {
            guard var cursor = cursors.last else { return }
            var more: [HistoryCursor] = []
            more.reserveCapacity(committed.count)
            for entry in committed {
                cursor.append(count: 1) { _ in entry }
                more.append(cursor)
            }
            committed.removeAll(keepingCapacity: true)
            append(more)
        }

        /// The hashes with which epochs begin, by their start.
        var origins: [Int64: HistoryHash] = [:]
    }

    private let held = Mutex(Held())

    /// Takes what was committed just now, so that no place needs it to be read.
    ///
    /// Nothing is taken where no place near the end was asked for before, nor while events are read for one: the writer
    /// does not wait for that, and what is missing here is read.
    func note(_ batch: AppendBatch) {
        _ = held.withLockIfAvailable { held in
            guard let last = held.cursors.last?.position, !batch.rows.isEmpty,
                last + Int64(held.committed.count) + 1 == batch.rows[0].event.position,
                held.committed.count + batch.rows.count <= Self.countMax,
                batch.digests.count == batch.rows.count
            else { return held.committed.removeAll() }
            for (row, digest) in zip(batch.rows, batch.digests) {
                held.committed.append(.init(recordedAt: row.recordedAt, digest: digest))
            }
        }
    }

    /// The cursor after the event at a position.
    /// - Returns: `nil` beyond the end of the store.
    /// - Complexity: A look near the end, once the events are read; else as the store finds it.
    func cursor(at position: Int64, _ core: LedgerCore) throws -> HistoryCursor? {
        if position == 0 { return HistoryCursor(ledgerID: core.store.header.ledgerID) }
        let end = core.state.withLock { $0.head.position }
        guard position <= end, end - position < Int64(Self.countMax) else {
            return try core.store.eventCursor(at: position)
        }
        // Held while events are read: those who ask at the same time ask for the same ones.
        return try held.withLock { held in
            if let found = Self.find(position, held.cursors) { return found }
            held.goOn()
            if let found = Self.find(position, held.cursors) { return found }
            let more = try Self.more(upTo: end, from: position, held.cursors.last, core)
            // A file that was exchanged while it was read is noticed before anything of it is held.
            try core.takeForeignChanges()
            if held.cursors.last.map({ $0.position + 1 }) != more.first?.position {
                held.cursors = []
            }
            held.append(more)
            if let found = Self.find(position, held.cursors) { return found }
            return try core.store.eventCursor(at: position)
        }
    }

    /// The hash with which an epoch begins.
    func origin(of start: Int64, _ core: LedgerCore) throws -> HistoryHash? {
        if let known = held.withLock({ $0.origins[start] }) { return known }
        guard let hash = try cursor(at: start, core)?.point.hash else { return nil }
        held.withLock { $0.origins[start] = hash }
        return hash
    }

    private static func find(_ position: Int64, _ cursors: [HistoryCursor]) -> HistoryCursor? {
        guard let first = cursors.first?.position else { return nil }
        let index = position - first
        return (0..<Int64(cursors.count)).contains(index) ? cursors[Int(index)] : nil
    }

    /// The cursors of further positions up to the end.
    /// - Parameter last: The newest that is held; those that are returned follow it where it is near.
    private static func more(
        upTo end: Int64, from position: Int64, _ last: HistoryCursor?, _ core: LedgerCore
    ) throws -> [HistoryCursor] {
        var more: [HistoryCursor] = []
        var cursor: HistoryCursor
        if let last, last.position < position, end - last.position < Int64(countMax) {
            cursor = last
        } else {
            guard let start = try core.store.eventCursor(at: position) else { return [] }
            cursor = start
            more.append(start)
        }
        let digest = RowDigest(core.store.header.secret)
        try core.store.scanRows(
            after: Checkpoint(position: cursor.position), through: Checkpoint(position: end),
            chunkCount: countMax
        ) { rows in
            for row in rows {
                cursor.append(row, core.digest(of: row, digest))
                more.append(cursor)
            }
        }
        return more
    }
}

extension LedgerCore {
    /// What a row adds to the hash over the history.
    func digest(of row: EventRow, _ digest: RowDigest) -> HistoryHash {
        state.withLock { state in
            digest.of(
                row, RowDigest.Names(row.event) { state.names[$0] },
                in: state.streamName(row.event.stream))
        }
    }
}
