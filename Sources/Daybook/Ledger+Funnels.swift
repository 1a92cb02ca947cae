public import DaybookDomain
public import DaybookEvents

extension Ledger {
    /// Runs a funnel of the newest catalog over all customers of an environment.
    /// - Parameters:
    ///   - from: Inclusive; `nil`: the beginning.
    ///   - until: Exclusive; `nil`: now.
    ///   - windowMilliseconds: `nil`: the catalog's.
    ///   - experiment: By whose variants customers are told apart; `nil`: the one that the catalog names at the funnel.
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have, and for a range that ends before it
    ///   begins.
    public func funnel(
        _ name: String, environment: Environment = .production, from: Int64? = nil,
        until: Int64? = nil, windowMilliseconds: Int64? = nil,
        breakdown: FunnelBreakdown = .none, experiment: String? = nil,
        knownAt: Moment.Knowledge? = nil
    ) throws -> FunnelReport {
        guard let catalog = try catalogs().newest?.catalog else { throw Self.noCatalog }
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
        try translating {
            let now = clock()
            let cut = min(try resolve(knownAt, now: now).position, try store.head().position)
            let known = try knownState(at: cut)
            let builder = CaseBuilder(
                state: known, store: store, cut: cut,
                at: LedgerClock(wall: now, last: known.head.recordedAt).now)
            for subject in known.subjects(in: environment) {
                let question = try builder.build(environment, subject)
                // Several ids of one person are one unit.
                guard seen.insert(ExactText(question.subject)).inserted else { continue }
                answer.add(question)
            }
        }
        return answer.report()
    }
}
