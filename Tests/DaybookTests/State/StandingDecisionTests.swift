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
            if try ledger.core.atHand(question, for: subject, .production).decision != nil {
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

    @Test("A customer who was found stays found, whatever comes before the case is gathered")
    func found() async throws {
        let walk = try await Walk("dozzi", seed: 1)
        walk.clock.now = Fixtures.now
        let (ledger, core) = (walk.ledger, walk.ledger.core)
        let id = "9a3c1f0e-5b6d-4e7f-8a90-1b2c3d4e5f60"
        let question = CheckQuestion("stories")
        func customer(_ subject: String) throws -> NameID? {
            try core.atHand(question, for: subject, .production).customer
        }
        #expect(try customer(id) == nil)
        try await ledger.consume("stories", by: id, ref: "a")
        let found = try #require(try customer(id))
        // In the other letter case it is no exact name, before an event names it so.
        #expect(try customer(id.uppercased()) == nil)
        // A name of the ledger, and of no customer.
        #expect(try customer("stories") == nil)
        // Between the two look-ups: the other spelling with a use, and an alias.
        try await ledger.consume("stories", by: id.uppercased(), ref: "b")
        try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: id))
        func used(_ customer: NameID?) throws -> (String, Int64?) {
            let (context, _) = try core.customerCase(id, .production, .now, customer: customer)
            let check = try #require(Check(context))
            return (context.subject, try check.decide(question).usage?.used)
        }
        #expect(try used(found) == ("ada", 2))
        #expect(try used(nil) == ("ada", 2))
        #expect(try customer(id) == found)
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
        #expect(try core.atHand(question, for: "ada", .production).decision?.decision == decision)
        let other = CheckQuestion("stories", profile: "Zoe\u{308}")
        #expect(try core.atHand(other, for: "ada", .production).decision == nil)
        let long = CheckQuestion("stories", profile: String(repeating: "x", count: 200))
        core.remember(long, decision, check, asOf)
        #expect(try core.atHand(long, for: "ada", .production).decision == nil)

        // Another thread publishes between a decision and the moment at which it is kept.
        try await walk.publish(.all, effectiveAt: nil)
        #expect(try core.atHand(question, for: "ada", .production).decision == nil)
        core.remember(question, decision, check, asOf)
        #expect(try core.atHand(question, for: "ada", .production).decision == nil)
        let (checkNow, asOfNow, decisionNow) = try ask()
        #expect(decisionNow != decision && asOfNow.catalog != asOf.catalog)
        core.remember(question, decisionNow, checkNow, asOfNow)
        #expect(
            try core.atHand(question, for: "ada", .production).decision?.decision == decisionNow)
        // Before it was decided, and after the use that comes next.
        walk.clock.now -= 2 * LedgerClock.stepMax
        #expect(try core.atHand(question, for: "ada", .production).decision == nil)
        walk.clock.now += 2 * LedgerClock.stepMax
        try await ledger.consume("stories", by: "ada", ref: "b")
        #expect(try core.atHand(question, for: "ada", .production).decision == nil)
        core.remember(question, decisionNow, checkNow, asOfNow)
        #expect(try core.atHand(question, for: "ada", .production).decision == nil)
    }
}
