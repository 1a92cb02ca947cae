import DaybookDomain
import DaybookEvents

/// Metrics over all customers of an environment, and over the lineages that belong to none of them.
struct MetricsQuestion {
    let core: LedgerCore
    /// How many threads look at the subjects.
    let workers: Int

    /// - Parameter workers: `nil`: as many as can run at once.
    init(core: LedgerCore, workers: Int? = nil) {
        self.core = core
        self.workers = max(1, workers ?? Parallel.processorCount)
    }

    /// - Parameter progress: Of the subjects, how many are done.
    func report(
        _ request: MetricsRequest, progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> MetricsReport {
        try answer(request, progress: progress).report
    }

    /// A report with the sums that its values were made of.
    func answer(
        _ request: MetricsRequest, progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> (report: MetricsReport, answer: MetricsAnswer) {
        let (report, answer, _) = try answer(request, NoSum(), progress: progress) {
            subject, _, _ in subject
        }
        return (report, answer)
    }

    private struct NoSum: Sendable {}

    /// The same of what is chosen of every subject.
    /// - Parameters:
    ///   - initial: What each worker begins with.
    ///   - choose: Gives of a subject what counts, `nil`: nothing; it is told of the worker's sum and of an answer
    ///     without contributions.
    /// - Returns: With the sums of the workers, in no order.
    func answer<Sum: Sendable>(
        _ request: MetricsRequest, _ initial: Sum,
        progress: @Sendable (Int, Int) throws -> Void,
        _ choose: @Sendable (MetricSubject, inout Sum, MetricsAnswer) -> MetricSubject?
    ) throws -> (report: MetricsReport, answer: MetricsAnswer, sums: [Sum]) {
        let metrics = try Metric.choosing(request.metrics)
        try core.refresh()
        return try core.translating {
            let look = try MetricsLook(core, request.moment)
            let (known, cut, at, catalog) = (look.known, look.cut, look.at, look.catalog)
            let (zone, table) = try Self.zone(request.zone, catalog?.catalog, core)
            let buckets = try Self.buckets(request, at: at, table)
            try Self.confirmAges(metrics, buckets, request.rules)
            let empty = MetricsAnswer(metrics, buckets)
            let core = core
            let shares = try MetricsPass.run(
                in: request.environment, cut: cut, workers: workers,
                { MetricsPass(known, core, cut: cut, at: at, request.rules, in: table) },
                Share(answer: empty, sum: initial), progress: progress
            ) { share, subject in
                guard let subject = choose(subject, &share.sum, empty) else { return }
                share.answer.add(subject)
                share.count += 1
            }
            var answer = empty
            for share in shares { answer.add(share.answer) }
            let report = MetricsReport(
                request: request, series: answer.series(at: at, request.rules),
                periods: (0..<buckets.count).map {
                    .init(name: buckets.name($0), range: buckets[$0])
                },
                zone: zone,
                asOf: AsOf(
                    at: at, knownAt: request.moment.knownAtInstant,
                    position: cut, catalog: catalog?.version, isOpen: look.isOpen),
                subjectCount: shares.reduce(0) { $0 + $1.count })
            return (report, answer, shares.map(\.sum))
        }
    }

    /// What one worker made of its subjects.
    private struct Share<Sum: Sendable>: Sendable {
        var answer: MetricsAnswer
        var sum: Sum
        var count = 0
    }

    private static func bad(_ code: String, _ reason: String) -> LedgerError {
        .badInput([InputProblem(line: nil, column: nil, code: code, reason: reason)])
    }

    /// How many values a metric with ages may have for each group.
    private static let agedCountMax = 50_000

    private static func confirmAges(
        _ metrics: [Metric], _ buckets: MetricBuckets, _ rules: MetricRules
    ) throws {
        guard (0...MetricRules.ageCountMax).contains(rules.ageMax),
            !metrics.contains(where: \.hasAges)
                || buckets.count * (rules.ageMax + 1) <= agedCountMax
        else {
            throw bad(
                "bad_range",
                "\(buckets.count) periods with ages up to \(rules.ageMax) are too many; ages go up to \(MetricRules.ageCountMax), and all together are at most \(agedCountMax)"
            )
        }
    }

    static func zone(
        _ name: String?, _ catalog: Catalog?, _ core: LedgerCore
    ) throws -> (String, ZoneTable) {
        let wanted = name ?? catalog?.defaultTimeZone ?? "UTC"
        guard let table = core.zoneTables.table(named: wanted) else {
            throw bad(
                "unknown_time_zone",
                "there is no time zone \"\(wanted)\"; write a name of the IANA database such as Europe/Amsterdam"
            )
        }
        return (wanted, table)
    }

    private static func buckets(
        _ request: MetricsRequest, at instant: Int64, _ zone: ZoneTable
    ) throws -> MetricBuckets {
        // The times that events may have (rule 30).
        func bounded(_ time: Int64) -> Int64 { min(max(time, 0), 253_402_300_799_999) }
        let named = request.period?.range(in: zone)
        guard named == nil || (request.from == nil && request.until == nil) else {
            throw bad(
                "bad_range",
                "a period has its own beginning and end; leave out the one or the other")
        }
        let resolution = request.chosenResolution
        let until = bounded(
            named?.upperBound ?? request.until ?? instant.addingSaturated(1))
        let from =
            (named?.lowerBound ?? request.from).map(bounded)
            ?? resolution.start(of: 12, through: until - 1, in: zone)
        guard from < until else {
            throw bad(
                "bad_range",
                "the range ends at \(RFC3339.format(until)), before it begins at \(RFC3339.format(from))"
            )
        }
        guard let buckets = MetricBuckets(from..<until, by: resolution, in: zone) else {
            throw bad(
                "bad_range",
                "the range has more than \(MetricBuckets.countMax) periods; ask for fewer, or for longer ones"
            )
        }
        return buckets
    }
}

extension Metric {
    /// The metrics of these names, each once; all without a name.
    /// - Throws: `LedgerError.badInput` for an unknown one, with the nearest name.
    package static func choosing(_ names: [String]) throws -> [Metric] {
        if names.isEmpty { return all }
        var seen: Set<String> = []
        return try names.filter { seen.insert($0).inserted }.map { name in
            if let metric = named(name) { return metric }
            let near = NearestName.of(name, among: Self.names)
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "unknown_name",
                    reason:
                        "there is no metric \"\(name)\"\(near.map { "; did you mean \($0)?" } ?? "")"
                )
            ])
        }
    }
}
