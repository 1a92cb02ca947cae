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

    /// A report, perhaps from an answer that was kept and what changed since (`KeptMetrics`).
    /// - Parameter progress: Of the subjects, how many are done.
    func report(
        _ request: MetricsRequest, progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> MetricsReport {
        try core.refresh()
        // What a correction names is looked up where an answer is brought up to date.
        if !core.keptMetrics.isEmpty { try core.readKeys() }
        return try core.translating {
            let setting = try Setting(core, request)
            if let kept = try MetricsUpdate(core: core, setting: setting, workers: workers).answer()
            {
                return setting.report(kept.answer, subjectCount: kept.subjectCount)
            }
            let isKept = setting.isKept
            let shares = try shares(setting, Times(), progress: progress) { pass, element, times in
                var changes = isKept ? MetricsPass.NextChange(setting.empty.buckets) : nil
                let subject = try pass.subject(element, &changes)
                if let changes { times.add(changes.time, element) }
                return subject
            }
            let (answer, count) = Self.sum(shares, setting.empty)
            if isKept {
                let changes = ComingChanges(shares.flatMap(\.sum.found))
                core.keptMetrics.keep(
                    .init(setting, answer, subjectCount: count, changes))
            }
            return setting.report(answer, subjectCount: count)
        }
    }

    /// When subjects may change by time alone, as one worker found them.
    private struct Times: Sendable {
        var found: [ComingChanges.Change] = []

        mutating func add(_ time: Int64, _ element: MetricsPass.Element) {
            if time < Int64.max { found.append(.init(time: time, element: element)) }
        }
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
        return try core.answering {
            let setting = try Setting(core, request)
            let shares = try shares(setting, initial, progress: progress) { pass, element, sum in
                guard let subject = try pass.subject(element) else { return nil }
                return choose(subject, &sum, setting.empty)
            }
            let (answer, count) = Self.sum(shares, setting.empty)
            return (
                setting.report(answer, subjectCount: count), answer, shares.map(\.sum)
            )
        }
    }

    /// What one worker made of its subjects.
    struct Share<Sum: Sendable>: Sendable {
        var answer: MetricsAnswer
        var sum: Sum
        var count = 0
    }

    /// Looks at every subject once.
    /// - Parameter choose: Finds a subject in the worker's pass, and gives of it what counts.
    /// - Returns: What each worker made of its subjects, in no order.
    func shares<Sum: Sendable>(
        _ setting: Setting, _ initial: Sum, progress: @Sendable (Int, Int) throws -> Void,
        _ choose: @Sendable (MetricsPass, MetricsPass.Element, inout Sum) throws -> MetricSubject?
    ) throws -> [Share<Sum>] {
        let (core, look) = (core, setting.look)
        return try MetricsPass.run(
            in: setting.request.environment, cut: look.cut, workers: workers,
            { setting.pass(core, cut: look.cut, at: look.at) },
            Share(answer: setting.empty, sum: initial), progress: progress
        ) { share, pass, element in
            guard let subject = try choose(pass, element, &share.sum) else { return }
            share.answer.add(subject)
            share.count += 1
        }
    }

    private static func sum<Sum: Sendable>(
        _ shares: [Share<Sum>], _ empty: MetricsAnswer
    ) -> (MetricsAnswer, Int) {
        var answer = empty
        for share in shares { answer.add(share.answer) }
        return (answer, shares.reduce(0) { $0 + $1.count })
    }

    /// A question with everything that it leaves open: the time and state of knowledge, the zone and the periods.
    struct Setting: Sendable {
        let request: MetricsRequest
        let look: MetricsLook
        let zoneName: String
        /// An answer without contributions.
        let empty: MetricsAnswer
        /// `nil`: money is shown in its own currency.
        let rates: RatesKnown?
        private let zone: ZoneTable

        init(_ core: LedgerCore, _ request: MetricsRequest) throws {
            let metrics = try Metric.choosing(request.metrics)
            self.request = request
            look = try MetricsLook(core, request.moment)
            (zoneName, zone) = try MetricsQuestion.zone(
                request.zone, look.catalog?.catalog, core)
            let buckets = try MetricsQuestion.buckets(request, at: look.at, zone)
            try MetricsQuestion.confirmAges(metrics, buckets, request.rules)
            try MetricsQuestion.confirmCountries(request.rules.filter)
            empty = MetricsAnswer(metrics, buckets)
            rates = try core.rates(request.rules, look.known, cut: look.cut)
        }

        func pass(_ core: LedgerCore, cut: Int64, at: Int64) -> MetricsPass {
            MetricsPass(
                look.known, core, cut: cut, at: at, request.rules, in: zone, rates?.conversion)
        }

        func report(_ answer: MetricsAnswer, subjectCount: Int) -> MetricsReport {
            let buckets = answer.buckets
            return MetricsReport(
                request: request, series: answer.series(at: look.at, request.rules),
                periods: (0..<buckets.count).map {
                    .init(name: buckets.name($0), range: buckets[$0])
                },
                zone: zoneName,
                asOf: AsOf(
                    at: look.at, knownAt: request.moment.knownAtInstant,
                    position: look.cut, catalog: look.catalog?.version, isOpen: look.isOpen),
                subjectCount: subjectCount, rates: rates)
        }
    }

    /// How many values a metric with ages may have for each group.
    private static let agedCountMax = 50_000

    /// - Throws: `LedgerError.badInput` for what is no country.
    static func confirmCountries(_ filter: MetricFilter) throws {
        for code in filter.countries where CountryCode.short(code) != code {
            throw LedgerError.bad(
                "bad_country",
                "\"\(code)\" is no country; write a code of ISO 3166-1, such as DE or DEU")
        }
    }

    fileprivate static func confirmAges(
        _ metrics: [Metric], _ buckets: MetricBuckets, _ rules: MetricRules
    ) throws {
        try LedgerError.require(
            (0...MetricRules.ageCountMax).contains(rules.ageMax)
                && (!metrics.contains(where: \.hasAges)
                    || buckets.count * (rules.ageMax + 1) <= agedCountMax),
            "bad_range",
            "\(buckets.count) periods with ages up to \(rules.ageMax) are too many; ages go up to \(MetricRules.ageCountMax), and all together are at most \(agedCountMax)"
        )
    }

    static func zone(
        _ name: String?, _ catalog: Catalog?, _ core: LedgerCore
    ) throws -> (String, ZoneTable) {
        let wanted = name ?? catalog?.defaultTimeZone ?? "UTC"
        guard let table = core.zoneTables.table(named: wanted) else {
            throw LedgerError.bad(
                "unknown_time_zone",
                "there is no time zone \"\(wanted)\"; write a name of the IANA database such as Europe/Amsterdam"
            )
        }
        return (wanted, table)
    }

    fileprivate static func buckets(
        _ request: MetricsRequest, at instant: Int64, _ zone: ZoneTable
    ) throws -> MetricBuckets {
        // The times that events may have (rule 30).
        func bounded(_ time: Int64) -> Int64 { min(max(time, 0), 253_402_300_799_999) }
        let named = request.period?.range(in: zone)
        try LedgerError.require(
            named == nil || (request.from == nil && request.until == nil), "bad_range",
            "a period has its own beginning and end; leave out the one or the other")
        let resolution = request.chosenResolution
        let until = bounded(
            named?.upperBound ?? request.until ?? instant.addingSaturated(1))
        let from = bounded(
            named?.lowerBound ?? request.from
                ?? resolution.start(of: 12, through: until - 1, in: zone))
        try LedgerError.require(
            from < until, "bad_range",
            "the range ends at \(RFC3339.format(until)), before it begins at \(RFC3339.format(from))"
        )
        guard let buckets = MetricBuckets(from..<until, by: resolution, in: zone) else {
            throw LedgerError.bad(
                "bad_range",
                "the range has more than \(MetricBuckets.countMax) periods; ask for fewer, or for longer ones"
            )
        }
        return buckets
    }
}

extension LedgerCore {
    /// The rates to the currency of a question, as they are known; `nil` where it names none.
    /// - Throws: `LedgerError.badInput` for what is no currency.
    func rates(
        _ rules: MetricRules, _ state: LedgerState, cut: Int64
    ) throws -> RatesKnown? {
        guard let currency = rules.currency else { return nil }
        try LedgerError.require(
            CurrencyCode.isValid(currency), "bad_currency",
            "\"\(currency)\" is no currency; write three capital letters of ISO 4217, such as EUR")
        return try exchangeRates.rates(to: currency, in: state, cut: cut)
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
            throw LedgerError.bad(
                "unknown_name",
                "there is no metric \"\(name)\"\(near.map { "; did you mean \($0)?" } ?? "")")
        }
    }
}
