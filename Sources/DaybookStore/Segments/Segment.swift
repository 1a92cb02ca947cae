public import DaybookEvents

/// A sealed range of the log, kept a second time as records of fixed size: mapped, and read many times as fast as rows.
///
/// It changes the time to an answer and never the answer: without it, or where it is damaged, the rows tell.
///
/// ```
/// events      64 bytes each: `PackedEvent`, little-endian
/// extensions  64 bytes each: `EventExtension` of the events that need one, in their order
/// streams     4 bytes each: the stream of each event once more, for sorting events by stream
/// previous    4 bytes each: how many positions before it the stream's previous event stands; 0 none; 2^32 - 1: the
///             row has it
/// ```
/// The header has the SHA-256 of the sections `events` and `extensions` and the hash of the history; `verify`
/// compares every event with its row.
public final class Segment: Sendable {
    private static let askTheRow = UInt32.max

    /// First and last position.
    public let range: ClosedRange<Int64>
    private let file: ContainerFile
    private let events: ContainerFile.Part
    private let extensions: ContainerFile.Part
    private let streams: ContainerFile.Part
    private let previous: ContainerFile.Part

    /// - Parameter fingerprint: Of the meaning of the events' slots.
    /// - Throws: `StoreError.damaged` for a file that is no segment of this ledger, `.outdated` for one of another
    ///   vocabulary.
    init(file: ContainerFile, ledger: UInt64, fingerprint: UInt64) throws {
        func refuse(_ reason: String) -> StoreError {
            StoreError(.damaged, "\(file.path): \(reason)")
        }
        guard file.header.kind == .segment else { throw refuse("it is no segment") }
        guard file.header.ledger == ledger else { throw refuse("it is of another ledger") }
        try StoreError.require(
            file.header.fingerprint == Self.fingerprint(fingerprint), .outdated,
            "\(file.path): another vocabulary or version wrote it")
        self.file = file
        let (first, last) = (file.header.firstPosition, file.header.cut)
        guard first >= 1, first <= last, last - first < 1 << 32 else {
            throw refuse("its positions make no sense")
        }
        range = first...last
        events = try file.part("events")
        extensions = try file.part("extensions")
        streams = try file.part("streams")
        previous = try file.part("previous")
        let count = range.count
        guard events.byteCount == count * PackedEvent.byteCount, streams.byteCount == 4 * count,
            previous.byteCount == 4 * count,
            extensions.byteCount <= count * EventExtension.byteCount,
            extensions.byteCount % EventExtension.byteCount == 0
        else { throw refuse("its sections have a wrong size") }
    }

