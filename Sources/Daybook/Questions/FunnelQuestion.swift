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
    ) throws -> FunnelReport { try answer(request, progress: progress).report() }

    /// The same before anything is divided.
    func answer(
        _ request: FunnelRequest, progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> FunnelsAnswer {
        let (answers, empty, _) = try answers(request, { $0 }, progress: progress) { answer, look in
            answer.add(look.steps, names: look.names)
        }
        var answer = empty
        for other in answers { answer.add(other) }
        return answer
    }

    /// Who took a step, and who took the next one after it.
    func customers(
        _ request: FunnelStepRequest, progress: @Sendable (Int, Int) throws -> Void
    ) throws -> FunnelCustomers {
        let asked = request
        let (answers, empty, asOf) = try answers(
            request.funnel, { ($0, FunnelCustomers.found(limit: asked.limit)) }, progress: progress
        ) { sums, look in
            var own = look.empty
            own.add(look.steps, names: look.names)
            sums.0.add(own)
            let steps = own.report().steps
            guard let place = steps.firstIndex(where: { haveSameBytes($0.name, asked.step) }),
                steps[place].count > 0, case .customer(let key) = look.element
            else { return }
            let next = place + 1 < steps.count ? steps[place + 1].count : 0
            guard !asked.isStopped || steps[place].count > next else { return }
            sums.1.add(
                .init(name: look.pass.shown(key), count: steps[place].count, nextCount: next))
        }
        var answer = empty
        var found = FunnelCustomers.found(limit: request.limit)
        for (other, own) in answers {
            answer.add(other)
            found.add(own)
        }
        let report = answer.report()
        guard let step = report.steps.first(where: { haveSameBytes($0.name, request.step) }) else {
            throw LedgerError.bad(
                "unknown_name",
                "the funnel has no step \"\(request.step)\"; it has \(report.steps.map(\.name).joined(separator: ", "))"
            )
        }
        try LedgerError.require(
            !request.isStopped || report.order != .anyOrder, "bad_range",
            "in any order no step comes after another")
        return FunnelCustomers(
            step: step, isStopped: request.isStopped, rows: found.sorted, count: found.count,
            asOf: asOf)
    }

    /// One subject before the funnel.
    private struct Look {
        let steps: [FunnelState.Step]
        let element: MetricsPass.Element
        let pass: MetricsPass
        /// Without a subject.
        let empty: FunnelsAnswer

        var names: NameTable { pass.state.names }
    }

    /// Shows the funnel all subjects.
    /// - Parameter initial: What a worker begins with, made of an answer without subjects.
    /// - Returns: What each worker made of its subjects, in no order.
    private func answers<Sum: Sendable>(
        _ request: FunnelRequest, _ initial: (FunnelsAnswer) -> Sum,
        progress: @Sendable (Int, Int) throws -> Void,
        _ visit: @Sendable (inout Sum, Look) -> Void
    ) throws -> (answers: [Sum], empty: FunnelsAnswer, asOf: AsOf) {
        return try core.answering {
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
                initial(empty), progress: progress
            ) { sum, pass, element in
                guard let subject = try pass.subject(element) else { return }
                visit(
                    &sum,
                    Look(steps: subject.funnelSteps, element: element, pass: pass, empty: empty))
            }
            let asOf = AsOf(
                at: look.at, knownAt: request.moment.knownAtInstant, position: look.cut,
                catalog: look.catalog?.version, isOpen: look.isOpen)
            return (answers, empty, asOf)
        }
    }

    /// The catalog's funnel, with what the question changes of it.
    private static func funnel(_ request: FunnelRequest, _ catalog: Catalog) throws -> Funnel {
        guard var funnel = catalog.funnel(request.name) else {
            let known = catalog.funnels.map(\.name).joined(separator: ", ")
            throw LedgerError.bad(
                "unknown_name", "the catalog has no funnel \"\(request.name)\"; there are: \(known)"
            )
        }
        if let experiment = request.experiment { funnel.experiment = experiment }
        if let window = request.windowMilliseconds { funnel.windowMilliseconds = window }
        if let order = request.order { funnel.order = order }
        try LedgerError.require(
            funnel.order != .anyOrder || request.rules.entry == .first, "bad_range",
            "in any order each event of a step is an entry; the best one is of funnels in order")
        try LedgerError.require(
            request.rules.sessionGapMilliseconds >= 0, "bad_range",
            "a session cannot end before its last event")
        return funnel
    }

    private func range(_ request: FunnelRequest) throws -> Range<Int64> {
        let (lower, upper) = (request.from ?? Int64.min, request.until ?? Int64.max)
        try LedgerError.require(
            lower <= upper, "bad_range",
            "the range ends at \(RFC3339.format(upper)), before it begins at \(RFC3339.format(lower))"
        )
        return lower..<upper
    }

}
