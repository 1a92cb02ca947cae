/// A row of the ledger: the hot event and what it leaves out. Two are equal when their texts have the same bytes.
///
/// Why: the store keeps all that was said, and folds read nothing but the `Event`, which has a fixed size and no text.
public struct EventRow: Sendable, Equatable {
    public var event: Event
    public var key: String
    /// The text behind `event.reference`.
    public var reference: String?
    public var recordedAt: Int64
    public var streamVersion: Int64
    /// The position of the stream's previous event; 0 for the first.
    public var previous: Int64
    public var schemaVersion: UInt16
    /// The first 64 bits of the digest of the request that appended it (rule 16).
    public var requestDigest: Int64
    /// What neither a column nor the hot event holds, as canonical JSON (`RowRest`). `nil`: nothing.
    public var rest: String?

    public init(
        event: Event, key: String, reference: String?, recordedAt: Int64 = 0,
        streamVersion: Int64 = 0, previous: Int64 = 0, schemaVersion: UInt16,
        requestDigest: Int64 = 0, rest: String?
    ) {
        self.event = event
        self.key = key
        self.reference = reference
        self.recordedAt = recordedAt
        self.streamVersion = streamVersion
        self.previous = previous
        self.schemaVersion = schemaVersion
        self.requestDigest = requestDigest
        self.rest = rest
    }

    public static func == (left: EventRow, right: EventRow) -> Bool {
        left.event == right.event && haveSameBytes(left.key, right.key)
            && haveSameBytes(left.reference, right.reference)
            && left.recordedAt == right.recordedAt && left.streamVersion == right.streamVersion
            && left.previous == right.previous && left.schemaVersion == right.schemaVersion
            && left.requestDigest == right.requestDigest && haveSameBytes(left.rest, right.rest)
    }
}
