import DaybookEvents

/// What was appended in memory, upon nothing or upon the beginning of another store.
struct MemoryRows: Sendable {
    /// Where it begins.
    let base: AppendGround
    private(set) var names: [String] = []
    private(set) var streams: [StreamRecord] = []
    private(set) var rows: [EventRow] = []
    private(set) var documents: [String: [UInt8]] = [:]
    private(set) var appendCount: Int64 = 0

    init(upon base: AppendGround) { self.base = base }

    /// What the next batch has to go on from.
    var ground: AppendGround {
        AppendGround(
            head: rows.last.map {
                StoreHead(position: $0.event.position, recordedAt: $0.recordedAt)
            } ?? base.head,
            nameCount: base.nameCount + Int64(names.count),
            streamCount: base.streamCount + Int64(streams.count))
    }

    /// Takes a batch that the ground was asked about.
    mutating func append(_ batch: AppendBatch) {
        appendCount += 1
        names += batch.names
        streams += batch.streams
        rows += batch.rows
        for document in batch.documents { documents[document.sha256] = document.bytes }
    }

    func names(after count: Int) -> ArraySlice<String> {
        names.dropFirst(max(0, count - Int(base.nameCount)))
    }

    func streams(after count: Int) -> ArraySlice<StreamRecord> {
        streams.dropFirst(max(0, count - Int(base.streamCount)))
    }

    /// `nil` for what is not here.
    func row(at position: Int64) -> EventRow? {
        guard position > base.head.position else { return nil }
        let index = position - base.head.position - 1
        return index < rows.count ? rows[Int(index)] : nil
    }

    /// Hands out the rows of a range that are here, in position order.
    func forEachChunk(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void
    ) throws {
        var index = Int(max(0, start.position - base.head.position))
        let last = min(Int(clamping: end.position - base.head.position), rows.count)
        while index < last {
            let next = min(index + max(1, chunkCount), last)
            try body(Array(rows[index..<next]))
            index = next
        }
    }

    /// A stream's rows above a position, newest first, and where the row before them stands.
    func walk(from start: Int64, above floor: Int64) -> (rows: [EventRow], next: Int64) {
        var found: [EventRow] = []
        var position = start
        while position > floor, let row = row(at: position) {
            found.append(row)
            position = row.previous
        }
        return (found, position)
    }

    /// The last position here that was recorded by a time; `nil` when there is none.
    /// - Complexity: O(log *n*): the recorded time never goes back.
    func position(recordedAtOrBefore instant: Int64) -> Int64? {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].recordedAt <= instant { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : rows[low - 1].event.position
    }
}
