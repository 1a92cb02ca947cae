import DaybookDomain
import DaybookEvents

/// How many customers went through the steps of a funnel.
struct FunnelQuestion {
    let core: LedgerCore

    /// Runs a funnel of the newest catalog over all customers of an environment.
    func funnel(
        _ name: String, environment: Environment = .production, from: Int64? = nil,
        until: Int64? = nil, windowMilliseconds: Int64? = nil,
        breakdown: FunnelBreakdown = .none, experiment: String? = nil,
        knownAt: Moment.Knowledge? = nil
    ) throws -> FunnelReport {
        guard let catalog = try core.catalogs().newest?.catalog else {
            throw CustomerAnswers.noCatalog
        }
        guard var funnel = catalog.funnel(name) else {
            let known = catalog.funnels.map(\.name).joined(separator: ", ")
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "unknown_name",
                    reason: "the catalog has no funnel \"\(name)\"; there are: \(known)")
            ])
        }
        if let experiment { funnel.experiment = experiment }
        if let windowMilliseconds { funnel.windowMilliseconds = windowMilliseconds }
        let (lower, upper) = (from ?? Int64.min, until ?? Int64.max)
        guard lower <= upper else {
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "bad_range",
                    reason:
                        "the range ends at \(RFC3339.format(upper)), before it begins at \(RFC3339.format(lower))"
                )
            ])
        }
        var answer = FunnelsAnswer(funnel, range: lower..<upper, breakdown: breakdown)
        var seen: Set<ExactText> = []
        try core.translating {
            let now = core.clock()
            let cut = min(
                try core.resolve(knownAt, now: now).position, try core.store.head().position)
            let known = try core.knownState(at: cut)
            let builder = CaseBuilder(
                state: known, store: core.store, cut: cut,
                at: LedgerClock(wall: now, last: known.head.recordedAt).now)
            for subject in known.subjectsAndReceivers(in: environment, cut: cut) {
                let question = try builder.build(environment, subject)
                // Several ids of one person count once.
                guard seen.insert(ExactText(question.subject)).inserted else { continue }
                answer.add(question)
            }
        }
        return answer.report()
    }
}
