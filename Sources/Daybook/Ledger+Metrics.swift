public import DaybookDomain
public import DaybookEvents

/// Questions about all customers at once.
extension Ledger {
    /// Runs a funnel of the newest catalog over all customers of an environment.
    /// - Parameters:
    ///   - from: Inclusive; `nil`: the beginning.
    ///   - until: Exclusive; `nil`: now.
    ///   - windowMilliseconds: `nil`: the catalog's.
    ///   - experiment: The experiment by whose variants customers are told apart; `nil`: the one that the catalog names
    ///     at the funnel.
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have, and for a range that ends before it
    ///   begins.
    public func funnel(
        _ name: String, environment: Environment = .production, from: Int64? = nil,
        until: Int64? = nil, windowMilliseconds: Int64? = nil,
        breakdown: FunnelBreakdown = .none, experiment: String? = nil,
        knownAt: Moment.Knowledge? = nil
    ) throws -> FunnelReport {
        try FunnelQuestion(core: core).funnel(
            name, environment: environment, from: from, until: until,
            windowMilliseconds: windowMilliseconds, breakdown: breakdown, experiment: experiment,
            knownAt: knownAt)
    }

    /// Metrics over all customers of an environment (docs/metrics.md).
    /// - Parameter progress: Is told how many of how many customers and lineages were looked at.
    /// - Throws: `LedgerError.badInput` for an unknown metric or zone, and for a range of no or of too many periods.
    /// - Complexity: O(*n*) in the events of all customers.
    public func metrics(
        _ request: MetricsRequest, progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws -> MetricsReport {
        try MetricsQuestion(core: core).report(request, progress: progress)
    }

    /// The targets of the newest catalog beside the values of the last period that is over, and of those before it.
    /// - Parameter request: Which metrics it names makes no difference.
    /// - Throws: `LedgerError.badInput` where the ledger has no catalog, and as `metrics` does.
    public func kpis(
        _ request: MetricsRequest = MetricsRequest(),
        progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws -> KPIReport {
        try KPIQuestion(core: core).report(request, progress: progress)
    }
}
