public import DaybookDomain
public import DaybookEvents

/// What to ask of a funnel of the catalog.
public struct FunnelRequest: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The funnel's name in the catalog.
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
    /// What goes through the steps, which first step counts, and by what units are told apart.
    public var rules = FunnelRules()
    /// Of which customers; products make no difference, as steps are no payments.
    public var filter = MetricFilter()
    /// The environment whose customers are counted.
    public var environment: Environment
    /// Without a time of its own the question is asked as of what was known.
    public var moment: Moment

    /// Creates a question; name and range are checked when it is answered. Window and order stay the catalog's.
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

extension FunnelRequest {
    /// The question in one object, without its moment.
    var definition: JSONObject {
        [
            "name": .string(name), "from": .orNull(from), "until": .orNull(until),
            "window_ms": .orNull(windowMilliseconds), "order": .orNull(order?.rawValue),
            "experiment": .orNull(experiment), "per": .string(rules.unit.rawValue),
            "session_gap_ms": .integer(rules.sessionGapMilliseconds),
            "entry": .string(rules.entry.rawValue), "by": .string(rules.breakdown.rawValue),
            "touch": .string(rules.touch.rawValue), "filter": .object(filter.json),
            "environment": .string(environment.name),
        ]
    }

    /// - Returns: `nil` for what `definition` does not write, or what this build cannot ask.
    init?(_ definition: JSONObject) {
        guard let name = definition["name"]?.text,
            let environment = definition["environment"]?.text.flatMap(Environment.init(name:)),
            let unit = definition["per"]?.text.flatMap(FunnelRules.Unit.init(rawValue:)),
            let gap = definition["session_gap_ms"]?.integer,
            let entry = definition["entry"]?.text.flatMap(FunnelRules.Entry.init(rawValue:)),
            let breakdown = definition["by"]?.text.flatMap(FunnelBreakdown.init(rawValue:)),
            let touch = definition["touch"]?.text.flatMap(FunnelRules.Touch.init(rawValue:)),
            let filter = definition["filter"]?.object.flatMap(MetricFilter.init)
        else { return nil }
        self.init(
            name, by: breakdown, experiment: definition["experiment"]?.text,
            from: definition["from"]?.integer, until: definition["until"]?.integer,
            environment: environment)
        windowMilliseconds = definition["window_ms"]?.integer
        order = definition["order"]?.text.flatMap(Funnel.Order.init(rawValue:))
        rules.unit = unit
        rules.sessionGapMilliseconds = gap
        rules.entry = entry
        rules.touch = touch
        self.filter = filter
        guard self.definition == definition else { return nil }
    }
}
