import DaybookDomain
import DaybookEvents

/// What became of the customers who saw each variant of an experiment.
struct ExperimentQuestion {
    let core: LedgerCore
    /// `nil`: as many threads as can run at once.
    var workers: Int?

    /// - Parameters:
    ///   - metric: A ratio without groups and ages.
    ///   - request: Its metrics and its filter's experiment and variant make no difference.
    func report(
        _ experiment: String, metric: String, _ request: MetricsRequest,
        progress: @Sendable (Int, Int) throws -> Void
    ) throws -> ExperimentReport {
        guard let chosen = try Metric.choosing([metric]).first, chosen.shape == .ratio,
            chosen.groups == nil, !chosen.hasAges
        else {
            let known = Metric.all.filter {
                $0.shape == .ratio && $0.groups == nil && !$0.hasAges
            }
            throw LedgerError.bad(
                "no_ratio",
                "\(metric) is no part of those who saw a variant; choose one of \(known.map(\.name).joined(separator: ", "))"
            )
        }
        var request = request
        request.metrics = [metric]
        request.resolution = .whole
        request.rules.filter.experiment = nil
        request.rules.filter.variant = nil
        let (report, whole, shares) = try MetricsQuestion(core: core, workers: workers).answer(
            request, Variants(), progress: progress
        ) { subject, variants, empty in
            guard subject.isCustomer, let exposure = subject.exposure(to: experiment),
                empty.buckets.range.contains(exposure.at)
            else { return nil }
            let seen = subject.since(exposure.at)
            variants.add(seen, exposure, empty)
            return seen
        }
        let (answers, crossovers) = Variants.joined(shares)
        let stated = try experiments(report).first { haveSameBytes($0.name, experiment) }
        guard stated != nil || !answers.isEmpty else {
            let names = try experiments(report).map(\.name)
            throw LedgerError.bad(
                "unknown_name",
                "no customer has seen an experiment \"\(experiment)\", and the catalog has none\(NearestName.hint(experiment, among: names))"
            )
        }
        // Those of the catalog in its order, the first of which is what others are compared with; then what else was
        // seen.
        let listed = (stated?.variants ?? []).map { ExactText($0.name) }
        let others = answers.keys.filter { !listed.contains($0) }.sorted {
            precedesInBytes($0.text, $1.text)
        }
        let variants = (listed + others).map { name in
            let value = (answers[name] ?? MetricsAnswer([chosen], whole.buckets)).series(
                at: report.asOf.at, request.rules
            ).first?.values.first
            return ExperimentReport.Variant(
                name: name.text, crossovers: crossovers[name] ?? 0,
                numerator: value?.numerator ?? 0, denominator: value?.denominator ?? 0,
                micros: value?.micros,
                isComplete: value?.isComplete ?? false)
        }
        return ExperimentReport(
            experiment: experiment, metric: chosen, variants: variants,
            range: whole.buckets.range, zone: report.zone, asOf: report.asOf)
    }

    /// Those of the newest catalog that was known.
    private func experiments(_ report: MetricsReport) throws -> [Experiment] {
        let known = try core.knownState(at: report.asOf.position)
        return known.catalogs.known(at: report.asOf.position).newest?.catalog.experiments ?? []
    }
}

/// What one worker made of the customers of each variant.
private struct Variants: Sendable {
    private var answers: [ExactText: MetricsAnswer] = [:]
    private var crossovers: [ExactText: Int] = [:]

    mutating func add(_ subject: MetricSubject, _ exposure: Exposure, _ empty: MetricsAnswer) {
        let variant = ExactText(exposure.variant)
        if exposure.isCrossover { crossovers[variant, default: 0] += 1 }
        answers[variant, default: empty].add(subject)
    }

    static func joined(
        _ shares: [Variants]
    ) -> (answers: [ExactText: MetricsAnswer], crossovers: [ExactText: Int]) {
        var all = Variants()
        for share in shares {
            all.answers.merge(share.answers) { first, second in
                var sum = first
                sum.add(second)
                return sum
            }
            all.crossovers.merge(share.crossovers, uniquingKeysWith: +)
        }
        return (all.answers, all.crossovers)
    }
}
