import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Files that are longer than what an import keeps in memory: what stands far apart in them is compared all the same.
@Suite("Imports of long files")
struct LongImportTests {
    private static let count = 9_000
    private let ledger: Ledger

    init() async throws {
        ledger = try Ledger(inMemory: "magical-stories", clock: { Fixtures.now })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("magical-stories")))
    }

    private static func use(_ number: Int, amount: Int64 = 1) -> EventDraft {
        // Each line has some 300 bytes, so the first megabyte ends before the first half.
        .reported(
            .usageRecorded, at: Fixtures.now - 1_000_000 + Int64(number),
            key: "use-\(number)-" + String(repeating: "x", count: 120),
            subject: "customer-\(number % 700)",
            ["meter": "stories", "amount": .integer(amount), "ref": .string("s\(number)")])
    }

    private static let uses = (1...count).map { use($0) }

    private func load(
        _ drafts: [EventDraft], keepsGoing: Bool = false, refusesUnknown: Bool = false,
        isDryRun: Bool = false
    ) async throws -> ImportReport {
        var bytes: [UInt8] = []
        for draft in drafts { bytes += EventJSON.object(of: draft).canonicalBytes + [0x0A] }
        var pieces: [[UInt8]] = stride(from: 0, to: bytes.count, by: 70_001).map {
            Array(bytes[$0..<min($0 + 70_001, bytes.count)])
        }
        pieces.reverse()
        return try await ledger.importLines(
            { pieces.popLast() },
            options: ImportOptions(
                isDryRun: isDryRun, keepsGoing: keepsGoing, refusesUnknown: refusesUnknown))
    }

    /// The keys of all events but the catalog, in the order of the ledger.
    private func keys() throws -> [String] {
        var bytes: [UInt8] = []
        try ledger.export { bytes += $0 }
        return try bytes.split(separator: 0x0A).dropFirst().map {
            let event = try #require(try JSONReader.read(Array($0)).object)
            return try #require(event.value(at: ["source", "key"])?.text)
        }
    }

    @Test("All lines are appended in their order, and give the same state as reports do")
    func order() async throws {
        let report = try await load(Self.uses)
        #expect((report.lines, report.appended) == (Self.count, Self.count))
        #expect(try keys() == Self.uses.map { $0.source.key ?? "" })
        let other = try Ledger(inMemory: "magical-stories", clock: { Fixtures.now })
        try await other.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("magical-stories")))
        try await other.record(Self.uses)
        #expect(try ledger.digest().digest == other.digest().digest)
        let again = try await load(Self.uses)
        #expect((again.appended, again.duplicates) == (0, Self.count))
    }

    @Test("The first line again behind the last is there already; said otherwise, it is refused")
    func farApart() async throws {
        let drafts = Self.uses + [Self.use(1), Self.use(2, amount: 5), Self.use(Self.count + 1)]
        await #expect {
            try await load(drafts)
        } throws: { error in
            guard case LedgerError.badInput(let problems) = error else { return false }
            return problems.map(\.line) == [Self.count + 2]
                && problems[0].reason.contains("names another event on line 2")
        }
        #expect(try ledger.head().position == 1)
        let report = try await load(drafts, keepsGoing: true)
        #expect((report.appended, report.duplicates) == (Self.count + 1, 1))
        #expect(report.refused.map(\.line) == [Self.count + 2])
        #expect(try keys().last == drafts.last?.source.key)
    }

    @Test("A correction is held to what it corrects, thousands of lines before it")
    func correction() async throws {
        func amendment(_ amount: Int64) -> EventDraft {
            let target: JSONObject = [
                "source": "native", "key": .string(Self.use(1).source.key ?? ""),
            ]
            return .reported(
                .correctionAmended, at: Fixtures.now, key: "c\(amount)", subject: "customer-1",
                [
                    "target": .object(target), "reason": "r",
                    "patch": .object(["amount": .integer(amount)]),
                ])
        }
        let report = try await load(
            Self.uses + [amendment(99_999_999_999), amendment(3)], keepsGoing: true)
        #expect(report.refused.map(\.line) == [Self.count + 1])
        #expect(report.refused.first?.code == "out_of_bounds")
        #expect(try ledger.check("stories", for: "customer-1").usage?.used == 13 + 2)
    }

    @Test("Lines with names that no catalog brings are left out, wherever they stand")
    func unknown() async throws {
        var drafts = Self.uses
        for index in [3, 5_000, Self.count - 1] { drafts[index].data["meter"] = "storys" }
        let report = try await load(drafts, keepsGoing: true, refusesUnknown: true)
        #expect(report.refused.map(\.line) == [4, 5_001, Self.count])
        #expect(report.appended == Self.count - 3)
        let left = Set([3, 5_000, Self.count - 1].map { drafts[$0].source.key ?? "" })
        #expect(try keys() == drafts.map { $0.source.key ?? "" }.filter { !left.contains($0) })
    }

    @Test("A refund tells of a purchase that is missing, not of one at the other end of the file")
    func refunds() async throws {
        func purchase(_ id: String) -> EventDraft {
            .reported(
                .purchaseCompleted, at: Fixtures.now - 5_000_000, key: "p\(id)",
                subject: "customer-1",
                [
                    "store": "web", "transaction_id": .string(id), "product": "story-pack-3",
                    "kind": "consumable", "price_milli": 990, "currency": "USD",
                ])
        }
        func refund(_ id: String) -> EventDraft {
            .reported(
                .purchaseRefunded, at: Fixtures.now - 4_000_000, key: "r\(id)",
                subject: "customer-1",
                [
                    "store": "web", "transaction_id": .string(id),
                    "revoked_at": .integer(Fixtures.now - 4_000_000),
                ])
        }
        let drafts =
            [purchase("a"), refund("b"), refund("c")] + Self.uses
            + [refund("a"), purchase("b"), refund("d")]
        let report = try await load(drafts, isDryRun: true)
        #expect(report.refused.isEmpty)
        #expect(report.unknownTransactions == ["web:c", "web:d"])
    }
}
