import DaybookEvents
import DaybookStore

/// The name of a history (law 9).
extension StoreContract {
    /// Every place of a store's own history is confirmed, and no other; a batch of another history is refused. A store
    /// that keeps nothing may name its history by zeros, and then promises nothing of it.
    public func checkHistory() throws {
        try withStore { store in
            let batches = try appendMany(store)
            let end = try store.end()
            try expect(end.head, try store.head(), "the head at the end")
            try expect(end.history.position, end.head.position, "the position of the history")
            let count = Int64(batches.reduce(0) { $0 + $1.rows.count })
            let before = try eventHashes(store, count)
            guard end.history.hash != .zero else { return }
            var hashes: Set<HistoryHash> = []
            for position in 0...count {
                guard let point = try store.point(at: position) else {
                    throw Violation(description: "position \(position) of \(count) has no name")
                }
                hashes.insert(point.hash)
                try expect(try store.confirms(point), true, "the history at \(position)")
                var other = point
                other.hash = position == 0 ? end.history.hash : .zero
                try expect(try store.confirms(other), false, "another history at \(position)")
                other = point
                other.nameCount -= 1
                try expect(try store.confirms(other), false, "fewer names at \(position)")
            }
            try expect(Int64(hashes.count), count + 1, "the number of different names")
            try expect(try store.point(at: count + 1) == nil, true, "a place beyond the end")
            try expect(
                try store.point(at: count)?.hash, end.history.hash, "the name of the last position")
            try checkOtherHistory(store, end)
            try expect(
                try eventHashes(store, count), before, "the hashes over events with one name more")
        }
    }

    /// The hash over the events up to each position, which names and streams have no part in.
    private func eventHashes(_ store: any EventStore, _ count: Int64) throws -> [HistoryHash] {
        var cursor: HistoryCursor?
        var hashes: [HistoryHash] = []
        for position in 0...count {
            cursor = try store.eventCursor(at: position)
            guard let cursor else {
                throw Violation(description: "there is no cursor at position \(position)")
            }
            try expect(cursor.position, position, "where the cursor stands")
            hashes.append(cursor.point.hash)
        }
        try expect(Int64(Set(hashes).count), count + 1, "the number of hashes over events")
        try expect(try store.eventCursor(at: count + 1) == nil, true, "a cursor beyond the end")
        try expect(
            hashes, try plainEventHashes(store, count), "the hashes over events, one by one")
        return hashes
    }

    /// The same from the rows alone.
    private func plainEventHashes(_ store: any EventStore, _ count: Int64) throws -> [HistoryHash] {
        var cursor = HistoryCursor(ledgerID: store.header.ledgerID)
        let digest = RowDigest(store.header.secret)
        let names = try store.names(after: 0)
        let streams = try store.streams(after: 0)
        func text(_ id: NameID) -> String { id == 0 ? "" : names[Int(id) - 1] }
        var hashes = [cursor.point.hash]
        try store.scanRows(
            after: .start, through: Checkpoint(position: count), chunkCount: 1_000
        ) { rows in
            for row in rows {
                let record = streams[Int(row.event.stream) - 1]
                let stream = StreamName(record.environment, record.kind, text(record.name))
                cursor.append(row, digest.of(row, RowDigest.Names(row.event, text), in: stream))
                hashes.append(cursor.point.hash)
            }
        }
        return hashes
    }

    private func checkOtherHistory(_ store: any EventStore, _ end: StoreEnd) throws {
        var batch = AppendBatch(
            expectedHead: end.head.position, expectedHistory: .zero,
            nameCount: Int(end.history.nameCount), names: ["late"], streams: [], rows: [],
            documents: [])
        do {
            try append(batch, to: store)
            throw Violation(description: "a batch of another history was appended")
        } catch let error as StoreError where error.code == .otherHistory {
            try expect(try store.end(), end, "the end after a batch of another history")
        }
        batch.expectedHistory = end.history.hash
        let point = try store.exclusively { try $0.append(batch) }
        try expect(point, try store.end().history, "what an append returns")
        try expect(point.nameCount, end.history.nameCount + 1, "the names of the history")
        try expect(point.hash == end.history.hash, false, "the same hash with one name more")
        try expect(try store.confirms(end.history), true, "the history before that name")
    }
}
