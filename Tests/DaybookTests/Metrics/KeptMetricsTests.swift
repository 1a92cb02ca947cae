import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Synchronization
import Testing

/// Answers about metrics that are brought up to date from what was kept, beside the same ones computed anew.
@Suite("Metrics: kept answers")
struct KeptMetricsTests {
    private typealias Bench = MetricBench

    /// Questions that differ in all that may change by time alone or by what is recorded.
    private static let questions: [(String, @Sendable (inout MetricsRequest) -> Void)] = [
        ("by month", { _ in }),
        ("by day", { $0.resolution = .day }),
        (
            "by week, retroactive, ages in days",
            {
                $0.resolution = .week
                $0.rules.refunds = .retroactive
                $0.rules.ageUnit = .day
                $0.rules.retention = .hours24
            }
        ),
        (
            "by quarter in New York, without refunds, on or after",
            {
                $0.resolution = .quarter
                $0.zone = "America/New_York"
                $0.rules.refunds = .ignore
                $0.rules.retention = .onOrAfter
                $0.rules.monthlyPrice = .calendar
            }
        ),
        ("of a cohort", { $0.rules.filter.cohort = CalendarPeriod("2026-01") }),
        ("of an experiment", { $0.rules.filter.experiment = "paywall_copy" }),
        ("at a time", { $0.moment.at = EventGenerator.start + 40 * .day }),
        ("the last twelve months", { ($0.from, $0.until) = (nil, nil) }),
    ]

    @Test(
        "Brought up to date after every few events and hours they are what is computed anew",
        arguments: InventedHistories.apps)
    func updates(_ app: String) async throws {
        print("seed \(LawTests.seed)")
        let document =
            app == "sampler" ? SamplerCatalog.first : try Fixtures.catalogDocument(app)
        for index in UInt64(0)..<3 {
            let seed = LawTests.seed &+ index &* 1_000_003
            var random = SplitMix64(seed: seed)
            let store = InMemoryEventStore(app: app)
            let clock = FixtureClock(EventGenerator.start)
            let zones = ZoneTables()
            func open() throws -> Ledger {
                try Ledger(store: store, zones: zones, clock: { clock.now })
            }
            let ledger = try open()
            try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
            var generator = EventGenerator(seed: seed, catalog: try CatalogReader.read(document))
            var drafts = generator.stream(subjects: 12, events: 160)[...]
            // Half of them late or ahead of their time.
            let moved = drafts.shuffled(using: &random)
            drafts = (drafts.filter { _ in Bool.random(using: &random) } + moved)[...]
            while !drafts.isEmpty {
                let chunk = drafts.prefix(Int.random(in: 0...24, using: &random))
                drafts = drafts.dropFirst(chunk.count)
                if !chunk.isEmpty { try await ledger.record(Array(chunk)) }
                clock.now += Int64.random(in: 0...(8 * .day), using: &random)
                for (name, change) in Self.questions {
                    var request = MetricsRequest()
                    request.from = EventGenerator.start
                    request.until = EventGenerator.start + 200 * .day
                    request.rules.ageMax = 4
                    change(&request)
                    let anew = try open().metrics(request)
                    let kept = try ledger.metrics(request)
                    let isSame = kept.json.canonicalBytes == anew.json.canonicalBytes
                    guard !isSame else { continue }
                    let lines = chunk.map {
                        String(decoding: EventJSON.object(of: $0).canonicalBytes, as: UTF8.self)
                    }
                    Issue.record(
                        "\(app), DAYBOOK_SEED=\(LawTests.seed), \(index), \(name), at \(clock.now): \(Self.difference(kept, anew)), \(kept.subjectCount) \(anew.subjectCount)\n\(lines.joined(separator: "\n"))"
                    )
                    return
                }
            }
            #expect(ledger.core.keptMetrics.useCount > 40)
        }
    }

    @Test("A purchase that changes hands at a time to come is another customer's from then on")
    func handover() async throws {
        let bench = try await Bench("nuzzle", now: Bench.january + 10 * Bench.day)
        let lineage = LineageFixture("s", product: "com.nestling.pro.monthly", subject: "c0")
        try await bench.record([
            lineage.started(
                "s", from: Bench.january, until: Bench.february, Bench.price(5_990)),
            .reported(
                .purchaseTransferred, at: Bench.january + 12 * Bench.day, key: "t", subject: "c0",
                ["from": "c0", "to": "c1", "rule": "restore"]),
        ])
        func count() throws -> Int64? {
            try bench.value("new_customers", "2026-01")?.numerator
        }
        #expect(try count() == 1)
        bench.fixture.clock.now += Bench.day
        #expect(try count() == 1)
        bench.fixture.clock.now += Bench.day
        #expect(try count() == 2)
        #expect(bench.ledger.core.keptMetrics.useCount == 2)
    }

    @Test("The same question with nothing new is answered without a look at customers")
    func repeated() async throws {
        let bench = try await Bench("nuzzle")
        try await bench.record(SubscriptionHistory.drafts(3))
        let looks = Mutex(0)
        func report() throws -> MetricsReport {
            try bench.ledger.metrics(MetricsRequest()) { _, _ in looks.withLock { $0 += 1 } }
        }
        let first = try report()
        let count = looks.withLock { $0 }
        #expect(count > 0)
        #expect(try report() == first)
        #expect(looks.withLock { $0 } == count)
        // What is known of a catalog concerns everyone.
        let document = try Fixtures.catalogDocument("nuzzle") + Array("# again\n".utf8)
        try await bench.ledger.publish(CatalogPublication(document: document))
        #expect(try report().asOf.catalog == 2)
        #expect(looks.withLock { $0 } > count)
    }

    /// The first values that are not the same.
    private static func difference(_ left: MetricsReport, _ right: MetricsReport) -> String {
        for (one, other) in zip(left.series, right.series) where one != other {
            for value in one.values where !other.values.contains(value) {
                let others = other.values.filter { $0.bucket == value.bucket }
                return "\(one.metric.name): \(value), \(others)"
            }
            return "\(one.metric.name): \(one.values.count) and \(other.values.count) values"
        }
        return "\(left.subjectCount) and \(right.subjectCount) subjects"
    }
}

extension Int64 {
    fileprivate static let day: Int64 = 86_400_000
}
