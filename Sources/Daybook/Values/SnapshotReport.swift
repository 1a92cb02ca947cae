/// A snapshot that was written.
public struct SnapshotReport: Sendable, Equatable {
    /// The file that was written.
    public var path: String
    /// The bytes of its sections.
    public var byteCount: Int
    /// The last position that it covers.
    public var position: Int64
    /// How many aggregates were folded and digested; 0 without a digest.
    public var aggregates: Int
    /// Of all segments of the ledger.
    public var segmentByteCount: Int
}
