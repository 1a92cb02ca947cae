import DaybookDomain
import DaybookEvents

/// Whose parts add up to one value of a metric.
struct ContributionsQuestion {
    let core: LedgerCore
    let workers: Int?

    func answer(
        _ request: ContributionsRequest,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> Contributions {
        try LedgerError.require(
            request.metrics.metrics.count == 1, "bad_range", "a value is of one metric; name one")
        // With sums that are kept this costs little; it tells which values there are.
        let report = try MetricsQuestion(core: core, workers: workers).report(
            request.metrics, progress: progress)
        let value = try Self.value(request, report)
        // The second look is at what the first one saw, whatever was recorded in between.
        var fixed = request.metrics
        fixed.moment = Moment(at: report.asOf.at, knownAt: .position(report.asOf.position))
        let initial = LimitedRows<Contributions.Row>(limit: request.limit) {
            $0.part.precedes($1.part) ?? precedesInBytes($0.name, $1.name)
        }
        let parts = try core.translating {
            let setting = try MetricsQuestion.Setting(core, fixed)
            return try MetricsQuestion(core: core, workers: workers).shares(
                setting, initial, progress: progress
            ) { pass, element, parts in
                if let subject = try pass.subject(element),
                    let part = setting.empty.contribution(
                        of: subject, bucket: value.bucket, group: value.group, age: value.age)
                {
                    parts.add(pass.row(element, part))
                }
                return nil
            }.map(\.sum)
        }
        var all = initial
        for part in parts { all.add(part) }
        return Contributions(
            series: MetricSeries(metric: report.series[0].metric, values: [value]), value: value,
            period: report.periods[value.bucket], rows: all.sorted, count: all.count,
            zone: report.zone, asOf: report.asOf)
    }

    /// The value of the report that is asked about.
    private static func value(
        _ request: ContributionsRequest, _ report: MetricsReport
    ) throws -> MetricSeries.Value {
        let metric = report.series[0].metric
        var values = report.series[0].values
        let bucket: Int
        if let period = request.period {
            guard let found = report.periods.firstIndex(where: { $0.name == period }) else {
                let names = report.periods.map(\.name)
                throw LedgerError.bad(
                    "bad_period",
                    "\(ShownText.escaped(period)) is no period of the answer, which has \(names.first ?? "") to \(names.last ?? "")"
                )
            }
            bucket = found
        } else {
            bucket = report.periods.count - 1
        }
        values = values.filter { $0.bucket == bucket }
        let groups = Set(values.map(\.group)).sorted(by: precedesInBytes)
        var group = request.group
        if group.isEmpty, groups.count == 1 { group = groups[0] }
        if metric.groups != nil || !group.isEmpty {
            try LedgerError.require(
                groups.contains(where: { haveSameBytes($0, group) }), "bad_group",
                reason(metric, groups, report.periods[bucket].name))
        }
        let found = values.filter { haveSameBytes($0.group, group) && $0.age == request.age }
        guard let value = found.first else {
            let ages = Set(values.compactMap(\.age)).sorted()
            throw LedgerError.bad(
                "bad_age",
                ages.isEmpty
                    ? "\(metric.name) has no value of that age in \(report.periods[bucket].name)"
                    : "say of which age: \(ages[0]) to \(ages[ages.count - 1])")
        }
        return value
    }

    private static func reason(_ metric: Metric, _ groups: [String], _ period: String) -> String {
        guard let kind = metric.groups else { return "\(metric.name) has one value a period" }
        return groups.isEmpty
            ? "nothing was counted in \(period)"
            : "say of which \(kind): \(groups.joined(separator: ", "))"
    }
}

extension MetricsPass {
    fileprivate func row(_ element: Element, _ part: MetricContribution) -> Contributions.Row {
        switch element {
        case .customer(let key): .init(name: shown(key), isCustomer: true, part: part)
        case .lineage(let stream):
            .init(name: state.names[state.stream(stream).name], isCustomer: false, part: part)
        }
    }
}
