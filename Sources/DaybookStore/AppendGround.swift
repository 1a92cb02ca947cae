import DaybookEvents

/// The end of a store that a batch would be appended to, with the checks that every store makes.
public struct AppendGround: Sendable {
    /// The greatest position: JSON's numbers are exact up to 2^53 (RFC 8259 §6), and sums of positions cannot
    /// overflow.
    public static let positionMax: Int64 = 1 << 53

    /// The last event that the store has.
    public var head: StoreHead
    /// How many names it has.
    public var nameCount: Int64
    /// How many streams it has.
    public var streamCount: Int64

    /// Takes what the store has while it holds the right to write.
    public init(head: StoreHead, nameCount: Int64, streamCount: Int64) {
        self.head = head
        self.nameCount = nameCount
        self.streamCount = streamCount
    }

    /// Asks whether the batch is the next one.
    /// - Throws: `.conflict` when the store is not what the batch was decided upon, or when the batch speaks of streams
    ///   and names that would not exist; `.damaged` when no position can follow.
    public func check(_ batch: AppendBatch) throws {
        try StoreError.require(
            head.position == batch.expectedHead, .conflict,
            "the head is at position \(head.position), expected \(batch.expectedHead); "
                + "read on and decide again")
        try StoreError.require(
            nameCount == Int64(batch.nameCount), .conflict,
            "the ledger has \(nameCount) names, expected \(batch.nameCount); "
                + "read on and decide again")
        let last = Self.positionMax - Int64(batch.rows.count)
        try StoreError.require(
            head.position >= 0 && head.position <= last, .damaged,
            "the head is at position \(head.position), and no position is above "
                + "\(Self.positionMax); restore a backup")
        try checkStreams(batch)
        try checkRows(batch)
    }

    private func checkStreams(_ batch: AppendBatch) throws {
        let nameCount = nameCount + Int64(batch.names.count)
        var last = streamCount
        for stream in batch.streams {
            try StoreError.require(
                Int64(stream.id) == last + 1, .conflict,
                "stream \(stream.id) does not follow stream \(last); read on and decide again")
            try StoreError.require(
                stream.name <= nameCount, .conflict,
                "stream \(stream.id) has name \(stream.name), but there would be "
                    + "\(nameCount) names")
            last += 1
        }
    }

    private func checkRows(_ batch: AppendBatch) throws {
        let nameCount = nameCount + Int64(batch.names.count)
        let streamCount = streamCount + Int64(batch.streams.count)
        var position = head.position
        var recordedAt = position == 0 ? Int64.min : head.recordedAt
        for index in batch.rows.indices {
            let event = batch.rows[index].event
            let rowRecordedAt = batch.rows[index].recordedAt
            try StoreError.require(
                event.position == position + 1, .conflict,
                "position \(event.position) does not follow \(position)")
            // `position(recordedAtOrBefore:)` searches by halves, so time must never go back.
            try StoreError.require(
                rowRecordedAt >= recordedAt, .conflict,
                "position \(event.position) would be recorded at \(rowRecordedAt), before "
                    + "position \(position) at \(recordedAt); record it no earlier")
            try StoreError.require(
                event.stream >= 1 && event.stream <= streamCount, .conflict,
                "position \(event.position) is in stream \(event.stream), but there would be "
                    + "\(streamCount) streams")
            let names = max(
                max(event.source, event.customer, event.profile),
                max(event.nameA, event.nameB, event.nameC))
            try StoreError.require(
                names <= nameCount, .conflict,
                "position \(event.position) uses name \(names), but there would be "
                    + "\(nameCount) names")
            position += 1
            recordedAt = rowRecordedAt
        }
    }
}
