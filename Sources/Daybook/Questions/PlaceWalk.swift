import DaybookEvents
import DaybookStore

/// Goes along the events of a ledger and has the place after each that it stops at.
struct PlaceWalk {
    let core: LedgerCore
    let epochs: Epochs
    private var cursor: HistoryCursor
    private let digest: RowDigest

    /// - Parameter cursor: Over events alone.
    init(_ core: LedgerCore, _ epochs: Epochs, at cursor: HistoryCursor) {
        self.core = core
        self.epochs = epochs
        self.cursor = cursor
        digest = RowDigest(core.store.header.secret)
    }

    var position: Int64 { cursor.position }

    /// The place where the walk stands.
    func place() throws -> Place {
        let epoch = epochs.epoch(at: cursor.position)
        guard let origin = try core.recentCursors.origin(of: epoch.start, core) else {
            throw Self.missing(core, epoch.start)
        }
        return Place(
            epoch: epoch.number, position: cursor.position, origin: origin, hash: cursor.point.hash)
    }

    /// Goes on to a position.
    /// - Complexity: The events between, or, where they are more than a block, as an `EventCursorStore` finds it.
    mutating func go(to position: Int64) throws {
        guard position != cursor.position else { return }
        let isNear =
            position > cursor.position
            && position - cursor.position <= HistoryCursor.blockCount
        guard isNear else {
            cursor = try Self.cursor(core, at: position)
            return
        }
        var rows: [EventRow] = []
        try core.store.scanRows(
            after: Checkpoint(position: cursor.position), through: Checkpoint(position: position),
            chunkCount: Int(HistoryCursor.blockCount)
        ) { rows += $0 }
        for row in rows { append(row) }
        guard cursor.position == position else { throw Self.missing(core, position) }
    }

    /// Goes on over an event that was read, so that the place after it is of this very event.
    mutating func go(over row: EventRow) throws {
        try go(to: row.event.position - 1)
        append(row)
    }

    private mutating func append(_ row: EventRow) {
        cursor.append(row, core.digest(of: row, digest))
    }

    /// The cursor at a position that the ledger has taken in.
    static func cursor(_ core: LedgerCore, at position: Int64) throws -> HistoryCursor {
        guard let cursor = try core.recentCursors.cursor(at: position, core) else {
            throw missing(core, position)
        }
        return cursor
    }

    /// The file ends before a position that was read in it.
    private static func missing(_ core: LedgerCore, _ position: Int64) -> StoreError {
        StoreError(
            .otherHistory,
            "\(core.path ?? core.app) has another history: it had position \(position) and has it no more; it was "
                + "restored, copied over or replaced; open it again and look at what it holds now")
    }
}
