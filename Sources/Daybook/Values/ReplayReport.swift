public import DaybookDomain

/// What a replay from zero came to.
public struct ReplayReport: Sendable {
    /// How many events were folded.
    public var events: Int64
    /// How many of them were read from segments; the others from rows.
    public var segmentEvents: Int64
    /// How many aggregates they were folded into, less those of evidence alone.
    public var aggregates: Int
    /// The digest of all folded states (rule 23).
    public var digest: StateDigest
    /// The digest of what the replay was compared with: states at hand, else states folded along the chains of streams;
    /// of an aggregate that was not compared its own.
    public var liveDigest: StateDigest
    /// How long it took by the ledger's clock.
    public var milliseconds: Int64
    /// Aggregates whose states differ, by name, and a snapshot that says another digest; at most 20.
    public var differences: [String]
    /// Further ones, which are not named.
    public var differencesOmitted = 0
    /// What the outcome was compared with.
    public var comparison = ReplayComparison()

    /// Law 2: replay equals live, and what was live when the snapshot was written.
    public var agrees: Bool { digest == liveDigest && comparison.isSnapshotSame }
}

/// What a replay was compared with: each of these is worked out in another way than the replay itself.
public struct ReplayComparison: Sendable, Equatable {
    /// How many aggregates were folded once more along the chains of their streams, less those of evidence alone.
    public var chainAggregates = 0
    /// 1: all aggregates were; else one of so many, from the first on.
    public var chainStep = 1
    /// Where the chains were followed: not where the replay read, if there are segments at all.
    public var chainSource = ReplaySource.rows
    /// Of how many aggregates the running ledger had the state at hand.
    public var cachedAggregates = 0
    /// The position of the newest snapshot that was given a digest when it was written; `nil`: there is none.
    public var snapshotCut: Int64?
    /// Whether the events up to that position still have the digest that the snapshot says.
    public var isSnapshotSame = true
}

/// Where a replay reads the events from.
public enum ReplaySource: String, Sendable, CaseIterable {
    /// Segments where there are any, rows elsewhere.
    case segments
    /// Rows alone.
    case rows
}
