import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Testing

/// Law 4: (at, known at) against an independent naive model that is rule 4, literally.
@Suite("Law 4: the ledger says what the naive model says")
struct ModelLawTests {
    private static let isExtended = ProcessInfo.processInfo.environment["DAYBOOK_TIER"] != nil

    @Test(
        "X-03 Law 4: over invented histories, known at any cut, at every kind of moment",
        arguments: InventedHistories.apps)
    func invented(_ app: String) async throws {
        try await Self.compare(app, in: .memory, histories: Self.isExtended ? 130 : 14, moments: 12)
    }

    @Test(
        "X-02 X-03 Laws 3 and 4: the same in a file, over segments and snapshots, opened again on the way",
        arguments: InventedHistories.apps)
    func inventedInFile(_ app: String) async throws {
        let words = try await Self.compare(
            app, in: .file, histories: Self.isExtended ? 40 : 5, moments: 6)
        #expect(words.isSuperset(of: ["snapshot", "segments"]))
    }

    /// - Returns: What the comparison got to see.
    @discardableResult
    private static func compare(
        _ app: String, in place: HistoryLedger.Place, histories count: Int, moments: Int
    ) async throws -> Set<String> {
        print("seed \(LawTests.seed)")
        var words: Set<String> = []
        // A comparison that only ever saw customers without anything would prove nothing: a few histories that show
        // too little are followed by more.
        func isTelling() -> Bool {
            words.count > 12 && words.isSuperset(of: ["active", "expired"])
        }
        for index in 0..<4 * count where index < count || !isTelling() {
            let seed = LawTests.seed &+ UInt64(index) &* 1_000_003
            let history = try InventedHistories.history(
                app, seed: seed, subjects: 4, events: index % 4 == 0 ? 200 : 70)
            let failure = try await history.check(
                cuts: 4, moments: moments, in: place, words: &words)
            guard let failure else { continue }
            let smallest = try await failure.explained()
            Issue.record("\(app), DAYBOOK_SEED=\(LawTests.seed), history \(index)\n\(smallest)")
            return words
        }
        #expect(isTelling(), "\(words.sorted())")
        return words
    }

    @Test("A history that shows a fault is made as small as it goes")
    func shrinking() async {
        let steps = Array(0..<100)
        let smallest = await HistoryShrinker.smallest(steps) { $0.contains(17) && $0.contains(83) }
        #expect(smallest == [17, 83])
    }
}
