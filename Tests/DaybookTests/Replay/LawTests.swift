import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// The laws (docs/laws.md) over invented histories. The seed is printed; `DAYBOOK_SEED` repeats a run.
///
/// The extended tier takes another seed each time, and many more histories: it is there to find unforeseen cases.
/// `make test` has one of its own, so that a failure comes from the change and from nothing else.
@Suite("Laws over invented histories")
struct LawTests {
    static let seed: UInt64 =
        ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init)
        ?? (ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == nil
            ? 20_261 : UInt64.random(in: 1...999_999))
    static let permutations =
        ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == nil ? 100 : 400

    /// A ledger that took the drafts in this order, in batches of random size.
    static func ledger(
        _ app: String, _ drafts: [EventDraft], _ random: inout SplitMix64
    ) async throws -> Ledger {
        let ledger = try Ledger(inMemory: app, clock: { 0 })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        try await record(drafts, in: ledger, batchCountMax: 40, &random)
        return ledger
    }

    /// Takes the drafts in this order, in batches of random size.
    static func record(
        _ drafts: [EventDraft], in ledger: Ledger, batchCountMax: Int, _ random: inout SplitMix64
    ) async throws {
        var start = 0
        while start < drafts.count {
            let end = min(drafts.count, start + Int.random(in: 1...batchCountMax, using: &random))
            try await ledger.record(Array(drafts[start..<end]))
            start = end
        }
    }

    /// The same with a ledger that takes snapshots, loses files and is opened anew between batches.
    static func told(
        _ app: String, _ drafts: [EventDraft], in place: HistoryLedger.Place,
        _ random: inout SplitMix64
    ) async throws -> HistoryLedger {
        let told = try await HistoryLedger(
            place, app: app, catalog: try Fixtures.catalogDocument(app), seed: random.next())
        var rest = drafts[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...40, using: &random)
            try await told.ledger.record(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            try told.rest()
        }
        return told
    }

    static func drafts(_ app: String, seed: UInt64, subjects: Int = 8, events: Int = 400) throws
        -> [EventDraft]
    {
        var generator = EventGenerator(seed: seed, catalog: try Fixtures.catalog(app))
        return generator.stream(subjects: subjects, events: events)
    }

    @Test(
        "X-01 Law 1: any order and any multiplicity give the same digest", arguments: Fixtures.apps)
    func order(_ app: String) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let drafts = try Self.drafts(app, seed: Self.seed)
        let template = try await LedgerTemplate(app)
        let inOrder = try template.ledger()
        try await Self.record(drafts, in: inOrder, batchCountMax: 40, &random)
        let expected = try inOrder.digest()
        let answers = try FinalAnswers(inOrder)
        #expect(expected.aggregateCount > 8)
        for round in 1...Self.permutations {
            let repeated = drafts + drafts.shuffled(using: &random).prefix(drafts.count / 4)
            let ledger = try template.ledger()
            try await Self.record(
                repeated.shuffled(using: &random), in: ledger, batchCountMax: 40, &random)
            let digest = try ledger.digest()
            #expect(digest == expected, "seed \(Self.seed), round \(round)")
            #expect(try FinalAnswers(ledger) == answers, "seed \(Self.seed), round \(round)")
            guard digest == expected else { return }
        }
    }

    @Test(
        "X-01 Laws 1 and 3: in a file, too, over segments and snapshots, opened again on the way",
        arguments: Fixtures.apps)
    func orderInFile(_ app: String) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let drafts = try Self.drafts(app, seed: Self.seed)
        let inOrder = try await Self.ledger(app, drafts, &random)
        let expected = try inOrder.digest()
        let answers = try FinalAnswers(inOrder)
        var sources: Set<String> = []
        for round in 1...Self.permutations / 25 {
            let repeated = drafts + drafts.shuffled(using: &random).prefix(drafts.count / 4)
            let told = try await Self.told(
                app, repeated.shuffled(using: &random), in: .file, &random)
            sources.formUnion(try told.end())
            #expect(try told.ledger.digest() == expected, "seed \(Self.seed), round \(round)")
            let theirs = try FinalAnswers(told.ledger)
            #expect(theirs == answers, "seed \(Self.seed), round \(round)")
        }
        #expect(sources == ["snapshot", "segments"])
    }

    @Test(
        "X-02 Law 2: folding from zero gives the live state for any batch split and 1, 2 and 7 workers",
        arguments: Fixtures.apps)
    func replay(_ app: String) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let drafts = try Self.drafts(app, seed: Self.seed).shuffled(using: &random)
        let ledger = try await Self.ledger(app, drafts, &random)
        let live = try ledger.digest().digest
        for workers in [1, 2, 7] {
            for batchCount in [1, 3, 64, 1_000] {
                let report = try ledger.replay(workers: workers, batchCount: batchCount)
                #expect(report.agrees)
                #expect(report.digest == live)
                #expect(report.differences == [])
            }
        }
    }

    @Test(
        "X-02 Law 2: late events and those of equal times, too, where no correction is known",
        arguments: Fixtures.apps)
    func late(_ app: String) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        // A ledger with corrections sorts every aggregate's events; this one only those that need it.
        let drafts = try Self.drafts(app, seed: Self.seed).filter {
            $0.type != .correctionVoided && $0.type != .correctionAmended
        }
        let inOrder = try await Self.ledger(app, drafts, &random)
        let late = try await Self.ledger(app, drafts.shuffled(using: &random), &random)
        let live = try inOrder.digest()
        #expect(try late.digest() == live)
        // By way of the questions, which fold one customer at a time along their chain.
        #expect(try FinalAnswers(late) == FinalAnswers(inOrder))
        for ledger in [inOrder, late] {
            for workers in [1, 2, 7] {
                let report = try ledger.replay(workers: workers)
                // With the chains and with what is at hand.
                #expect(report.agrees)
                #expect(report.differences == [])
                #expect(report.digest == live.digest, "\(workers) workers")
            }
        }
    }

    @Test(
        "X-03 Law 4: an answer known at a position is the answer of a ledger that ends there",
        arguments: Fixtures.apps, HistoryLedger.Place.allCases)
    func knowledge(_ app: String, _ place: HistoryLedger.Place) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let drafts = try Self.drafts(app, seed: Self.seed, events: 120).shuffled(using: &random)
        let told = try await Self.told(app, drafts, in: place, &random)
        _ = try told.end()
        let whole = told.ledger
        let subjects = try whole.subjects()
        for _ in 0..<12 {
            let count = Int.random(in: 0...drafts.count, using: &random)
            let part = try await Self.ledger(app, Array(drafts[..<count]), &random)
            let at = Int64.random(in: 1_767_225_600_000...1_790_000_000_000, using: &random)
            let cut = try part.head().position
            for subject in subjects {
                let then = try whole.status(
                    of: subject, moment: Moment(at: at, knownAt: .position(cut))
                ).status
                let alone = try part.status(of: subject, moment: Moment(at: at)).status
                #expect(then == alone, "\(subject) at \(at), known at \(cut), seed \(Self.seed)")
                let told = try whole.history(
                    of: subject, moment: Moment(at: at, knownAt: .position(cut)))
                let toldAlone = try part.history(of: subject, moment: Moment(at: at))
                #expect(
                    told == toldAlone, "\(subject) at \(at), known at \(cut), seed \(Self.seed)")
            }
            // As of the same time, which is that of neither ledger's clock.
            func asked(_ name: String) -> FunnelRequest {
                FunnelRequest(name, moment: Moment(knownAt: .position(cut)))
            }
            for funnel in try Fixtures.catalog(app).funnels {
                #expect(
                    try whole.funnel(asked(funnel.name)) == part.funnel(asked(funnel.name)),
                    "known at \(cut), seed \(Self.seed)")
            }
        }
    }
}
