import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("The event since which an answer holds")
struct BisectTests {
    private static func holds(
        _ condition: AnswerCondition, _ ledger: Ledger, _ subject: String,
        _ environment: Environment, at: Int64, knownAt position: Int64
    ) throws -> Bool {
        let moment = Moment(at: at, knownAt: .position(position))
        switch condition {
        case .allowed(let name), .denied(let name):
            let isDenial = if case .denied = condition { true } else { false }
            guard position > 0 else { return isDenial }
            let (decision, _) = try ledger.check(
                CheckQuestion(name), for: subject, environment: environment, moment: moment)
            return decision.allowed != isDenial
        case .used(let meter, _, let least):
            guard position > 0 else { return 0 >= least }
            let (status, _) = try ledger.status(
                of: subject, environment: environment, moment: moment)
            return (status.meters.first { $0.name == meter }?.used ?? 0) >= least
        case .event: return false
        }
    }

    @Test(
        "What is found turned it, for every name of every stream",
        arguments: try StreamGolden.pairs())
    func turns(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let catalog = try #require(try ledger.catalogs().newest?.catalog)
        let last = try ledger.head().position
        let at = (drafts.compactMap(\.occurredAt).max() ?? 0) + 1
        let bound = 2 * (Int64.bitWidth - last.leadingZeroBitCount) + 2
        let conditions =
            catalog.features.flatMap { [AnswerCondition.allowed($0.name), .denied($0.name)] }
            + catalog.meters.filter { $0.kind == .counter }.map {
                .used(meter: $0.name, .atLeast, 1)
            }
        for environment in [Environment.production, .sandbox] {
            for subject in try ledger.subjects(in: environment) {
                for condition in conditions {
                    let place: Comment = "\(pair) \(subject) \(condition)"
                    let found = try ledger.bisect(
                        condition, of: subject, environment: environment, at: at)
                    func holds(_ position: Int64) throws -> Bool {
                        try Self.holds(
                            condition, ledger, subject, environment, at: at, knownAt: position)
                    }
                    #expect(found.folds <= bound, place)
                    switch found.outcome {
                    case .turned(let entry):
                        let position = entry.event.position
                        #expect(try holds(position) && !holds(position - 1), place)
                    case .always: #expect(try holds(0) && holds(last), place)
                    case .never: #expect(try !holds(last), place)
                    }
                }
            }
        }
    }

    @Test("Of all customers: the first event after which one of them exceeds a number")
    func anyCustomer() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let at = (drafts.compactMap(\.occurredAt).max() ?? 0) + 1
        let condition = AnswerCondition.used(meter: "stories", .atLeast, 2)
        let found = try ledger.bisect(condition, at: at)
        let alone = try ledger.bisect(condition, of: "u_1199", at: at)
        guard case .turned(let entry) = found.outcome, case .turned(let other) = alone.outcome
        else {
            Issue.record("\(found) \(alone)")
            return
        }
        #expect(entry.event.position == other.event.position)
        #expect(found.subjects == ["u_1199"])
        let last = try ledger.head().position
        #expect(found.folds <= Int64.bitWidth - last.leadingZeroBitCount + 2)
    }

    @Test("Of very many customers the first twenty are named, and how many more there are")
    func many() async throws {
        let fixture = try await LedgerFixture("dozzi")
        // All 25 have used up what is free; then the limit is raised.
        try await fixture.ledger.record(
            (0..<50).map { use in
                .used(
                    "stories", at: Fixtures.now - 100 + Int64(use), ref: "\(use)",
                    subject: "c\(use / 2 + 10)")
            })
        let from = try fixture.ledger.head().position
        let wider = try LedgerFixture.catalog("dozzi", replacing: ["limit: 2": "limit: 5"])
        try await fixture.ledger.publish(CatalogPublication(document: Array(wider.utf8)))
        let found = try fixture.ledger.bisect(
            .allowed("stories"), at: Fixtures.now + 1, from: from)
        #expect(found.subjects == (10..<30).map { "c\($0)" })
        #expect(found.subjectsOmitted == 5)
    }

    @Test("Since when it fails, and since when it holds again")
    func failsAndHolds() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let at = (drafts.compactMap(\.occurredAt).max() ?? 0) + 1
        // Denied at the beginning as well: the search goes back from the end.
        for (condition, holds) in [
            (AnswerCondition.denied("premiumVoices"), true), (.allowed("premiumVoices"), false),
        ] {
            let found = try ledger.bisect(condition, holds: holds, of: "u_1199", at: at)
            guard case .turned(let entry) = found.outcome else {
                Issue.record("\(found)")
                return
            }
            #expect(entry.event.draft.type == .purchaseRefunded)
        }
    }

    @Test("What cannot be searched is refused")
    func refusals() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        func code(
            _ condition: AnswerCondition, from: Int64? = nil, through: Int64? = nil
        ) -> String? {
            do {
                _ = try ledger.bisect(condition, of: "u_1199", from: from, through: through)
                return nil
            } catch LedgerError.badInput(let problems) {
                return problems.first?.code
            } catch {
                return "\(error)"
            }
        }
        #expect(code(.event(type: .purchaseRefunded)) == "bad_condition")
        #expect(code(.allowed("storys")) == "unknown_name")
        #expect(code(.used(meter: "nothing", .atLeast, 1)) == "unknown_name")
        #expect(code(.allowed("stories"), through: 99) == "unknown_position")
        #expect(code(.allowed("stories"), from: 99) == "unknown_position")
        #expect(code(.allowed("stories"), from: 5, through: 2) == "bad_range")
    }
}
