public import DaybookDomain
public import DaybookEvents

/// What to ask of a funnel of the catalog.
public struct FunnelRequest: Sendable, Equatable, ExpressibleByStringLiteral {
    public var name: String
    /// Milliseconds since 1970 UTC; units enter from then on. `nil`: the beginning.
    public var from: Int64?
    /// Exclusive; `nil`: no end.
    public var until: Int64?
    /// `nil`: the catalog's.
    public var windowMilliseconds: Int64?
    /// `nil`: the catalog's.
    public var order: Funnel.Order?
    /// The experiment by whose variants units are told apart; `nil`: the one that the catalog names at the funnel.
    public var experiment: String?
    public var rules = FunnelRules()
    /// Of which customers; products make no difference, as steps are no payments.
    public var filter = MetricFilter()
    public var environment: Environment
    /// Without a time of its own the question is asked as of what was known.
    public var moment: Moment

    public init(
        _ name: String, by breakdown: FunnelBreakdown = .none, experiment: String? = nil,
        from: Int64? = nil, until: Int64? = nil, environment: Environment = .production,
        moment: Moment = .now
    ) {
        self.name = name
        rules.breakdown = breakdown
        self.experiment = experiment
        self.from = from
        self.until = until
        self.environment = environment
        self.moment = moment
    }

    /// A funnel as the catalog has it.
    public init(stringLiteral name: String) { self.init(name) }
}
