import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing
import Yams

private enum Python {
    /// From 3.9 on it knows the time zones.
    static let hasZones: Bool = {
        let found = try? Workbench().shell(
            "python3 -c 'import zoneinfo; zoneinfo.ZoneInfo(\"Europe/Amsterdam\")'",
            environment: Tier.environment)
        return found?.status == 0
    }()
}

/// Every metric beside a second implementation: plain loops in Python over exported lines, which share no fold, period
/// or zone code with the engine (`Programs/metrics_oracle.py`).
///
/// Questions are drawn by a seed, which is printed: periods, zones, refunds, filters, times, and three states of
/// knowledge.
@Suite(
    "Metrics: against an independent implementation",
    .enabled(if: Python.hasZones, "Python 3.9 or later is there"))
struct MetricOracleTests {
    private static let seed =
        ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init) ?? 20_261

    @Test("Over the synthetic months of the apps", arguments: Fixtures.apps)
    func months(_ app: String) async throws {
        let month = SyntheticMonth(
            catalog: try Fixtures.catalog(app), seed: Self.seed,
            subjects: Tier.isExtended ? 3_000 : 400)
        let rates = RateHistory.drafts(Self.seed, from: SyntheticMonth.start, days: 31)
        let drafts = (month.deliveries + rates).sorted {
            ($0.recordedAt ?? 0) < ($1.recordedAt ?? 0)
        }
        try await compare(
            app, drafts, isAsRecorded: true, questions: Tier.isExtended ? 30 : 8,
            atLeast: 300)
    }

    @Test("Over subscriptions at random")
    func subscriptions() async throws {
        for seed in Self.seed..<Self.seed + (Tier.isExtended ? 12 : 3) {
            // Rates come between the events of the customers.
            var drafts = SubscriptionHistory.drafts(seed)
            let rates = RateHistory.drafts(seed, from: EventGenerator.start, days: 150)
            for (number, rate) in rates.enumerated() {
                var rate = rate
                rate.recordedAt = nil
                drafts.insert(rate, at: drafts.count * number / rates.count)
            }
            try await compare(
                "nuzzle", drafts, isAsRecorded: false, questions: 6,
                atLeast: 30)
        }
    }

    /// - Parameter atLeast: How many of the compared values must not be 0, so that the comparison shows something.
    private func compare(
        _ app: String, _ drafts: [EventDraft], isAsRecorded: Bool, questions: Int,
        atLeast count: Int
    ) async throws {
        let bench = try Workbench()
        let clock = FixtureClock(0)
        let path = bench.path("oracle.sqlite")
        let ledger = try Ledger(
            store: try SQLiteEventStore.create(at: path, app: app), path: path,
            clock: { clock.now })
        let document = try Fixtures.catalogDocument(app)
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
        clock.now = SyntheticMonth.end + 400 * LedgerFixture.day
        try await ledger.record(drafts, options: ReportOptions(isAsRecorded: isAsRecorded))
        var lines: [UInt8] = []
        try ledger.export { lines += $0 }
        try ledger.close()
        try Data(lines).write(to: URL(filePath: bench.path("lines.ndjson")))
        // Times stay texts.
        let catalog = try Yams.load(
            yaml: String(decoding: document, as: UTF8.self),
            Resolver.default.removing(.timestamp))
        try JSONSerialization.data(withJSONObject: try #require(catalog)).write(
            to: URL(filePath: bench.path("catalog.json")))
        let program = "\(Workbench.repository)/Tests/DaybookCLITests/Programs/metrics_compare.py"
        let run = try bench.shell(
            """
            python3 -B '\(program)' '\(Workbench.program)' oracle.sqlite lines.ndjson \
              catalog.json \(Self.seed) \(questions)
            """, environment: Tier.environment)
        #expect(run.status == 0, "\(app), DAYBOOK_SEED=\(Self.seed)\n\(run.output)\(run.errors)")
        let words = run.output.split(separator: "\n").last?.split(separator: " ") ?? []
        let telling = words.count > 3 ? Int(words[3]) ?? 0 : 0
        #expect(telling >= count, "\(run.output)")
    }
}
