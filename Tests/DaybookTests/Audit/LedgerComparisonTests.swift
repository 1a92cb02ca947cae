import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Testing

@Suite("What is different between two ledgers")
struct LedgerComparisonTests {
    private static let eventCount = 50_000
    private static let subjectCount = 10_000

    private static func differences(
        _ before: Ledger, _ after: Ledger, at: Int64
    ) throws -> (found: [CustomerDifference], comparison: LedgerComparison) {
        var found: [CustomerDifference] = []
        let comparison = try after.differences(from: before, at: at) { found.append($0) }
        #expect(comparison.differing == found.count)
        return (found, comparison)
    }

    @Test("One event more in a copy of 50,000 is found in one bucket, without folding the others")
    func oneBucket() async throws {
        let folders = (try LedgerFolder(), try LedgerFolder())
        let ledger = try await folders.0.create("dozzi") { Fixtures.now }
        for start in stride(from: 0, to: Self.eventCount, by: 10_000) {
            try await ledger.record(
                (start..<start + 10_000).map {
                    .used(
                        "stories", at: Fixtures.now + Int64($0), ref: "s\($0)",
                        subject: "u\($0 % Self.subjectCount)")
                })
        }
        try ledger.snapshot()
        try ledger.close()
        try FileManager.default.copyItem(atPath: folders.0.path, toPath: folders.1.path)
        let before = try Ledger.open(folders.0.path, readOnly: true)
        let after = try Ledger.open(folders.1.path, clock: { Fixtures.now })
        let at = Fixtures.now + LedgerFixture.day
        // The copy has no snapshot yet: its sums are folded, and are the same.
        let same = try Self.differences(before, after, at: at)
        #expect(same.found == [])
        #expect(same.comparison == LedgerComparison())
        try await after.record([.used("stories", at: Fixtures.now, ref: "one", subject: "u77")])
        try after.snapshot()
        let (found, comparison) = try Self.differences(before, after, at: at)
        #expect(found.map(\.subject) == ["u77"])
        let used = found.flatMap(\.changes).first { $0.path == "meters.stories.used" }
        #expect(used?.before == 5 && used?.after == 6)
        #expect(comparison.isFromSnapshots && comparison.areCatalogsSame)
        #expect(comparison.buckets == 1)
        #expect(comparison.customers == 1)
        // A bucket has 10,000 / 256 aggregates on average, in each of the two.
        #expect((2...2 * 2 * Self.subjectCount / 256).contains(comparison.aggregates))
        // The other way round, and without what the snapshots say.
        let back = try Self.differences(after, before, at: at)
        #expect(back.found.map(\.subject) == ["u77"])
        try FileManager.default.removeItem(at: folders.1.derived)
        let again = try Ledger.open(folders.1.path, readOnly: true)
        let folded = try Self.differences(before, again, at: at)
        #expect(folded.found == found && !folded.comparison.isFromSnapshots)
        #expect(folded.comparison.buckets == 1)
        #expect(try after.verify().allSatisfy(\.isClean))
    }

    @Test(
        "Each customer whose answers change when one event is missing is found",
        arguments: try StreamGolden.pairs())
    func oneLess(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let after = try await StreamGolden.ledger(pair.app, holding: drafts)
        let at = try after.head().recordedAt
        let twin = try await StreamGolden.ledger(pair.app, holding: drafts)
        #expect(try Self.differences(twin, after, at: at).comparison == LedgerComparison())
        for index in drafts.indices {
            var fewer = drafts
            fewer.remove(at: index)
            let before = try await StreamGolden.ledger(pair.app, holding: fewer)
            var expected: [String] = []
            for environment in Environment.allCases {
                let names = try Set(after.subjects(in: environment))
                    .union(before.subjects(in: environment))
                for name in names {
                    let moment = Moment(at: at)
                    let (new, _) = try after.status(
                        of: name, environment: environment, moment: moment)
                    let (old, _) = try before.status(
                        of: name, environment: environment, moment: moment)
                    if new.subject == name, old != new {
                        expected.append("\(environment.name)/\(name)")
                    }
                }
            }
            let found = try Self.differences(before, after, at: at).found.map {
                "\($0.environment.name)/\($0.subject)"
            }
            #expect(Set(found) == Set(expected), "\(pair) without line \(index + 1)")
        }
    }

    @Test("An alias that joins two, and a transfer to another than before, are differences")
    func identity() async throws {
        func ledger(_ more: EventDraft...) async throws -> Ledger {
            let fixture = try await LedgerFixture("magical-stories")
            let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
            try await fixture.record(
                lineage.started(
                    "1", from: Fixtures.now, until: Fixtures.now + 30 * LedgerFixture.day))
            try await fixture.ledger.record(more)
            return fixture.ledger
        }
        func handed(to name: String) -> EventDraft {
            .reported(
                .purchaseTransferred, at: Fixtures.now + 1, key: "t",
                ["from": "ada", "to": .string(name)])
        }
        let at = Fixtures.now + LedgerFixture.day
        let plain = try await ledger()
        let alias = try await ledger(
            .reported(
                .subjectAliased, at: Fixtures.now + 1, key: "a", subject: "anon",
                ["alias": "anon", "canonical": "ada"]))
        #expect(try !Self.differences(alias, plain, at: at).found.isEmpty)
        let (bob, cy) = (try await ledger(handed(to: "bob")), try await ledger(handed(to: "cy")))
        let found = try Self.differences(bob, cy, at: at).found.map(\.subject)
        #expect(found == ["bob", "cy"])
        let gone = try Self.differences(plain, bob, at: at).found.map(\.subject)
        #expect(gone == ["ada", "bob"])
    }

    @Test("Other catalogs mean that all customers are compared")
    func catalogs() async throws {
        let drafts = (0..<50).map { number in
            EventDraft.used(
                "stories", at: Fixtures.now, ref: "s\(number)", subject: "u\(number)")
        }
        let text = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
        let three = Array(text.replacing("    limit: 2\n", with: "    limit: 3\n").utf8)
        func ledger(_ catalog: [UInt8]) async throws -> Ledger {
            let ledger = try Ledger(inMemory: "dozzi", clock: { 0 })
            try await ledger.publish(CatalogPublication(document: catalog, effectiveAt: 0))
            try await ledger.record(drafts)
            return ledger
        }
        let (found, comparison) = try Self.differences(
            try await ledger(Fixtures.catalogDocument("dozzi")), try await ledger(three),
            at: Fixtures.now)
        #expect(!comparison.areCatalogsSame)
        #expect(comparison.customers == 50 && found.count == 50)
    }

    @Test("Another app's ledger, and the same ledger, are not compared")
    func refusals() async throws {
        func code(_ before: Ledger, _ after: Ledger) -> String? {
            do {
                _ = try after.differences(from: before) { _ in }
                return nil
            } catch let error as LedgerError {
                return error.code
            } catch { return "\(error)" }
        }
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { Fixtures.now }
        #expect(code(ledger, ledger) == "same_ledger")
        #expect(code(try Ledger.open(folder.path, readOnly: true), ledger) == "same_ledger")
        let other = try await LedgerFolder().create("nuzzle") { Fixtures.now }
        #expect(code(other, ledger) == "another_app")
    }
}
