import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// A synthetic month of each app.
@Suite("Metrics: the synthetic months")
struct MetricMonthTests {
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
