import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// A decision that is at hand is the one that would be made now.
@Suite("Decisions that stand")
struct StandingDecisionTests {
    /// A ledger that takes in a month of an app, event by event, with time that passes between them.
    private struct Walk {
        let clock = FixtureClock(0)
        let ledger: Ledger
        let deliveries: [EventDraft]
        let questions: [CheckQuestion]
        let app: String
        private(set) var foundCount = 0

        init(_ app: String, seed: UInt64) async throws {
            self.app = app
            let catalog = try Fixtures.catalog(app)
            let clock = clock
            ledger = try Ledger(inMemory: app, clock: { clock.now })
            try await ledger.publish(
                CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
            deliveries = SyntheticMonth(catalog: catalog, seed: seed, subjects: 60).deliveries
            questions =
                (catalog.features.map(\.name) + catalog.meters.map(\.name)).map {
                    CheckQuestion($0)
                }
        }

        /// The catalog with other limits.
        func publish(_ scope: CatalogScope, effectiveAt: Int64?) async throws {
            let text = String(decoding: try Fixtures.catalogDocument(app), as: UTF8.self)
            let now = clock.now
            let document =
                text.replacing(/limit: (\d+)/) { "limit: \((Int($0.1) ?? 0) + 1)" }
                + "\n# \(now)\n"
            try await ledger.publish(
                CatalogPublication(
                    document: Array(document.utf8), scope: scope, effectiveAt: effectiveAt))
        }

        /// Asks twice: as apps do, and about the very time of the answer, which is decided anew.
        mutating func ask(_ subject: String, _ question: CheckQuestion) throws {
            if try ledger.core.standing(question, for: subject, .production) != nil {
                foundCount += 1
            }
            let (decision, asOf) = try ledger.check(question, for: subject)
            let (anew, asOfAnew) = try ledger.check(
                question, for: subject, moment: Moment(at: asOf.at))
            #expect(decision == anew, "\(question.name) for \(subject) at \(asOf.at)")
            #expect(asOf.position == asOfAnew.position && asOf.catalog == asOfAnew.catalog)
            #expect(asOf.at == clock.now && asOf.isOpen)
        }
    }

    @Test(
        "Whatever happens and however time passes, it is what is decided anew",
        arguments: Fixtures.apps)
    func walk(_ app: String) async throws {
        var random = SplitMix64(seed: LawTests.seed)
        var walk = try await Walk(app, seed: random.next())
        var seen: [String] = []
        for (index, delivery) in walk.deliveries.enumerated() {
            walk.clock.now = max(walk.clock.now, delivery.recordedAt ?? delivery.occurredAt ?? 0)
            try await walk.ledger.record([delivery])
            if let subject = delivery.subject { seen.append(subject) }
            switch index {
            case walk.deliveries.count / 3: try await walk.publish(.nextPeriod, effectiveAt: nil)
            case walk.deliveries.count / 2:
                let soon = walk.clock.now + Int64.random(in: 0...LedgerFixture.day, using: &random)
                try await walk.publish(.all, effectiveAt: soon)
            default: break
            }
            // The same few again and again, so that there is something at hand.
            guard let subject = seen.suffix(12).randomElement(using: &random) else { continue }
            for question in walk.questions.shuffled(using: &random).prefix(3) {
                try walk.ask(subject, question)
                try walk.ask(subject, question)
            }
        }
        // Long after the last event: periods end, and what was promised begins.
        for _ in 0..<60 {
            walk.clock.now += Int64.random(in: 1...(3 * LedgerFixture.day), using: &random)
            guard let subject = seen.randomElement(using: &random) else { continue }
            for question in walk.questions.shuffled(using: &random).prefix(4) {
                try walk.ask(subject, question)
                walk.clock.now += Int64.random(in: 0...3_600_000, using: &random)
                try walk.ask(subject, question)
            }
        }
        #expect(walk.foundCount > 50, "\(walk.foundCount)")
    }

    @Test("What was decided by former rules, or is spelled in other bytes, is not found")
    func rules() async throws {
        let walk = try await Walk("dozzi", seed: 1)
        walk.clock.now = Fixtures.now
        let (ledger, core) = (walk.ledger, walk.ledger.core)
        try await ledger.consume("stories", by: "ada", ref: "a")
        let question = CheckQuestion("stories", profile: "Zo\u{EB}")
        func ask() throws -> (Check, AsOf, Decision) {
            let (context, asOf) = try core.customerCase("ada", .production, .now)
            let check = try #require(Check(context))
            return (check, asOf, try check.decide(question))
        }
        let (check, asOf, decision) = try ask()
        core.remember(question, decision, check, asOf)
        #expect(try core.standing(question, for: "ada", .production)?.decision == decision)
        let other = CheckQuestion("stories", profile: "Zoe\u{308}")
        #expect(try core.standing(other, for: "ada", .production) == nil)
        let long = CheckQuestion("stories", profile: String(repeating: "x", count: 200))
        core.remember(long, decision, check, asOf)
        #expect(try core.standing(long, for: "ada", .production) == nil)

        // Another thread publishes between a decision and the moment at which it is kept.
        try await walk.publish(.all, effectiveAt: nil)
        #expect(try core.standing(question, for: "ada", .production) == nil)
        core.remember(question, decision, check, asOf)
        #expect(try core.standing(question, for: "ada", .production) == nil)
        let (checkNow, asOfNow, decisionNow) = try ask()
        #expect(decisionNow != decision && asOfNow.catalog != asOf.catalog)
        core.remember(question, decisionNow, checkNow, asOfNow)
        #expect(try core.standing(question, for: "ada", .production)?.decision == decisionNow)
        // Before it was decided, and after the use that comes next.
        walk.clock.now -= 2 * LedgerClock.stepMax
        #expect(try core.standing(question, for: "ada", .production) == nil)
        walk.clock.now += 2 * LedgerClock.stepMax
        try await ledger.consume("stories", by: "ada", ref: "b")
        #expect(try core.standing(question, for: "ada", .production) == nil)
        core.remember(question, decisionNow, checkNow, asOfNow)
        #expect(try core.standing(question, for: "ada", .production) == nil)
    }
}
