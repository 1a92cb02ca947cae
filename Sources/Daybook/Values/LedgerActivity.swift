public import DaybookStore

/// What an open ledger has done since it was opened, and how far it is.
public struct LedgerActivity: Sendable, Equatable {
    public var head: StoreHead
    /// Commits that appended events.
    public var commits: Int64
    /// Requests that were answered by these commits; those that shared one are a group.
    public var requests: Int64
    /// Events that they appended.
    public var events: Int64
    /// Requests that wait for a commit now.
    public var waiting: Int64
    /// The cut of the newest snapshot that is known here; 0: there is none.
    public var snapshotPosition: Int64
    /// When the last event in it was recorded, milliseconds since 1970 UTC; `nil`: there is none.
    public var snapshotRecordedAt: Int64?
}
