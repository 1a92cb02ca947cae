import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// One larger month per app, made by a seeded generator; only the seed and what the ledger says of it are kept.
@Suite("A synthetic month of each app")
struct SyntheticMonthTests {
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

    /// The committed golden; empty before it was first recorded.
    private static func golden(_ app: String) throws -> JSONObject {
        guard FileManager.default.fileExists(atPath: SyntheticMonth.golden(app).path) else {
            return JSONObject()
        }
        let bytes = Array(try Data(contentsOf: SyntheticMonth.golden(app)))
        return try JSONReader.read(bytes).object ?? JSONObject()
    }

    private static func month(_ app: String) throws -> (month: SyntheticMonth, seed: UInt64) {
        let seed = try golden(app)["seed"]?.text.flatMap(UInt64.init) ?? 20_260_301
        return (SyntheticMonth(catalog: try Fixtures.catalog(app), seed: seed), seed)
    }

    /// Takes the deliveries in batches of random size.
    private static func fill(
        _ ledger: Ledger, _ deliveries: [EventDraft], _ random: inout SplitMix64,
        isAsRecorded: Bool
    ) async throws {
        var start = 0
        while start < deliveries.count {
            let end = min(deliveries.count, start + Int.random(in: 1...4_000, using: &random))
            try await ledger.record(
                Array(deliveries[start..<end]), options: ReportOptions(isAsRecorded: isAsRecorded))
            start = end
        }
    }

    /// The catalog is there from the beginning of time, and the month is asked about long after its last delivery.
    private static func ledger(_ app: String) async throws -> Ledger {
        let clock = FixtureClock(0)
        let ledger = try Ledger(inMemory: app, clock: { clock.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        clock.now = Self.later
        return ledger
    }

    private static let later = SyntheticMonth.end + 30 * LedgerFixture.day

    @Test(
        "In the order of arrival it gives its golden state, and so does a replay by 1, 2 and 7 workers",
        arguments: Fixtures.apps)
    func arrival(_ app: String) async throws {
        var random = SplitMix64(seed: LawTests.seed)
        let (month, seed) = try Self.month(app)
        let ledger = try await Self.ledger(app)
        try await Self.fill(ledger, month.deliveries, &random, isAsRecorded: true)
        let summary = try month.summary(of: ledger, seed: seed)
        if Self.isRecording {
            try Data(StreamGolden.layout(summary)).write(to: SyntheticMonth.golden(app))
        }
        #expect(StreamGolden.differences(try Self.golden(app), summary) == [])
        let live = try ledger.digest()
        for workers in [1, 2, 7] {
            let report = try ledger.replay(workers: workers, batchCount: 1_000)
            #expect(report.digest == live.digest, "\(workers) workers")
            #expect(report.differences == [])
        }
        // The resets that are due are evidence: they change no state, and are written once (rules 14 and 23).
        let resets = try await ledger.tick(at: SyntheticMonth.end).appended
        let hasMonths = try Fixtures.catalog(app).meters.contains { $0.period == .calendarMonth }
        #expect((resets > 100) == hasMonths)
        #expect(try ledger.digest() == live)
        #expect(try await ledger.tick(at: SyntheticMonth.end).appended == 0)
    }

    @Test("Delivered in any order it gives the same golden state", arguments: Fixtures.apps)
    func shuffled(_ app: String) async throws {
        print("seed \(LawTests.seed)")
        var random = SplitMix64(seed: LawTests.seed)
        let (month, seed) = try Self.month(app)
        let ledger = try await Self.ledger(app)
        try await Self.fill(
            ledger, month.deliveries.shuffled(using: &random), &random, isAsRecorded: false)
        let differences = StreamGolden.differences(
            try Self.golden(app), try month.summary(of: ledger, seed: seed))
        #expect(differences == [], "seed \(LawTests.seed)")
    }

    @Test(
        "On disk it gives the same golden state, before and after the file was opened anew",
        arguments: ["magical-stories", "fork-in-the-road"])
    func onDisk(_ app: String) async throws {
        var random = SplitMix64(seed: LawTests.seed)
        let (month, seed) = try Self.month(app)
        let folder = try LedgerFolder()
        let clock = FixtureClock(0)
        let ledger = try await folder.create(app) { clock.now }
        clock.now = Self.later
        try await Self.fill(ledger, month.deliveries, &random, isAsRecorded: true)
        let golden = try Self.golden(app)
        #expect(
            StreamGolden.differences(golden, try month.summary(of: ledger, seed: seed)) == [])
        try ledger.snapshot()
        try ledger.close()
        let reopened = try Ledger.open(folder.path, clock: { clock.now })
        #expect(
            StreamGolden.differences(golden, try month.summary(of: reopened, seed: seed)) == [])
        for workers in [1, 2, 7] {
            #expect(try reopened.replay(workers: workers).agrees, "\(workers) workers")
        }
        try reopened.close()
    }

