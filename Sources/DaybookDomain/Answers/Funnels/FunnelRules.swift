/// What a funnel's units are told apart by.
public enum FunnelBreakdown: String, Sendable, CaseIterable {
    case none, variant, context
}

/// How a funnel of the catalog is counted (docs/rules.md#funnels).
public struct FunnelRules: Sendable, Equatable {
    /// What goes through the steps.
    public enum Unit: String, Sendable, CaseIterable {
        case customer
        /// A profile of a customer, with the events that name it; what names none is of no profile.
        case profile
        /// A customer's events until nothing happens for a time.
        case session
    }

    /// Which event of the first step a unit enters with.
    public enum Entry: String, Sendable, CaseIterable {
        case first
        /// The one from which it gets furthest; of several that which gets there first.
        case best
    }

    /// Which event says what a unit is told apart by.
    public enum Touch: String, Sendable, CaseIterable {
        case first, last
        /// Each step's own: a unit may be in several groups.
        case each
    }

    /// Half an hour, as web analytics has it.
    public static let sessionGapDefault: Int64 = 30 * 60_000

    /// What is counted; customers unless told otherwise.
    public var unit = Unit.customer
    /// A session ends when nothing happened for longer than this, in milliseconds.
    public var sessionGapMilliseconds = Self.sessionGapDefault
    /// From which of several first steps a unit starts; a funnel in any order ignores it.
    public var entry = Entry.first
    /// What splits the report into groups; `none`: it has no groups.
    public var breakdown = FunnelBreakdown.none
    /// Which event decides on a unit's group; without a breakdown it has no effect.
    public var touch = Touch.first

    /// Creates rules that count customers from their first entry, without groups.
    public init() {}
}
