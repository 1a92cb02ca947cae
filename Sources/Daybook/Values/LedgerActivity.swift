public import DaybookStore

/// What an open ledger has done since it was opened, and how far it is.
public struct LedgerActivity: Sendable, Equatable {
    /// The last event of the ledger.
    public var head: StoreHead
    /// Commits that appended events.
    public var commits: Int64
    /// Requests that were answered by these commits; those that shared one are a group.
    public var requests: Int64
    /// Events that they appended.
    public var events: Int64
    /// How many commits answered how many requests: of at most 1, 2, 4 and so on to `groupSizeMax`, and of more; each
    /// commit once.
    public var groupSizes: [Int64]
    /// Requests that wait for a commit now.
    public var waiting: Int64
    /// The cut of the newest snapshot that is known here; 0: there is none.
    public var snapshotPosition: Int64
    /// When the last event in it was recorded, milliseconds since 1970 UTC; `nil`: there is none.
    public var snapshotRecordedAt: Int64?

    /// Segments that are there, and the events in them.
    public var segmentCount: Int
    /// Events in these segments.
    public var segmentEvents: Int64

    /// The largest size of a group that is told from larger ones.
    public static let groupSizeMax: Int64 = 1_024

    /// The upper bounds of `groupSizes`, all but the last one.
    public static let groupSizeBounds: [Int64] = Array(
        sequence(first: 1) { $0 < groupSizeMax ? 2 * $0 : nil })
}
