public import DaybookDomain
public import DaybookEvents
public import DaybookIngest

/// How a file is taken in (rule 28).
public struct ImportOptions: Sendable, Equatable {
    /// Keep the file's `recorded_at`.
    public var isAsRecorded: Bool
    /// Check everything, append nothing.
    public var isDryRun: Bool
    /// Append what is fine and report the rest, instead of refusing the whole file.
    public var keepsGoing: Bool
    /// The trust of lines that name none.
    public var defaultTrust: Trust
    /// Refuse an app's own lines with a type, a member or a name that neither this build nor a catalog of the ledger or
    /// of the file knows; what stores say and what was recorded before is kept anyway.
    public var refusesUnknown: Bool
    /// How rows of delimited text become events; `nil`: the lines are events in JSON.
    public var map: ImportMap?

    /// By default all lines are taken or none, under new recorded times, and unknown names are kept.
    public init(
        isAsRecorded: Bool = false, isDryRun: Bool = false, keepsGoing: Bool = false,
        defaultTrust: Trust = .imported, refusesUnknown: Bool = false, map: ImportMap? = nil
    ) {
        self.isAsRecorded = isAsRecorded
        self.isDryRun = isDryRun
        self.keepsGoing = keepsGoing
        self.defaultTrust = defaultTrust
        self.refusesUnknown = refusesUnknown
        self.map = map
    }
}

/// How far an import is.
public struct ImportProgress: Sendable, Equatable {
    /// An import reads and checks the whole file, then appends it.
    public enum Phase: String, Sendable { case reading, appending }
    /// What the import is doing.
    public var phase: Phase
    /// Lines that were read so far.
    public var lines: Int
    /// Events that were appended so far.
    public var appended: Int
    /// Bytes of the file that were read so far.
    public var bytes: Int
    /// Events that wait to be appended; 0 while reading.
    public var total: Int
}

/// What became of a file.
public struct ImportReport: Sendable, Equatable {
    /// Blank ones do not count.
    public var lines: Int
    /// Events; an order with items is one line and several events.
    public var appended: Int
    /// Events, as with those appended.
    public var duplicates: Int
    /// The lines that were refused, each with its reason.
    public var refused: [LineProblem]
    /// How many of the events that are new have a type that this build does not know, by type: kept as they are.
    public var unknownTypes: [String: Int] = [:]
    /// How many of them have an unknown member of the envelope, or name an unknown meter, feature or entitlement, by
    /// `member NAME`, `meter NAME` and so on; no more names than can be told.
    public var unknownNames: [String: Int] = [:]
    /// Transactions that new events take back and that neither the ledger nor the file has, such as
    /// `apple:2000000123`: each once, in the order of the lines, at most 64.
    public var unknownTransactions: [String] = []
}
