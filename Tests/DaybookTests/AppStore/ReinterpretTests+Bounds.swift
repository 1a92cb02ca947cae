import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookStore
import Testing

extension ReinterpretTests {
    @Test("A payload whose corrections the ledger cannot take is told, and the others are applied")
    func unrecordable() async throws {
        let ledger = try Ledger(
            store: InMemoryEventStore(app: "nuzzle"), eventsPerAggregateMax: 2,
            clock: { Fixtures.now })
        for (id, lineage) in [("w1", "1"), ("w2", "1"), ("w3", "2")] {
            _ = try await ledger.ingestRevenueCat(
                Array(
                    String(
                        decoding: RevenueCatIngestTests.webhook("RENEWAL", id, transaction: id),
                        as: UTF8.self
                    ).replacing("\"9100\"", with: "\"\(lineage)\"").utf8))
        }
        let head = try ledger.head().position
        // Another time needs another event, for which the first lineage has no space.
        let report = try await Self.apply(
            ledger,
            Self.mapping { drafts in drafts[0].occurredAt = (drafts[0].occurredAt ?? 0) - 1 })
        #expect(report.differenceCount == 3)
        #expect(report.unreadable.map(\.position) == [1, 2])
        #expect(report.unreadable.allSatisfy { $0.reason.contains("aggregate_full") })
        #expect(report.appended == 2)
        #expect(try ledger.head().position == head + 2)
    }

    @Test("Filters choose payloads: by customer, by type, by time, by environment")
    func filters() async throws {
        let bench = try await Self.lived()
        let ledger = bench.fixture.ledger
        func count(_ change: (inout ReinterpretOptions) -> Void) async throws -> Int {
            var options = ReinterpretOptions()
            change(&options)
            return try await ledger.reinterpret(options, mapping: Self.dearer).differenceCount
        }
        #expect(try await count { _ in } == 3)
        #expect(try await count { $0.subject = "ada" } == 3)
        #expect(try await count { $0.subject = "bob" } == 0)
        #expect(try await count { $0.type = .subscriptionRenewed } == 3)
        #expect(try await count { $0.type = .subscriptionStarted } == 0)
        #expect(try await count { $0.environment = .production } == 0)
        #expect(try await count { $0.environment = .test } == 3)
        let now = bench.fixture.clock.now
        #expect(try await count { $0.since = now } == 3)
        #expect(try await count { $0.since = now + 1 } == 0)
        var short = ReinterpretOptions()
        short.listCountMax = 1
        let report = try await ledger.reinterpret(short, mapping: Self.dearer)
        #expect((report.differences.count, report.differenceCount) == (1, 3))
    }

    @Test("Payloads that go over the edge of a batch are whole, however many there are")
    func manyBatches() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        for index in 0..<500 {
            // A person has at most 256 ids.
            let names =
                index % 3 == 0 && index < 360
                ? #","aliases":["ada","a\#(index)","b\#(index)"]"# : ""
            _ = try await ledger.ingestRevenueCat(
                RevenueCatIngestTests.webhook(
                    "RENEWAL", "w\(index)", after: Int64(index), transaction: "\(index)", names))
        }
        #expect(try ledger.head().position > 700)
        #expect(try await Self.apply(ledger).differenceCount == 0)
        let other = Self.mapping { drafts in drafts[0].data["price_milli"] = 1 }
        let report = try await Self.apply(ledger, other)
        #expect(report.payloads == 500)
        #expect(report.changes == [.amended: 500])
        #expect(try await Self.apply(ledger, other).differenceCount == 0)
        #expect(try ledger.replay().agrees)
    }

    @Test("An alias that was taken back is not brought back")
    func unaliased() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        let names = #","aliases":["ada","ada-phone"]"#
        for id in ["w1", "w2"] {
            _ = try await ledger.ingestRevenueCat(
                RevenueCatIngestTests.webhook("UNCANCELLATION", id, names))
        }
        try await ledger.perform(
            CommandRequest(.unalias(from: "ada-phone"), subject: "ada", reason: "shared phone"))
        let before = try ledger.head().position
        #expect(try await Self.apply(ledger).differenceCount == 0)
        #expect(try ledger.head().position == before)
    }
}
