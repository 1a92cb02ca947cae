public import DaybookEvents

/// A store that finds the hash over its events at any position without reading them all.
public protocol EventCursorStore: EventStore {
    /// As `eventCursor(at:)`.
    /// - Complexity: As of `point(at:names:streams:)`.
    func storedEventCursor(at position: Int64) throws -> HistoryCursor?
}

extension EventStore {
    /// A cursor after the event at a position, without names and streams: its hash covers the ledger's id and the
    /// events alone, so it is the same whenever it is asked for.
    /// - Returns: `nil` beyond the end.
    /// - Complexity: Reads every event before in a store that is no `EventCursorStore`.
    public func eventCursor(at position: Int64) throws -> HistoryCursor? {
        if let store = self as? any EventCursorStore {
            return try store.storedEventCursor(at: position)
        }
        guard position >= 0, position <= (try head()).position else { return nil }
        var cursor = HistoryCursor(ledgerID: header.ledgerID)
        let digest = RowDigest(header.secret)
        let texts = try names(after: 0)
        let records = try streams(after: 0)
        func text(_ id: NameID) -> String {
            texts.indices.contains(Int(id) - 1) ? texts[Int(id) - 1] : ""
        }
        try scanRows(
            after: .start, through: Checkpoint(position: position), chunkCount: 1_000
        ) { rows in
            for row in rows {
                let index = Int(row.event.stream) - 1
                try StoreError.require(
                    records.indices.contains(index), .damaged,
                    "position \(row.event.position) is in no stream of the ledger")
                let record = records[index]
                let name = StreamName(record.environment, record.kind, text(record.name))
                cursor.append(row, digest.of(row, RowDigest.Names(row.event, text), in: name))
            }
        }
        return cursor.position == position ? cursor : nil
    }
}

extension HistoryCursor {
    /// Goes along one row, whose digest is known.
    public mutating func append(_ row: EventRow, _ digest: HistoryHash) {
        append(count: 1) { _ in Entry(recordedAt: row.recordedAt, digest: digest) }
    }
}
