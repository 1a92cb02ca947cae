import DaybookEvents

/// The hash over a history in memory: a cursor at the end of every block, and what came since.
struct MemoryHistory: Sendable {
    /// At positions 0, 256, 512 and so on.
    private var blocks: [HistoryCursor]
    private var cursor: HistoryCursor
    private var entries: [HistoryCursor.Entry] = []
    /// The chains after each name and stream, from none on.
    private var names = [HistoryChain()]
    private var streams = [HistoryChain()]
    /// As they were when the commit with each mark ended.
    private var marks: [Int64: HistoryPoint] = [:]

    init(ledgerID: String) {
        cursor = HistoryCursor(ledgerID: ledgerID)
        blocks = [cursor]
    }

    var end: HistoryPoint { cursor.point }

    /// - Parameter digests: As many as the batch has rows.
    mutating func append(_ batch: AppendBatch, digests: [HistoryHash]) {
        for name in batch.names {
            cursor.append(name: name)
            names.append(cursor.names)
        }
        for stream in batch.streams {
            cursor.append(stream: stream)
            streams.append(cursor.streams)
        }
        for row in batch.rows where row.event.type == .ledgerRestored {
            cursor.epoch = max(cursor.epoch + 1, row.event.amount)
        }
        let added = zip(batch.rows, digests).map {
            HistoryCursor.Entry(recordedAt: $0.recordedAt, digest: $1)
        }
        entries += added
        var (blocks, marks) = (blocks, marks)
        cursor.append(count: added.count, entry: { added[$0] }) { cursor, _, _ in
            blocks.append(cursor)
            if cursor.position % HistoryCursor.markCount == 0 {
                marks[cursor.position] = cursor.point
            }
        }
        (self.blocks, self.marks) = (blocks, marks)
    }

    func point(at position: Int64, names: Int64?, streams: Int64?) -> HistoryPoint? {
        let all = marks[position] ?? cursor.point
        return point(
            at: position, names: names ?? all.nameCount, streams: streams ?? all.streamCount)
    }

    func confirms(_ point: HistoryPoint) -> Bool {
        self.point(at: point.position, names: point.nameCount, streams: point.streamCount)?.hash
            == point.hash
    }

    private func point(at position: Int64, names: Int64, streams: Int64) -> HistoryPoint? {
        guard position >= 0, position <= cursor.position, names >= 0,
            names < Int64(self.names.count), streams >= 0, streams < Int64(self.streams.count)
        else { return nil }
        return cursor(at: position, self.names[Int(names)], self.streams[Int(streams)]).point
    }

    /// `nil` beyond the end.
    func eventCursor(at position: Int64) -> HistoryCursor? {
        guard position >= 0, position <= cursor.position else { return nil }
        return cursor(at: position, HistoryChain(), HistoryChain())
    }

    private func cursor(
        at position: Int64, _ names: HistoryChain, _ streams: HistoryChain
    ) -> HistoryCursor {
        let block = blocks[Int(position / HistoryCursor.blockCount)]
        var known = HistoryCursor(going: block, names: names, streams: streams)
        let start = Int(block.position)
        known.append(count: Int(position) - start) { entries[start + $0] }
        return known
    }
}
