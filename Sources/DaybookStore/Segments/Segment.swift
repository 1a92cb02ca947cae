public import DaybookEvents

/// A sealed range of the log, kept a second time as records of fixed size: mapped, and read many times as fast as rows.
///
/// It changes the time to an answer and never the answer: without it, or where it is damaged, the rows tell.
///
/// ```
/// events    128 bytes each: the memory image of `Event`, little-endian
/// streams   4 bytes each: the stream of each event once more, for whoever shares events out
/// previous  4 bytes each: how many positions before it the stream's previous event stands; 0 none; 2^32 - 1: the
///           row knows
/// ```
/// The header has the SHA-256 of the section `events` and the key of the last event; `verify` compares every event
/// with its row.
public final class Segment: Sendable {
    static let eventByteCount = 128
    /// Of the records' layout; part of the fingerprint.
    static let layoutVersion: UInt64 = 1
    private static let askTheRow = UInt32.max

    /// First and last position.
    public let range: ClosedRange<Int64>
    private let file: ContainerFile
    private let events: ContainerFile.Part
    private let streams: ContainerFile.Part
    private let previous: ContainerFile.Part

    /// - Parameter fingerprint: Of the meaning of the events' slots.
    /// - Throws: `StoreError.damaged` for a file that is no segment of this ledger and vocabulary.
    init(file: ContainerFile, ledger: UInt64, fingerprint: UInt64) throws {
        func refuse(_ reason: String) -> StoreError {
            StoreError(.damaged, "\(file.path): \(reason)")
        }
        guard file.header.kind == .segment else { throw refuse("it is no segment") }
        guard file.header.ledger == ledger else { throw refuse("it is of another ledger") }
        guard file.header.fingerprint == Self.fingerprint(fingerprint) else {
            throw refuse("another vocabulary wrote it")
        }
        self.file = file
        let (first, last) = (file.header.firstPosition, file.header.cut)
        guard first >= 1, first <= last, last - first < 1 << 32 else {
            throw refuse("its positions make no sense")
        }
        range = first...last
        events = try file.part("events")
        streams = try file.part("streams")
        previous = try file.part("previous")
        let count = range.count
        guard events.byteCount == count * Self.eventByteCount, streams.byteCount == 4 * count,
            previous.byteCount == 4 * count
        else { throw refuse("its sections have a wrong size") }
    }

    static func fingerprint(_ vocabulary: UInt64) -> UInt64 {
        (vocabulary ^ layoutVersion) &* 0x9E37_79B9_7F4A_7C15
    }

    public var path: String { file.path }
    public var byteCount: Int { file.byteCount }
    /// The first 64 bits of the digest of the key of the last event.
    public var anchor: UInt64 { file.header.anchor }
    /// All events, in position order, every block checked.
    /// - Throws: `StoreError.damaged`.
    public func withEvents<Result>(_ body: (Span<Event>) throws -> Result) throws -> Result {
        try file.withBytes(events, 0..<events.byteCount) { raw in
            // The section begins at a multiple of 8 in a file that is mapped at a page, and every bit pattern is an
            // event.
            let events = raw.bindMemory(to: Event.self)
            return try body(events.span)
        }
    }

    /// The streams of all events, in position order.
    /// - Throws: `StoreError.damaged`.
    public func withStreams<Result>(_ body: (Span<UInt32>) throws -> Result) throws -> Result {
        try file.withBytes(streams, 0..<streams.byteCount) { raw in
            try body(raw.bindMemory(to: UInt32.self).span)
        }
    }

    /// One event, and where the one before it in its stream stands: 0 for the first, `nil` where the row must tell.
    /// - Parameter position: Within the range.
    /// - Throws: `StoreError.damaged`.
    public func link(at position: Int64) throws -> (event: Event, previous: Int64?) {
        precondition(range.contains(position), "position \(position) is in another segment")
        let index = Int(position - range.lowerBound)
        let start = index * Self.eventByteCount
        let event = try file.withBytes(events, start..<start + Self.eventByteCount) {
            $0.load(as: Event.self)
        }
        let distance = try file.withBytes(previous, 4 * index..<4 * index + 4) {
            $0.load(as: UInt32.self)
        }
        if distance == Self.askTheRow { return (event, nil) }
        return (event, distance == 0 ? 0 : position - Int64(distance))
    }

    /// Writes a segment's file.
    /// - Parameters:
    ///   - events: All of the range, in position order.
    ///   - previous: For each the position of the event before it in its stream; 0 for the first.
    ///   - anchor: The first 64 bits of the digest of the last event's key.
    static func write(
        _ events: [Event], previous: [Int64], anchor: UInt64, ledger: UInt64, fingerprint: UInt64,
        to path: String
    ) throws {
        let bytes = events.withUnsafeBytes { Array($0) }
        var streams = ByteWriter()
        var distances = ByteWriter()
        for (event, before) in zip(events, previous) {
            guard before >= 0, before < event.position else {
                throw StoreError(
                    .damaged, "position \(event.position) follows \(before), which is not before it"
                )
            }
            streams.append(event.stream)
            distances.append(before == 0 ? 0 : UInt32(clamping: event.position - before))
        }
        let header = ContainerHeader(
            kind: .segment, fingerprint: Self.fingerprint(fingerprint), ledger: ledger,
            firstPosition: events[0].position, cut: events[events.count - 1].position,
            anchor: anchor, stateDigest: Digest.sha256(bytes))
        try ContainerWriter.write(
            header,
            [
                ContainerSection(name: "events", elementCount: events.count, bytes: bytes),
                ContainerSection(
                    name: "streams", elementCount: events.count, bytes: streams.bytes),
                ContainerSection(
                    name: "previous", elementCount: events.count, bytes: distances.bytes),
            ], to: path)
    }

    /// Whether events can be kept as their memory image on this machine, which is the format of the file.
    static var isSupported: Bool {
        #if _endian(little)
            MemoryLayout<Event>.size == eventByteCount && MemoryLayout<Event>.alignment <= 8
        #else
            false
        #endif
    }
}
