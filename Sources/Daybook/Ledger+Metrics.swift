public import DaybookDomain
public import DaybookEvents

/// Questions about all customers at once.
extension Ledger {
    /// Runs a funnel of the newest catalog that is known over all customers of an environment.
    /// - Parameters:
    ///   - request: The funnel, the range in which units enter, and the rules; its moment says what is known.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The counts are the same.
    ///   - progress: Is told how many of how many customers and lineages were looked at, on one of these threads.
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have, for a range that ends before it
    ///   begins, and for the best entry of a funnel in any order.
    /// - Complexity: O(*n*) in the events of all customers.
    public func funnel(
        _ request: FunnelRequest, workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> FunnelReport {
        try FunnelQuestion(core: core, workers: workers).report(request, progress: progress)
    }

    /// Metrics over all customers of an environment (docs/metrics.md).
    /// - Parameters:
    ///   - request: Which metrics, of which periods and environment, and by which rules; without names all metrics.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The values are the same.
    ///   - progress: Is told how many of how many customers and lineages were looked at, on one of these threads.
    /// - Throws: `LedgerError.badInput` for an unknown metric or zone, and for a range of no or of too many periods.
    /// - Complexity: O(*n*) in the events of all customers.
    public func metrics(
        _ request: MetricsRequest, workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> MetricsReport {
        try MetricsQuestion(core: core, workers: workers).report(request, progress: progress)
    }

    /// Who is behind one value of a metric, and with how much: parts that add up to it.
    /// - Parameters:
    ///   - request: A question about one metric, and which of its values: the period, the group and the age.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The parts are the same.
    ///   - progress: As of `metrics`, where the value is not kept, and then once more.
    /// - Throws: `LedgerError.badInput` for a value that the answer does not have, and as `metrics` does.
    /// - Complexity: O(*n*) in the events of all customers.
    public func contributions(
        _ request: ContributionsRequest, workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> Contributions {
        try ContributionsQuestion(core: core, workers: workers).answer(request, progress: progress)
    }

    /// Who took a step of a funnel, or stopped after it.
    /// - Parameters:
    ///   - step: The funnel's question, the name of the step, and how many customers are told at most.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The rows are the same.
    ///   - progress: As of `funnel`.
    /// - Throws: `LedgerError.badInput` for a step that the funnel does not have, and as `funnel` does.
    /// - Complexity: O(*n*) in the events of all customers.
    public func customers(
        at step: FunnelStepRequest, workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> FunnelCustomers {
        try FunnelQuestion(core: core, workers: workers).customers(step, progress: progress)
    }

    /// What became of the customers who saw each variant of an experiment, from their first sight of it on.
    /// - Parameters:
    ///   - name: The experiment, as events or the catalog name it.
    ///   - metric: A ratio without groups and ages: so many of those who saw the variant.
    ///   - request: Over which time they saw it first, and by which rules; its metrics and length of periods make no
    ///     difference.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The numbers are the
    ///     same.
    ///   - progress: As of `metrics`.
    /// - Throws: `LedgerError.badInput` for a metric of another kind and for an experiment that no customer saw and no
    ///   catalog has, and as `metrics` does.
    public func experiment(
        _ name: String, metric: String = "conversion_to_paying",
        _ request: MetricsRequest = MetricsRequest(), workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> ExperimentReport {
        try ExperimentQuestion(core: core, workers: workers).report(
            name, metric: metric, request, progress: progress)
    }

    /// Computes metrics and keeps the answer's bytes for ever, under a name.
    ///
    /// The same name with the same question again is done already.
    /// - Parameters:
    ///   - freeze: The name, 1 to 128 bytes, and the question; a time that the question names must be over.
    ///   - progress: Is told how many of how many customers and lineages were looked at.
    /// - Throws: `LedgerError.badInput` for a name that another report has, for a report that is too large, and as
    ///   `metrics` does.
    @discardableResult
    public func freeze(
        _ freeze: ReportFreeze, progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) async throws -> FrozenReport {
        try await keep(try preparedReport(freeze, progress: progress))
    }

    /// A report on its way into the ledger: what takes long is done.
    package struct PreparedReport: Sendable {
        enum Content {
            case new(EventDraft)
            case kept(FrozenReport)
        }

        let freeze: ReportFreeze
        let content: Content

        /// Whether it was frozen before.
        package var isKept: Bool {
            if case .kept = content { true } else { false }
        }
    }

    /// Computes what is to be frozen; only reads.
    /// - Throws: As `freeze`.
    package func preparedReport(
        _ freeze: ReportFreeze, workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> PreparedReport {
        let reports = FrozenReports(core: core, workers: workers)
        if let kept = try reports.repeated(freeze) {
            return PreparedReport(freeze: freeze, content: .kept(kept))
        }
        return PreparedReport(
            freeze: freeze, content: .new(try reports.draft(of: freeze, progress: progress)))
    }

    /// Records what was computed.
    package func keep(_ prepared: PreparedReport) async throws -> FrozenReport {
        switch prepared.content {
        case .kept(let report): return report
        case .new(let draft):
            try await record([draft])
            return try FrozenReports(core: core).named(
                prepared.freeze.name, in: prepared.freeze.request.environment)
        }
    }

    /// The reports of an environment that were frozen, in the order in which they were, without their documents.
    public func frozenReports(in environment: Environment = .production) throws -> [FrozenReport] {
        try FrozenReports(core: core).all(in: environment)
    }

    /// A report as it was frozen.
    /// - Throws: `LedgerError.badInput` for an unknown name.
    public func frozenReport(
        _ name: String, in environment: Environment = .production
    ) throws -> FrozenReport {
        try FrozenReports(core: core).named(name, in: environment)
    }

    /// Asks a frozen report's question again by what was known later, and explains what is different: by metric, by
    /// customer and by cause.
    /// - Parameters:
    ///   - name: The name under which the report was frozen.
    ///   - environment: The one that the report is about; in another one the name may be another report's.
    ///   - knownAt: `nil`: everything that is recorded.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The values are the same.
    ///   - progress: As of `metrics`, once for each state of knowledge, and then for the customers whom events between
    ///     them concern.
    /// - Throws: `LedgerError.badInput` for an unknown name, and for what was known before the report.
    /// - Complexity: O(*n*) in the events of all customers, and for each customer with later events O(*e* *m*) in
    ///   these and all of theirs.
    public func comparison(
        of name: String, in environment: Environment = .production,
        knownAt: Moment.Knowledge? = nil, workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> ReportComparison {
        try FrozenReports(core: core, workers: workers).comparison(
            of: name, in: environment, knownAt: knownAt, progress: progress)
    }

    /// The targets of the newest catalog beside the values of the last period that is over, and of those before it.
    /// - Parameters:
    ///   - request: Which metrics it names makes no difference.
    ///   - workers: How many threads look at the customers, `nil`: as many as can run at once. The values are the same.
    ///   - progress: As of `metrics`.
    /// - Throws: `LedgerError.badInput` where the ledger has no catalog, and as `metrics` does.
    public func kpis(
        _ request: MetricsRequest = MetricsRequest(), workers: Int? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> KPIReport {
        try KPIQuestion(core: core, workers: workers).report(request, progress: progress)
    }
}
