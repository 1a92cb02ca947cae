public import DaybookEvents

/// How many units got how far.
public struct FunnelReport: Sendable, Equatable {
    /// What was counted of one step.
    public struct Step: Sendable, Equatable {
        /// The step's name in the catalog.
        public var name: String
        /// The type of event that takes the step.
        public var event: EventTypeName
        /// How many units took the step.
        public var count: Int
        /// Time since the step before, over the units that took this step after another; `nil` where none did.
        /// In order that is the step above, in any order whichever came last.
        public var medianMilliseconds: Int64?
        /// The 90th percentile of the same times, by nearest rank; `nil` where the median is.
        public var p90Milliseconds: Int64?
    }
    /// The units that one variant or context tells apart.
    public struct Group: Sendable, Equatable {
        /// The variant or context; `none`: units without one.
        public var name: String
        /// Units that took the first step; in any order: that took one of the steps.
        public var entered: Int
        /// In the funnel's order.
        public var steps: [Step]
    }

    /// The funnel's name in the catalog.
    public var name: String
    /// In which order the steps had to be taken.
    public var order: Funnel.Order
    /// How it was counted.
    public var rules: FunnelRules
    /// Units that took the first step; in any order: that took one of the steps.
    public var entered: Int
    /// How long after a unit's first step its other steps count, inclusive.
    public var windowMilliseconds: Int64
    /// Over all units, in the funnel's order.
    public var steps: [Step]
    /// By name; empty without a breakdown.
    public var groups: [Group]
}
