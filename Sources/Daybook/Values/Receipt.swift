public import DaybookDomain

/// What an acknowledged request left behind. The same request again gets an equal receipt (law 7).
public struct Receipt: Sendable, Equatable {
    /// The key under which the request is known for ever; given by the ledger if the caller sent none.
    public var key: String
    /// Positions of the events, first to last; empty when there was nothing to add.
    public var positions: [Int64]
    /// The ledger's clock at the commit.
    public var recordedAt: Int64
    /// `FULL`: on disk before this receipt was given.
    public var durability: String
    /// What was answered, for usage: the numbers after the event.
    public var decision: Decision?
    /// Of an exposure to an experiment, what the customer sees.
    public var variant: String?
    /// What was asked for was so already, such as a use that was counted under its ref: nothing was added, and nothing
    /// was refused. A repeated key is no such case; it gets its first receipt.
    public var wasDoneBefore = false
    /// What could be said about the past before and cannot any more; filled where it was asked for (rule 24).
    public var restatements: [CustomerRestatements] = []
    /// The customers for whom something is different at the ledger's clock of the commit, and what; filled where it was
    /// asked for.
    public var changes: [CustomerDifference] = []
    /// Customers that were not looked at for these two, because too many are concerned.
    public var omitted = 0
    /// How far `recordedAt` is ahead of the clock by which it was decided, in milliseconds: recorded times never go
    /// back, and the last one was ahead. 0: it is not.
    public var clockLead: Int64 = 0
}

/// What became of a batch of reports.
public struct ReportReceipt: Sendable, Equatable {
    /// Events that were appended.
    public var appended = 0
    /// Events that were there already under their key.
    public var duplicates = 0
    /// The first and the last position that were appended; `nil`: nothing was.
    public var firstPosition: Int64?
    /// The last of these positions.
    public var lastPosition: Int64?
    /// What the store promises of the commit: `FULL` when it is on disk before this receipt was given.
    public var durability: String
    /// What could be said about the past before and cannot any more; filled where it was asked for (rule 24).
    public var restatements: [CustomerRestatements] = []
    /// Customers that were not looked at, because the batch names too many.
    public var restatementsOmitted = 0
    /// How far the recorded time is ahead of the clock, in milliseconds; 0: it is not.
    public var clockLead: Int64 = 0
}

extension ReportReceipt {
    /// Takes in what a later commit of the same work came to, without what it said about the past.
    mutating func add(_ later: ReportReceipt) {
        appended += later.appended
        duplicates += later.duplicates
        firstPosition = firstPosition ?? later.firstPosition
        lastPosition = later.lastPosition ?? lastPosition
        durability = later.durability
        clockLead = max(clockLead, later.clockLead)
    }
}
