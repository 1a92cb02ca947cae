/// A row of the ledger: the hot event and what it leaves out. Two are equal when their texts have the same bytes.
///
/// Why: the store keeps all that was said, and folds read nothing but the `Event`, which has a fixed size and no text.
public struct EventRow: Sendable, Equatable {
    /// The hot event, which is all that folds read.
    public var event: Event
    /// The key under which the source sends the event, whole; `event.key` is its reference.
    public var key: String
    /// The text behind `event.reference`.
    public var reference: String?
    /// The ledger's clock at the commit, in milliseconds since 1970 UTC; 0 before it has a place.
    public var recordedAt: Int64
    /// 1-based within the stream; 0 before it has a place.
    public var streamVersion: Int64
    /// The position of the stream's previous event; 0 for the first.
    public var previous: Int64
    /// The version of the type's schema by which the row is read.
    public var schemaVersion: UInt16
    /// The first 64 bits of the digest of the request that appended it (rule 16).
    public var requestDigest: Int64
    /// What neither a column nor the hot event holds, as canonical JSON (`RowRest`). `nil`: nothing.
    public var rest: String?

    /// Creates a row; nothing is checked. The defaults are those of a row that has no place in the ledger yet.
    @inlinable
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

    /// Equal when all members are; texts are compared by their bytes.
    public static func == (left: EventRow, right: EventRow) -> Bool {
        left.event == right.event && haveSameBytes(left.key, right.key)
            && haveSameBytes(left.reference, right.reference)
            && left.recordedAt == right.recordedAt && left.streamVersion == right.streamVersion
            && left.previous == right.previous && left.schemaVersion == right.schemaVersion
            && left.requestDigest == right.requestDigest && haveSameBytes(left.rest, right.rest)
    }
}
