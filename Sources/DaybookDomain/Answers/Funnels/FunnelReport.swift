public import DaybookEvents

/// How many units got how far.
public struct FunnelReport: Sendable, Equatable {
    public struct Step: Sendable, Equatable {
        public var name: String
        public var event: EventTypeName
        public var count: Int
        /// Time since the step before, over the units that took this step after another; `nil` where none did.
        /// In order that is the step above, in any order whichever came last.
        public var medianMilliseconds: Int64?
        public var p90Milliseconds: Int64?
    }
    public struct Group: Sendable, Equatable {
        public var name: String
        /// Units that took the first step; in any order: that took one of the steps.
        public var entered: Int
        public var steps: [Step]
    }

    public var name: String
    public var order: Funnel.Order
    public var rules: FunnelRules
    /// Units that took the first step; in any order: that took one of the steps.
    public var entered: Int
    public var windowMilliseconds: Int64
    public var steps: [Step]
    /// By name; empty without a breakdown.
    public var groups: [Group]
}
