/// Valid time and knowledge time of a question (law 4).
public struct Moment: Sendable, Equatable {
    /// What had been recorded by then.
    public enum Knowledge: Sendable, Equatable {
        /// Everything that was recorded at or before this time, milliseconds since 1970 UTC.
        case instant(Int64)
        /// Everything up to this position, itself included.
        case position(Int64)
    }

    /// What was true then, milliseconds since 1970 UTC; `nil`: now.
    public var at: Int64?
    /// `nil`: everything that is recorded.
    public var knownAt: Knowledge?

    /// Creates a moment; nothing is checked.
    public init(at: Int64? = nil, knownAt: Knowledge? = nil) {
        self.at = at
        self.knownAt = knownAt
    }

    /// What is true now, by everything that is recorded.
    public static let now = Moment()

    package var knownAtInstant: Int64? {
        if case .instant(let instant) = knownAt { instant } else { nil }
    }
}

/// Which cut an answer was made from: enough to ask for the same answer again.
public struct AsOf: Sendable, Equatable {
    /// Valid time of the answer, milliseconds since 1970 UTC.
    public var at: Int64
    /// The knowledge time that was asked for, milliseconds since 1970 UTC; `nil`: none was.
    public var knownAt: Int64?
    /// The last position that is known to the answer.
    public var position: Int64
    /// The version of the catalog; `nil`: no catalog was in force.
    public var catalog: Int64?
    /// The answer may still change, because time has not passed the moment that was asked about (rule 5).
    public var isOpen: Bool
    /// How far the last recorded time is ahead of the clock by which "now" was told, in milliseconds; 0: it is not.
    public var clockLead: Int64 = 0

    package init(
        at: Int64, knownAt: Int64? = nil, position: Int64, catalog: Int64? = nil, isOpen: Bool,
        clockLead: Int64 = 0
    ) {
        self.at = at
        self.knownAt = knownAt
        self.position = position
        self.catalog = catalog
        self.isOpen = isOpen
        self.clockLead = clockLead
    }
}
