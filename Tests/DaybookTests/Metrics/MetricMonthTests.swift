import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// A synthetic month of each app, counted day by day by the engine and by plain loops, at three states of knowledge.
@Suite("Metrics: the synthetic months, against a naive count")
struct MetricMonthTests {
    private static let metrics = [
        "new_customers", "active_customers", "gross_revenue", "refunds", "net_revenue", "trials",
        "uses", "purchase_completion_rate", "nps", "d7_retention",
    ]

    private static func ledger(_ app: String) async throws -> Ledger {
        let clock = FixtureClock(0)
        let ledger = try Ledger(inMemory: app, clock: { clock.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        clock.now = SyntheticMonth.end + 30 * LedgerFixture.day
        let month = SyntheticMonth(
            catalog: try Fixtures.catalog(app), seed: 20_260_301)
        try await ledger.record(month.deliveries, options: ReportOptions(isAsRecorded: true))
        return ledger
    }

    private static func request(_ names: [String], knownAt position: Int64) -> MetricsRequest {
        var request = MetricsRequest(names)
        request.from = SyntheticMonth.start
        request.until = SyntheticMonth.end
        request.resolution = .day
        request.zone = "UTC"
        request.moment = Moment(at: SyntheticMonth.end, knownAt: .position(position))
        return request
    }

    @Test("Day by day the engine counts what plain loops count", arguments: Fixtures.apps)
    func days(_ app: String) async throws {
        let ledger = try await Self.ledger(app)
        let end = try ledger.head().position
        let counters = Set(
            try Fixtures.catalog(app).meters.filter { $0.kind == .counter }.map(\.name))
        for cut in [end * 2 / 3, end * 5 / 6, end] {
            var lines: [[UInt8]] = []
            try ledger.export(through: cut) { lines.append($0) }
            let naive = try NaiveMonth(lines)
            let report = try ledger.metrics(Self.request(Self.metrics, knownAt: cut))
            let expected = Self.counts(naive, counters)
            var compared = 0
            for series in report.series {
                let name = series.metric.name
                for value in series.values {
                    let found = [value.numerator, value.denominator]
                    let own = expected[
                        [name, value.group, report.periods[value.bucket].name], default: [0, 0]]
                    let isRatio = series.metric.shape == .ratio
                    #expect(
                        isRatio ? found == own : found[0] == own[0],
                        "\(app) @\(cut) \(name) \(value.group) \(report.periods[value.bucket].name) \(found) \(own)"
                    )
                    if own[0] != 0 { compared += 1 }
                }
            }
            // Each day has customers, launches and uses.
            #expect(compared > 60, "\(app) @\(cut)")
            let told = Set(
                report.series.flatMap { series in
                    series.values.map { [series.metric.name, $0.group] }
                })
            for (place, counts) in expected where counts != [0, 0] {
                #expect(told.contains(Array(place.prefix(2))), "\(app) @\(cut) \(place)")
            }
        }
    }

    @Test(
        "The months have what the counts are about: refunds of all and of a part, trials, late and doubled events"
    )
    func contents() async throws {
        var (whole, partial, trials, back, twice) = (0, 0, 0, 0, 0)
        for app in Fixtures.apps {
            var lines: [[UInt8]] = []
            try await Self.ledger(app).export { lines.append($0) }
            let naive = try NaiveMonth(lines)
            for payment in naive.payments where payment.at >= SyntheticMonth.start {
                trials += payment.isTrial ? 1 : 0
                guard payment.amount > 0, let refund = payment.refund else { continue }
                if refund.amount == payment.amount { whole += 1 } else { partial += 1 }
            }
            back += naive.rows.count { $0.type == "usage.reversed" }
            let refs = naive.rows.filter { $0.type == "usage.recorded" }.compactMap { row in
                row.text("ref").map { [row.subject ?? "", $0] }
            }
            twice += refs.count - Set(refs).count
        }
        #expect(whole > 10 && partial > 1, "\(whole) \(partial)")
        #expect(trials > 50 && back > 20 && twice > 5, "\(trials) \(back) \(twice)")
    }

    /// By metric, group and day: numerator and denominator.
    private static func counts(
        _ naive: NaiveMonth, _ counters: Set<String>
    ) -> [[String]: [Int64]] {
        var counts: [[String]: [Int64]] = [:]
        func add(_ metric: String, _ at: Int64, _ top: Int64, _ bottom: Int64, _ group: String = "")
        {
            guard (SyntheticMonth.start..<SyntheticMonth.end).contains(at) else { return }
            let day = (at - SyntheticMonth.start) / NaiveMonth.day + 1
            let name = "2026-03-" + (day < 10 ? "0" : "") + "\(day)"
            counts[[metric, group, name], default: [0, 0]][0] += top
            counts[[metric, group, name], default: [0, 0]][1] += bottom
        }
        let launches = naive.launches
        for (person, first) in naive.firstSeen {
            add("new_customers", first, 1, 0)
            let midnight = first - first % NaiveMonth.day
            let back = midnight + 7 * NaiveMonth.day..<midnight + 8 * NaiveMonth.day
            let isBack = (launches[person] ?? []).contains {
                back.contains($0) && $0 <= SyntheticMonth.end
            }
            add("d7_retention", first, isBack ? 1 : 0, 1)
        }
        for times in launches.values {
            for day in Set(times.map { $0 - $0 % NaiveMonth.day }) {
                add("active_customers", day, 1, 0)
            }
        }
        for payment in naive.payments {
            if payment.isTrial { add("trials", payment.at, 1, 0) }
            guard payment.amount > 0 else { continue }
            add("gross_revenue", payment.at, payment.amount, 0, payment.currency)
            add("net_revenue", payment.at, payment.amount, 0, payment.currency)
            if let refund = payment.refund {
                add("refunds", refund.at, refund.amount, 0, payment.currency)
                add("net_revenue", refund.at, -refund.amount, 0, payment.currency)
            }
        }
        for use in naive.uses(of: counters) { add("uses", use.at, use.amount, 0, use.meter) }
        for checkout in naive.checkouts {
            add("purchase_completion_rate", checkout.at, checkout.isDone ? 1 : 0, 1)
        }
        for score in naive.scores {
            let points: Int64 = score.score >= 9 ? 1 : score.score <= 6 ? -1 : 0
            add("nps", score.at, points, 1, score.survey)
        }
        return counts
    }

    @Test("Variants have those who saw them first", arguments: ["dozzi", "magical-stories"])
    func variants(_ app: String) async throws {
        let ledger = try await Self.ledger(app)
        let end = try ledger.head().position
        var lines: [[UInt8]] = []
        try ledger.export { lines.append($0) }
        let naive = try NaiveMonth(lines)
        for experiment in try Fixtures.catalog(app).experiments.map(\.name) {
            let seen = naive.exposures(experiment).filter {
                (SyntheticMonth.start..<SyntheticMonth.end).contains($0.value.at)
            }
            guard !seen.isEmpty else { continue }
            let report = try ledger.experiment(experiment, Self.request([], knownAt: end))
            for variant in report.variants {
                let count = seen.values.count { $0.variant == variant.name }
                #expect(variant.denominator == Int64(count), "\(experiment) \(variant.name)")
            }
            #expect(report.variants.reduce(0) { $0 + $1.denominator } == Int64(seen.count))
        }
    }

    @Test("1, 2 and 7 workers give the same bytes of all metrics", arguments: Fixtures.apps)
    func workers(_ app: String) async throws {
        let ledger = try await Self.ledger(app)
        var request = Self.request([], knownAt: try ledger.head().position)
        request.resolution = .week
        request.rules.ageMax = 3
        let one = try ledger.metrics(request, workers: 1)
        #expect(one.series.contains { $0.values.contains { $0.numerator != 0 } })
        for workers in [2, 7] {
            let several = try ledger.metrics(request, workers: workers)
            #expect(several.json.canonicalBytes == one.json.canonicalBytes, "\(workers)")
        }
    }
}
