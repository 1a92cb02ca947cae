public import DaybookEvents

/// Steps that customers take one after the other, and how long they may take.
public struct Funnel: Sendable, Equatable {
    /// Whether other events may come between steps (`ordered`), none may (`strict`), or any order will do (`anyOrder`).
    public enum Order: String, Sendable, CaseIterable { case ordered, strict, anyOrder }
    /// Key in the catalog's `funnels`, by which questions ask for it.
    public var name: String
    /// How the steps must follow each other; `ordered` by default.
    public var order: Order = .ordered
    /// From step 1 to the last step, in milliseconds.
    public var windowMilliseconds: Int64
    /// In document order, which is that of the funnel; a catalog lists at least two.
    public var steps: [FunnelStep]
    /// Customers with one of these events after step 1 drop out.
    public var exclusions: [FunnelStep] = []
    /// The experiment by whose variants customers are told apart; `nil`: by the variant in the first event itself.
    public var experiment: String?
    /// Makes an ordered funnel without exclusions and experiment; nothing is checked.
    public init(name: String, windowMilliseconds: Int64, steps: [FunnelStep]) {
        self.name = name
        self.windowMilliseconds = windowMilliseconds
        self.steps = steps
    }
}

/// One event that a customer has to come to, or an exclusion that takes the customer out.
public struct FunnelStep: Sendable, Equatable {
    /// What answers call the step; the event type where the catalog names none.
    public var name: String
    /// An event type of the vocabulary.
    public var event: EventTypeName
    /// The event's context (paywall context, onboarding step, milestone, feature) when it matters.
    public var context: String?
    /// Of the start or renewal of a subscription, whether it is a free trial; `nil`: either.
    public var isTrial: Bool?
    /// Makes a step for trials and others alike; a `nil` context matches every context.
    public init(name: String, event: EventTypeName, context: String? = nil) {
        self.name = name
        self.event = event
        self.context = context
    }
}

/// A target that a metric should meet, as the catalog's `kpis` state it.
public struct KPITarget: Sendable, Equatable {
    /// On which side of the target a value must lie; bounds are inclusive.
    public enum Comparison: String, Sendable, CaseIterable { case atLeast, atMost, between }
    /// Key in the catalog's `kpis`.
    public var name: String
    /// Name of a metric, or `kpi.<name>` of a number that `kpi.recorded` tells.
    public var metric: String
    /// How values are compared with the target.
    public var comparison: Comparison
    /// Thousandths (0.85 is 850); `upperMilli` with `between` only.
    public var targetMilli: Int64
    /// The inclusive upper bound, in thousandths; `nil` unless the comparison is `between`.
    public var upperMilli: Int64?
    /// Makes a target without an upper bound; nothing is checked.
    public init(name: String, metric: String, comparison: Comparison, targetMilli: Int64) {
        self.name = name
        self.metric = metric
        self.comparison = comparison
        self.targetMilli = targetMilli
    }
}
