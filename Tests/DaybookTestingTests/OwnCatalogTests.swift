import Daybook
import DaybookTesting
import Testing

/// What docs/testing.md shows to the author of a catalog.
@Suite("A catalog of one's own")
struct OwnCatalogTests {
    @Test("Two stories a month are free, and the club has as many as it likes")
    func limits() async throws {
        let fixture = try await LedgerFixture("tale", document: Array(Tale.catalog.utf8))
        try await fixture.use("stories", "story-1", "story-2")
        #expect(try fixture.check("stories").reason == .limitReached)

        let lineage = LineageFixture("1000", product: "club.monthly")
        let start = fixture.clock.now
        let end = start + 31 * LedgerFixture.day
        try await fixture.record(lineage.started("1000", from: start, until: end))
        #expect(try fixture.check("stories").allowed)
        #expect(try fixture.check("voices").allowed)

        fixture.clock.now += LedgerFixture.hour
        try await fixture.record(lineage.autoRenew(false, at: fixture.clock.now))
        #expect(try fixture.entitlement("club", at: end - 1)?.isActive == true)
        #expect(try fixture.entitlement("club", at: end)?.isActive == false)
    }

    @Test(
        "A new month has two stories again",
        arguments: [("2026-01-31T23:59:59Z", 2), ("2026-02-01T00:00:00Z", 0)])
    func months(time: String, used: Int64) async throws {
        let fixture = try await LedgerFixture("tale", document: Array(Tale.catalog.utf8))
        try await fixture.use("stories", "story-1", "story-2")
        fixture.clock.now = instant(time)
        #expect(try fixture.meter("stories")?.used == used)
    }

    @Test("A refusal comes with its numbers, and leaves everything as it was")
    func refusal() async throws {
        let fixture = try await LedgerFixture("tale", document: Array(Tale.catalog.utf8))
        try await fixture.use("stories", "story-1", "story-2")
        let third: Command = .consume(meter: "stories", amount: 1, ref: "story-3")
        #expect(try await fixture.refusal(of: third)?.code == "limit_reached")
        #expect(try fixture.count(of: .usageRecorded) == 2)
    }

    @Test("Whatever happens, the ledger answers as the reference model", arguments: UInt64(1)...4)
    func model(seed: UInt64) async throws {
        let ledger = try Ledger(inMemory: "tale", clock: { 0 })
        #expect(try await Tale.differences(over: ledger, seed: seed) == [])
    }

    @Test("A history that shows something is made as small as it goes")
    func shrinking() async throws {
        let catalog = try CatalogReader.read(Array(Tale.catalog.utf8))
        var generator = EventGenerator(seed: 1, catalog: catalog)
        let drafts = generator.stream(subjects: 3, events: 120)
        let smallest = await HistoryShrinker.smallest(drafts) { drafts in
            drafts.contains { $0.type == .subscriptionStarted }
                && drafts.contains { $0.type == .usageRecorded }
        }
        #expect(
            smallest.map(\.type.rawValue).sorted() == ["subscription.started", "usage.recorded"])
    }
}