    static func fingerprint(_ vocabulary: UInt64) -> UInt64 {
        (vocabulary ^ PackedEvent.layoutVersion) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The path with which its file was opened.
    public var path: String { file.path }
    /// The size of its file when it was opened, in bytes.
    public var byteCount: Int { file.byteCount }
    /// What it was made from.
    public var history: HistoryPoint { file.header.history }
    /// Whether its file was cut short since it was opened.
    public var isLost: Bool { file.isLost }

    /// All events, in position order, and the extensions of the extended ones, every block checked.
    /// - Throws: `StoreError.damaged`.
    public func withEvents<Result>(
        _ body: (Span<PackedEvent>, Span<EventExtension>) throws -> Result
    ) throws -> Result {
        // The sections begin at multiples of 64 in a file that is mapped at a page, and any bits may be looked at.
        try file.withBytes(events, 0..<events.byteCount) { events in
            try file.withBytes(extensions, 0..<extensions.byteCount) { extensions in
                try body(
                    events.bindMemory(to: PackedEvent.self).span,
                    extensions.bindMemory(to: EventExtension.self).span)
            }
        }
    }

    /// The streams of all events, in position order.
    /// - Throws: `StoreError.damaged`.
    public func withStreams<Result>(_ body: (Span<UInt32>) throws -> Result) throws -> Result {
        try file.withBytes(streams, 0..<streams.byteCount) { raw in
            try body(raw.bindMemory(to: UInt32.self).span)
        }
    }

    /// The event at a position.
    /// - Parameter position: Within the range.
    /// - Throws: `StoreError.damaged`.
    public func event(at position: Int64) throws -> Event {
        try file.reading { try event(at: position, $0) }
    }

    /// Events of one stream, from the last one in this segment back to the first, as the file links them: that they are
    /// of one stream is not checked.
    /// - Parameters:
    ///   - last: The position of the last one, within the range.
    ///   - chain: Gets them appended, the newest first; nothing where an error is thrown.
    /// - Returns: Where the event before the first of them stands: 0 where there is none, `nil` where the row of the
    ///   first must tell.
    /// - Throws: `StoreError.damaged`.
    public func appendStream(endingAt last: Int64, to chain: inout [Event]) throws -> Int64? {
        let countBefore = chain.count
        do {
            return try file.reading { values in
                var position = last
                repeat {
                    // Before the event: neither waits for the other, and both mostly come from memory.
                    let distance = try values.value(
                        previous, at: 4 * Int(position - range.lowerBound), as: UInt32.self)
                    chain.append(try event(at: position, values))
                    if distance == Self.askTheRow { return nil }
                    position = distance == 0 ? 0 : position - Int64(distance)
                } while range.contains(position)
                return position
            }
        } catch {
            chain.removeSubrange(countBefore...)
            throw error
        }
    }

    private func event(
        at position: Int64, _ values: ContainerFile.Values
    ) throws -> Event {
        precondition(range.contains(position), "position \(position) is in another segment")
        let packed = try values.value(
            events, at: Int(position - range.lowerBound) * PackedEvent.byteCount,
            as: PackedEvent.self)
        if packed.isWhole { return packed.event(at: position) }
        guard let place = packed.extensionIndex else { throw damage(at: position) }
        return packed.event(
            at: position,
            try values.value(
                extensions, at: place * EventExtension.byteCount, as: EventExtension.self))
    }

    /// What a packed event that says nothing is told as.
    public func damage(at position: Int64) -> StoreError {
        StoreError(.damaged, "\(path): the bits at position \(position) are of no event")
    }

    /// Writes a segment's file.
    /// - Parameters:
    ///   - packed: All of the range, in position order.
    ///   - previous: For each the position of the event before it in its stream; 0 for the first.
    ///   - history: The name of everything up to the last one.
    static func write(
        _ packed: PackedEvents, _ range: ClosedRange<Int64>, previous: [Int64],
        history: HistoryPoint, ledger: UInt64, fingerprint: UInt64, to path: String,
        like model: String?
    ) throws {
        let events = packed.events.withUnsafeBytes { Array($0) }
        let extensions = packed.extensions.withUnsafeBytes { Array($0) }
        var streams = ByteWriter()
        var distances = ByteWriter()
        for ((position, event), before) in zip(zip(range, packed.events), previous) {
            guard before >= 0, before < position else {
                throw StoreError(
                    .damaged, "position \(position) follows \(before), which is not before it"
                )
            }
            streams.append(event.stream)
            distances.append(before == 0 ? 0 : UInt32(clamping: position - before))
        }
        let header = ContainerHeader(
            kind: .segment, fingerprint: Self.fingerprint(fingerprint), ledger: ledger,
            firstPosition: range.lowerBound, history: history,
            stateDigest: Digest.sha256(events + extensions))
        try ContainerWriter.write(
            header,
            [
                ContainerSection(
                    name: "events", elementCount: packed.events.count, bytes: events),
                ContainerSection(
                    name: "extensions", elementCount: packed.extensions.count, bytes: extensions),
                ContainerSection(
                    name: "streams", elementCount: packed.events.count, bytes: streams.bytes),
                ContainerSection(
                    name: "previous", elementCount: packed.events.count, bytes: distances.bytes),
            ], to: path, like: model)
    }

    /// Whether packed events lie in this machine's memory as they do in the file.
    static var isSupported: Bool {
        #if _endian(little)
            MemoryLayout<PackedEvent>.size == PackedEvent.byteCount
                && MemoryLayout<EventExtension>.size == EventExtension.byteCount
                && MemoryLayout<PackedEvent>.alignment <= 8
        #else
            false
        #endif
    }
}
