public import DaybookEvents

/// Steps that customers take one after the other, and how long they may take.
public struct Funnel: Sendable, Equatable {
    public enum Order: String, Sendable, CaseIterable { case ordered, strict, anyOrder }
    public var name: String
    public var order: Order
    /// From step 1 to the last step, in milliseconds.
    public var windowMilliseconds: Int64
    public var steps: [FunnelStep]
    /// Customers with one of these events after step 1 drop out.
    public var exclusions: [FunnelStep]
    /// The experiment by whose variants customers are told apart; `nil`: by the variant in the first event itself.
    public var experiment: String?
    public init(name: String, windowMilliseconds: Int64, steps: [FunnelStep]) {
        self.name = name
        self.windowMilliseconds = windowMilliseconds
        self.steps = steps
        order = .ordered
        exclusions = []
    }
}

public struct FunnelStep: Sendable, Equatable {
    public var name: String
    /// An event type of the vocabulary.
    public var event: EventTypeName
    /// The event's context (paywall context, onboarding step, milestone, feature) when it matters.
    public var context: String?
    /// Of the start or renewal of a subscription, whether it is a free trial; `nil`: either.
    public var isTrial: Bool?
    public init(name: String, event: EventTypeName, context: String? = nil) {
        self.name = name
        self.event = event
        self.context = context
    }
}

public struct KPITarget: Sendable, Equatable {
    public enum Comparison: String, Sendable, CaseIterable { case atLeast, atMost, between }
    public var name: String
    public var metric: String
    public var comparison: Comparison
    /// Thousandths (0.85 is 850); `upperMilli` with `between` only.
    public var targetMilli: Int64
    public var upperMilli: Int64?
    public init(name: String, metric: String, comparison: Comparison, targetMilli: Int64) {
        self.name = name
        self.metric = metric
        self.comparison = comparison
        self.targetMilli = targetMilli
    }
}
