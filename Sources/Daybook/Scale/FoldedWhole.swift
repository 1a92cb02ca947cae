import DaybookDomain
import DaybookEvents

/// What parts add up to, shown as the ledger that they are of would show it.
public struct FoldedWhole: Sendable {
    /// The context that all parts were folded by.
    public let context: FoldContext
    /// The sum of all parts.
    public let part: FoldedPart
    private let ledgers: ContextLedger

    /// - Throws: `LedgerError.badInput` where cases are missing, or were folded twice.
    public init(
        _ context: FoldContext, _ part: FoldedPart, zones: ZoneTables = ZoneTables()
    ) throws {
        try LedgerError.require(
            part.context == context.digest, "other_context",
            "the parts were folded by another context than this one")
        try LedgerError.require(
            part.caseCount == context.caseCount && part.eventCount == context.eventCount,
            "incomplete",
            "the parts have \(part.caseCount) cases with \(part.eventCount) events, the ledger has \(context.caseCount) with \(context.eventCount): some are missing, or were folded twice"
        )
        try LedgerError.require(
            part.cases == context.cases, "incomplete",
            "some cases are missing, and others were folded twice")
        self.context = context
        self.part = part
        ledgers = ContextLedger(context: context, zones: zones)
    }

    /// The values of the metrics that were asked for; `nil`: none were.
    public func metrics() throws -> MetricsReport? {
        guard let metrics = part.metrics else { return nil }
        let (ledger, positions) = try ledgers.ledger()
        let request = try request(metrics)
        return inItsLedger(try report(request, metrics, ledger), positions)
    }

    /// The targets of the newest catalog beside what was reached, as `kpis` has them; `nil`: no metrics were asked for.
    /// - Throws: `LedgerError.badInput` where a target's metric was not asked for.
    public func kpis() throws -> KPIReport? {
        guard let metrics = part.metrics else { return nil }
        let (ledger, positions) = try ledgers.ledger()
        var board = try KPIQuestion(core: ledger.core).report(try request(metrics)) { asked in
            let known = Set((metrics.definition["metrics"]?.array ?? []).compactMap(\.text))
            if let missing = asked.metrics.first(where: { !known.contains($0) }) {
                throw LedgerError.bad(
                    "other_question",
                    "the parts have no values of \(missing), which is a target; fold with --kpi")
            }
            return try report(try request(metrics), metrics, ledger)
        }
        board.asOf = inItsLedger(board.asOf)
        board.rates = board.rates.map { Self.inItsLedger($0, positions) }
        return board
    }

    /// The funnels that were asked for.
    public func funnels() throws -> [FunnelReport] {
        guard !part.funnels.isEmpty else { return [] }
        let (ledger, _) = try ledgers.ledger()
        return try part.funnels.map { funnel in
            guard var request = FunnelRequest(funnel.definition) else { throw Self.unaskable }
            request.moment = Moment(at: context.at)
            var answer = try FunnelQuestion(core: ledger.core, workers: 1).answer(request)
            guard answer.add(funnel.sums) else {
                throw LedgerError.bad(
                    "other_question", "the parts are of a funnel with other steps")
            }
            return answer.report()
        }
    }

    /// The buckets of which the sums differ from those of a ledger at the context's position: none where it has the
    /// same history of the same customers, folded by the same rules.
    /// - Throws: `LedgerError.badInput` for a ledger of another app, or one that does not reach so far.
    /// - Complexity: A fold of the whole ledger.
    public func differingBuckets(
        from ledger: Ledger, progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> [Int] {
        try LedgerError.require(
            haveSameBytes(ledger.app, context.app), "another_app",
            "the parts are of \(context.app), the ledger of \(ledger.app)")
        let core = ledger.core
        return try core.answering {
            let state = try core.knownState(at: context.position)
            try LedgerError.require(
                state.head.position >= context.position, "bad_position",
                "the ledger ends at position \(state.head.position), before \(context.position), where the parts end"
            )
            return try BucketSums.folding(state, progress: progress).differing(from: part.buckets)
        }
    }

    /// The metrics that the targets of a context's newest catalog are about.
    public static func targets(
        of context: FoldContext, zones: ZoneTables = ZoneTables()
    ) throws -> [String] {
        let (ledger, _) = try ContextLedger(context: context, zones: zones).ledger()
        return try KPIQuestion(core: ledger.core).names(nil)
    }

    private static let unaskable = LedgerError.bad(
        "other_question", "the parts answer a question that this version cannot ask")

    private func request(_ metrics: FoldedPart.Metrics) throws -> MetricsRequest {
        guard var request = MetricsRequest(metrics.definition) else { throw Self.unaskable }
        try FoldContext.confirm(
            request.zone ?? "", metrics.definition[FoldedPart.zoneMark]?.text ?? "", ledgers.zones,
            line: nil)
        request.environment = metrics.environment
        request.moment = Moment(at: context.at)
        return request
    }

    private func report(
        _ request: MetricsRequest, _ metrics: FoldedPart.Metrics, _ ledger: Ledger
    ) throws -> MetricsReport {
        let setting = try MetricsQuestion.Setting(ledger.core, request)
        var answer = setting.empty
        answer.add(metrics.sums)
        return setting.report(answer, subjectCount: metrics.subjectCount)
    }

    /// With positions as they are in the ledger that was folded.
    private func inItsLedger(_ report: MetricsReport, _ positions: [Int64]) -> MetricsReport {
        var report = report
        report.asOf = inItsLedger(report.asOf)
        report.rates = report.rates.map { Self.inItsLedger($0, positions) }
        return report
    }

    /// What is known ends at a place, so that nothing that happens yet changes the answer.
    private func inItsLedger(_ asOf: AsOf) -> AsOf {
        var moved = asOf
        moved.position = context.position
        moved.isOpen = false
        return moved
    }

    private static func inItsLedger(_ rates: RatesKnown, _ positions: [Int64]) -> RatesKnown {
        var moved = rates
        moved.position = rates.position.map { positions[Int($0) - 1] }
        return moved
    }
}
