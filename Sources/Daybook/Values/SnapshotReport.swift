/// A snapshot that was written.
public struct SnapshotReport: Sendable, Equatable {
    public var path: String
    public var byteCount: Int
    /// The last position that it covers.
    public var position: Int64
    public var units: Int
    /// Of all segments of the ledger.
    public var segmentByteCount: Int
}
