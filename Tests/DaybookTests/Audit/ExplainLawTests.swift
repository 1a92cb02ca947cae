import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What an explanation says must follow from the answers themselves.
@Suite("Explanations and the answers that they explain")
struct ExplainLawTests {
    /// One question about one customer of a recorded stream.
    private struct Asked {
        var subject: String
        var environment: Environment
        var name: String
        var moment: Moment
        /// Nothing happened later.
        var isLast: Bool
    }

    private static func questions(
        _ ledger: Ledger, _ drafts: [EventDraft]
    ) throws -> [Asked] {
        let catalog = try #require(try ledger.catalogs().newest?.catalog)
        let names = catalog.features.map(\.name) + catalog.meters.map(\.name)
        let times = Set(drafts.compactMap(\.occurredAt)).sorted()
        // The first, one in the middle, and a month after the last.
        let moments = [times.first ?? 0, times[times.count / 2], (times.last ?? 0) + 2_678_400_000]
        var asked: [Asked] = []
        for environment in Environment.allCases {
            for subject in try ledger.subjects(in: environment) {
                for name in names {
                    for at in moments {
                        asked.append(
                            Asked(
                                subject: subject, environment: environment, name: name,
                                moment: Moment(at: at), isLast: at == moments.last))
                    }
                }
            }
        }
        return asked
    }

    @Test(
        "The last step is the answer, and the deciding one made it",
        arguments: try StreamGolden.pairs())
    func steps(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        for asked in try Self.questions(ledger, drafts) {
            let place = "\(pair) \(asked)"
            let question = CheckQuestion(asked.name)
            let (decision, _) = try ledger.check(
                question, for: asked.subject, environment: asked.environment,
                moment: asked.moment)
            let found = try ledger.explain(
                question, for: asked.subject, environment: asked.environment,
                moment: asked.moment)
            #expect(found.decision == decision, "\(place)")
            if let last = found.steps.last {
                #expect(last.allowed == decision.allowed, "\(place)")
                #expect(last.reason == decision.reason, "\(place)")
            }
            if let deciding = found.deciding {
                #expect(deciding.allowed == decision.allowed, "\(place)")
                #expect(deciding.reason == decision.reason, "\(place)")
            }
            let isInOrder = zip(found.steps, found.steps.dropFirst()).allSatisfy { $0.at <= $1.at }
            #expect(isInOrder, "\(place)")
            if let last = found.beliefs.last {
                #expect(last.allowed == decision.allowed, "\(place)")
                #expect(last.reason == decision.reason, "\(place)")
            }
            try Self.check(found, asked, ledger, place)
        }
    }

    /// Three months of uses of four customers, with other limits that come into force for all and at a period's end.
    private static func uses(_ app: String) async throws -> (ledger: Ledger, end: Int64) {
        let fixture = try await LedgerFixture(app, now: Fixtures.now)
        let (start, day) = (Fixtures.now, LedgerFixture.day)
        var random = SplitMix64(seed: 20_261_127)
        let drafts = (0..<80).map { number in
            EventDraft.used(
                "stories", at: start + Int64.random(in: 0..<90 * day, using: &random),
                ref: "r\(number)", subject: "u\(number % 4)")
        }
        let text = String(decoding: try Fixtures.catalogDocument(app), as: UTF8.self)
        for (number, scope) in [(1, CatalogScope.all), (2, .nextPeriod)] {
            fixture.clock.now += 20 * day
            let other = text.replacing(/limit: (\d+)/) { "limit: \((Int($0.1) ?? 0) + number)" }
            try await fixture.publish(
                Array("\(other)\n# \(number)\n".utf8), scope: scope,
                effectiveAt: fixture.clock.now + 7 * day)
        }
        fixture.clock.now = start + 95 * day
        try await fixture.ledger.record(drafts)
        return (fixture.ledger, start + 130 * day)
    }

    @Test(
        "Between two steps of customers who only use the answer is what the first one says",
        arguments: ["dozzi", "magical-stories"])
    func between(_ app: String) async throws {
        let (ledger, end) = try await Self.uses(app)
        let catalog = try #require(try ledger.catalogs().newest?.catalog)
        var comparisonCount = 0
        for subject in try ledger.subjects(in: .production) {
            for name in catalog.features.map(\.name) + catalog.meters.map(\.name) {
                let question = CheckQuestion(name)
                let steps = try ledger.explain(question, for: subject, moment: Moment(at: end))
                    .steps
                // Every number that was said to have become another one.
                var said: [String: Int64] = [:]
                for (index, step) in steps.enumerated() {
                    for change in step.changes where change.source == nil {
                        said[change.field] = change.after.integer
                    }
                    let next = index + 1 < steps.count ? steps[index + 1].at : end + 1
                    // In one moment one thing comes after the other; the ledger's answers know all of them.
                    guard next > step.at else { continue }
                    for at in Set([step.at, step.at + (next - step.at) / 2, next - 1]) {
                        let then = try ledger.check(
                            question, for: subject, moment: Moment(at: at)
                        ).decision
                        let place = "\(subject) \(name) \(step.at) \(at)"
                        #expect(then.allowed == step.allowed, "\(place)")
                        #expect(then.reason == step.reason, "\(place)")
                        #expect(then.usage?.used == said["used"], "\(place)")
                        #expect(then.usage?.limit == said["limit"], "\(place)")
                        let reset = then.usage?.period?.end
                        #expect(reset == Int64.max || reset == said["resets_at"], "\(place)")
                        comparisonCount += 1
                    }
                }
            }
        }
        #expect(comparisonCount > 200, "\(comparisonCount)")
    }

    /// What is said about other cuts and other times is asked there.
    private static func check(
        _ found: Explanation, _ asked: Asked, _ ledger: Ledger, _ place: String
    ) throws {
        for belief in found.beliefs where belief.position > 0 {
            var moment = asked.moment
            moment.knownAt = .position(belief.position)
            let then = try? ledger.check(
                CheckQuestion(asked.name), for: asked.subject, environment: asked.environment,
                moment: moment
            ).decision
            #expect(belief.allowed == then?.allowed ?? false, "\(place) \(belief.position)")
            #expect(belief.reason == then?.reason ?? .noCatalog, "\(place) \(belief.position)")
        }
        for case .later(let at, let reason) in found.alternatives where asked.isLast {
            let then = try ledger.check(
                CheckQuestion(asked.name), for: asked.subject, environment: asked.environment,
                moment: Moment(at: at)
            ).decision
            #expect(then.allowed != found.decision.allowed, "\(place) \(at)")
            #expect(then.reason == reason, "\(place) \(at)")
        }
        let without = found.alternatives.compactMap { alternative -> Int64? in
            if case .without(let position, _) = alternative { position } else { nil }
        }
        let positions = Set(found.steps.compactMap(\.event?.event.position))
        #expect(positions.isSuperset(of: without), "\(place)")
    }
}
