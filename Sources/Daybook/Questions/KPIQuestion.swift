import DaybookDomain
import DaybookEvents
import DaybookIngest

/// The targets of the newest catalog beside the values of one period.
struct KPIQuestion {
    let core: LedgerCore
    /// `nil`: as many threads as can run at once.
    var workers: Int?

    /// How many periods a trend has.
    static let trendCount = 6

    /// - Parameter request: Its metrics are the targets' own, whatever it names.
    func report(
        _ request: MetricsRequest, progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> KPIReport {
        try report(request) {
            try MetricsQuestion(core: core, workers: workers).report($0, progress: progress)
        }
    }

    /// The metrics that the targets of the newest catalog are about.
    func names(_ knownAt: Moment.Knowledge?) throws -> [String] {
        let own = try targets(knownAt).map(\.metric).filter { Metric.named($0) != nil }
        // Without a metric of ours among the targets one is asked for all the same: it tells the period.
        return own.isEmpty ? ["new_customers"] : own
    }

    /// - Parameter values: Answers the question about the targets' metrics.
    func report(
        _ request: MetricsRequest, _ values: (MetricsRequest) throws -> MetricsReport
    ) throws -> KPIReport {
        try core.refresh()
        let targets = try targets(request.moment.knownAt)
        var request = request
        request.metrics = try names(request.moment.knownAt)
        let report = try values(request)
        guard let period = Self.period(report) else {
            throw LedgerError.bad("bad_range", "no period has begun yet; ask for an earlier one")
        }
        let recorded = try self.recorded(request.environment, period, report.asOf)
        let rows = targets.flatMap { self.rows($0, report, period, recorded) }
        return KPIReport(
            rows: rows, period: period, zone: report.zone, asOf: report.asOf, rates: report.rates)
    }

    /// The targets of the newest catalog that was known.
    private func targets(_ knownAt: Moment.Knowledge?) throws -> [KPITarget] {
        try core.translating {
            let (cut, _) = try core.resolve(knownAt, now: core.clock())
            let known = try core.knownState(at: cut)
            guard let newest = known.catalogs.known(at: min(cut, known.head.position)).newest else {
                throw CustomerAnswers.noCatalog
            }
            return newest.catalog.kpis
        }
    }

    /// The last whole period; where none is over yet the one that runs.
    private static func period(_ report: MetricsReport) -> MetricsReport.Period? {
        let begun = report.periods.filter { $0.range.lowerBound <= report.asOf.at }
        return begun.last { $0.range.upperBound <= report.asOf.at } ?? begun.last
    }

    private func rows(
        _ target: KPITarget, _ report: MetricsReport, _ period: MetricsReport.Period,
        _ recorded: [String: Int64]
    ) -> [KPIReport.Row] {
        guard let series = report.series.first(where: { $0.metric.name == target.metric }) else {
            // A catalog from before names were checked may name what there is not: it has no value.
            let name = target.metric.hasPrefix("kpi.") ? target.metric.dropFirst(4) : ""
            return [row(target, recorded: recorded[String(name)])]
        }
        var seen: Set<String> = []
        let groups = series.values.map(\.group).filter { seen.insert($0).inserted }
        if groups.isEmpty {
            // Nothing was paid in any currency: that is 0, and no lack of a value.
            let isNothing = series.metric.shape == .money
            return [
                KPIReport.Row(
                    target: target, group: "", numerator: isNothing ? 0 : nil,
                    denominator: isNothing ? 1 : nil, micros: isNothing ? 0 : nil,
                    isMet: isNothing ? target.isMet(by: 0) : nil,
                    isComplete: isNothing && period.range.upperBound <= report.asOf.at,
                    trend: [])
            ]
        }
        return groups.map { group in
            let values = series.values.filter {
                $0.group == group && $0.range.lowerBound <= period.range.lowerBound
            }
            let value = values.last
            // What could not be converted is shown, and is no measure for a target in the currency that is asked for.
            let isJudged =
                series.metric.groups != "currency" || report.rates == nil
                || group == report.rates?.conversion.currency
            return KPIReport.Row(
                target: target, group: group, numerator: value?.numerator,
                denominator: value?.denominator, micros: value?.micros,
                isMet: isJudged ? value?.micros.map(target.isMet(by:)) : nil,
                isComplete: value?.isComplete ?? false,
                trend: values.suffix(Self.trendCount).map(\.micros))
        }
    }

    /// A number that was measured elsewhere: the newest that was told.
    private func row(_ target: KPITarget, recorded micros: Int64?) -> KPIReport.Row {
        KPIReport.Row(
            target: target, group: "", numerator: nil, denominator: nil, micros: micros,
            isMet: micros.map(target.isMet(by:)), isComplete: micros != nil, trend: [micros])
    }

    /// By name: the newest number that `kpi.recorded` told by the end of the period, corrected, in millionths.
    private func recorded(
        _ environment: Environment, _ period: MetricsReport.Period, _ asOf: AsOf
    ) throws -> [String: Int64] {
        try core.translating {
            let known = try core.knownState(at: asOf.position)
            let end = min(period.range.upperBound - 1, asOf.at)
            var newest: [String: Event] = [:]
            try known.log.forEachBackwards(of: [.kpiRecorded], through: asOf.position) { event in
                let key = known.eventKey(event)
                let isOurs =
                    known.stream(event.stream).environment == environment
                    && event.occurredAt <= end
                    && !known.corrections.isVoid(key, cut: asOf.position)
                guard isOurs else { return true }
                let name = known.names[event.nameA]
                let former = newest[name].map(OrderKey.init)
                // In canonical order the last one counts, in whatever order they arrived.
                if let former, !former.precedes(OrderKey(event), names: known.names) { return true }
                newest[name] = event
                return true
            }
            return try newest.compactMapValues { event in
                let draft = try known.drafts(
                    of: [event], cut: asOf.position, in: core.store
                ).first
                return Self.micros(draft?.data["value"])
            }
        }
    }

    /// A number as an event tells it, or a text that is one, in millionths.
    private static func micros(_ value: JSONValue?) -> Int64? {
        let text: String? =
            switch value {
            case .integer(let number): String(number)
            case .number(let text), .string(let text): text
            default: nil
            }
        return text.flatMap { DecimalText($0)?.scaled(places: 6)?.value }
    }
}
