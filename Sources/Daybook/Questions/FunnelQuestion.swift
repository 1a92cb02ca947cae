import DaybookDomain
import DaybookEvents

/// How many customers, profiles or sessions went through the steps of a funnel.
struct FunnelQuestion {
    let core: LedgerCore
    private let workers: Int

    /// - Parameter workers: `nil`: as many as can run at once.
    init(core: LedgerCore, workers: Int? = nil) {
        self.core = core
        self.workers = max(1, workers ?? Parallel.processorCount)
    }

    /// - Parameter progress: Of the customers and lineages, how many are done.
    func report(
        _ request: FunnelRequest, progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> FunnelReport {
        try core.refresh()
        return try core.translating {
            let look = try MetricsLook(core, request.moment)
            guard let catalog = look.catalog?.catalog else { throw CustomerAnswers.noCatalog }
            let funnel = try Self.funnel(request, catalog)
            try MetricsQuestion.confirmCountries(request.filter)
            var rules = MetricRules()
            rules.filter = request.filter
            let (_, zone) = try MetricsQuestion.zone(nil, catalog, core)
            let (core, fixed) = (core, rules)
            let empty = FunnelsAnswer(funnel, range: try range(request), rules: request.rules)
            let answers = try MetricsPass.run(
                in: request.environment, cut: look.cut, workers: workers,
                { MetricsPass(look.known, core, cut: look.cut, at: look.at, fixed, in: zone, nil) },
                empty, progress: progress
            ) { answer, pass, element in
                guard let subject = try pass.subject(element) else { return }
                answer.add(subject.funnelSteps, names: look.known.names)
            }
            var answer = empty
            for other in answers { answer.add(other) }
            return answer.report()
        }
    }

    /// The catalog's funnel, with what the question changes of it.
    private static func funnel(_ request: FunnelRequest, _ catalog: Catalog) throws -> Funnel {
        guard var funnel = catalog.funnel(request.name) else {
            let known = catalog.funnels.map(\.name).joined(separator: ", ")
            throw bad(
                "unknown_name", "the catalog has no funnel \"\(request.name)\"; there are: \(known)"
            )
        }
        if let experiment = request.experiment { funnel.experiment = experiment }
        if let window = request.windowMilliseconds { funnel.windowMilliseconds = window }
        if let order = request.order { funnel.order = order }
        guard funnel.order != .anyOrder || request.rules.entry == .first else {
            throw bad(
                "bad_range",
                "in any order each event of a step is an entry; the best one is of funnels in order"
            )
        }
        guard request.rules.sessionGapMilliseconds >= 0 else {
            throw bad("bad_range", "a session cannot end before its last event")
        }
        return funnel
    }

    private func range(_ request: FunnelRequest) throws -> Range<Int64> {
        let (lower, upper) = (request.from ?? Int64.min, request.until ?? Int64.max)
        guard lower <= upper else {
            throw Self.bad(
                "bad_range",
                "the range ends at \(RFC3339.format(upper)), before it begins at \(RFC3339.format(lower))"
            )
        }
        return lower..<upper
    }

    private static func bad(_ code: String, _ reason: String) -> LedgerError {
        .badInput([InputProblem(line: nil, column: nil, code: code, reason: reason)])
    }
}