    @Test("It looks like a month of that app", arguments: Fixtures.apps)
    func looks(_ app: String) throws {
        let (month, _) = try Self.month(app)
        let catalog = try Fixtures.catalog(app)
        let counts = month.eventCounts
        #expect((30_000...62_000).contains(month.deliveries.count), "\(month.deliveries.count)")
        #expect((2_900...3_000).contains(month.customers.count))
        #expect(month.duplicateCount > 300)
        var expected = [
            "subject.created", "subject.aliased", "subject.tz_changed", "onboarding.started",
            "onboarding.completed", "app.launched", "feature.used", "feature.viewed",
            "paywall.shown", "paywall.dismissed", "checkout.started", "checkout.completed",
            "checkout.canceled", "checkout.failed", "checkout.pending", "purchase.refunded",
            "purchase.refund_reversed", "refund.requested", "purchase.transferred",
            "store.transaction_stated", "grant.issued", "grant.voided", "debug.override_set",
            "widget.placed",
        ]
        if catalog.meters.contains(where: { $0.kind == .counter && $0.requires == nil }) {
            expected += [
                "limit.reached", "usage.recorded", "usage.reserved", "usage.committed",
                "usage.released", "usage.reversed", "correction.voided", "correction.amended",
            ]
        }
        if catalog.products.contains(where: { $0.kind == .autoRenewable }) {
            expected += [
                "subscription.started", "subscription.renewed", "subscription.expired",
                "subscription.auto_renew_changed", "subscription.billing_failed",
                "subscription.grace_expired", "subscription.product_changed",
                "subscription.extended", "store.renewal_stated",
            ]
        }
        if !catalog.freePeriods.isEmpty {
            expected += [
                "profile.created", "profile.deleted", "profile.restored", "purchase.assigned",
                "access.denied",
            ]
        }
        for type in expected { #expect(counts[type, default: 0] > 0, "no \(type)") }
        let late = zip(month.deliveries, month.deliveries.dropFirst()).count {
            ($0.occurredAt ?? 0) > ($1.occurredAt ?? 0)
        }
        #expect(late > month.deliveries.count / 100, "deliveries out of order: \(late)")
    }

    @Test(
        "Of a sample of its customers the naive model says the same", arguments: Fixtures.apps)
    func model(_ app: String) async throws {
        print("seed \(LawTests.seed)")
        var random = SplitMix64(seed: LawTests.seed)
        let (month, _) = try Self.month(app)
        let sample = Set(month.customers.shuffled(using: &random).prefix(24))
        let ledger = try await Self.ledger(app)
        try await Self.fill(ledger, month.deliveries(about: sample), &random, isAsRecorded: true)
        let comparison = try ModelComparison(ledger)
        let eventCount = Int64(comparison.events.count)
        #expect(eventCount > 100)
        let moments = [SyntheticMonth.end, SyntheticMonth.end - 12 * 86_400_000]
        for cut in [eventCount, eventCount / 2] {
            for difference in try comparison.differences(at: moments, cut: cut) {
                Issue.record("seed \(LawTests.seed): \(difference)")
            }
        }
    }
}
