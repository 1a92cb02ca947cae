import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// What was so at every time, as known at every time, beside the questions that ask for one moment.
@Suite("Beliefs: the plane of two clocks")
struct BeliefPlaneTests {
    private typealias Bench = MetricBench

    // MARK: Beside check and status

    private static let ledgerCount: UInt64 =
        ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == nil ? 2 : 6

    /// A ledger into which events came late, ahead of their time and corrected, some days apart.
    private static func ledger(_ app: String, seed: UInt64) async throws -> Ledger {
        var random = SplitMix64(seed: seed)
        let document =
            app == "sampler" ? SamplerCatalog.first : try Fixtures.catalogDocument(app)
        let clock = FixtureClock(EventGenerator.start)
        let ledger = try Ledger(
            store: InMemoryEventStore(app: app), zones: ZoneTables(), clock: { clock.now })
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
        var generator = EventGenerator(seed: seed, catalog: try CatalogReader.read(document))
        let drafts = generator.stream(subjects: 5, events: 220)
        var order = Array(drafts.enumerated())
        for index in order.indices where Int.random(in: 0..<3, using: &random) == 0 {
            order[index].offset += Int.random(in: -80...80, using: &random)
        }
        order.sort { $0.offset < $1.offset }
        var rest = order.map(\.element)[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...4, using: &random))
            rest = rest.dropFirst(chunk.count)
            clock.now += Int64.random(in: 1...(3 * Bench.day), using: &random)
            try await ledger.record(Array(chunk))
            if app == "sampler", rest.count < 110, try ledger.catalogs().versions.count == 1 {
                try await ledger.publish(
                    CatalogPublication(
                        document: SamplerCatalog.second, effectiveAt: clock.now - Bench.day,
                        isRetroactive: true))
            }
        }
        return ledger
    }

    private static func expected(
        _ plane: BeliefPlane, _ ledger: Ledger, at instant: Int64, _ known: Moment.Knowledge?
    ) throws -> BeliefPlane.Answer? {
        let moment = Moment(at: instant, knownAt: known)
        if plane.kind == .entitlement {
            guard let (status, _) = try? ledger.status(of: plane.subject, moment: moment) else {
                return nil
            }
            return status.entitlements.first { $0.name == plane.name }.map {
                .init(allowed: $0.isActive, reason: $0.state.rawValue, remaining: nil)
            }
        }
        let question = CheckQuestion(plane.name)
        guard let (found, _) = try? ledger.check(question, for: plane.subject, moment: moment)
        else { return nil }
        return .init(
            allowed: found.allowed, reason: found.reason.rawValue, remaining: found.usage?.remaining
        )
    }

    @Test(
        "At random points, at every edge and on the diagonal it is what check and status say",
        arguments: InventedHistories.apps)
    func agrees(_ app: String) async throws {
        print("seed \(LawTests.seed)")
        var random = SplitMix64(seed: LawTests.seed)
        var (pointCount, edgeCount, differenceCount) = (0, 0, 0)
        for index in 0..<Self.ledgerCount {
            let ledger = try await Self.ledger(app, seed: LawTests.seed &+ index)
            let catalog = try #require(try ledger.catalogs().newest?.catalog)
            let names =
                catalog.features.map(\.name) + catalog.meters.map(\.name)
                + catalog.entitlements.map(\.name)
            for subject in try ledger.subjects(in: .production).prefix(3) {
                for name in names.shuffled(using: &random).prefix(3) {
                    let plane = try ledger.beliefs(BeliefRequest(name), of: subject)
                    let place = "\(app) \(index) \(subject) \(name), DAYBOOK_SEED=\(LawTests.seed)"
                    for _ in 0..<50 {
                        let row = Int.random(in: plane.rows.indices, using: &random)
                        let at = Int64.random(in: plane.valid, using: &random)
                        try Self.confirm(plane, ledger, at: at, row, place)
                        pointCount += 1
                    }
                    for rectangle in plane.rectangles.shuffled(using: &random).prefix(25) {
                        for at in [rectangle.valid.lowerBound, rectangle.valid.upperBound - 1] {
                            try Self.confirm(
                                plane, ledger, at: at, rectangle.rows.lowerBound, place)
                            try Self.confirm(
                                plane, ledger, at: at, rectangle.rows.upperBound - 1, place)
                        }
                        edgeCount += 1
                    }
                    try Self.confirmEvents(plane, place)
                    differenceCount += try Self.confirmDiagonal(plane, ledger, &random, place)
                }
            }
        }
        #expect(pointCount >= 400 && edgeCount > 40)
        print("\(app): \(pointCount) points, \(edgeCount) edges, \(differenceCount) told otherwise")
    }

    private static func confirm(
        _ plane: BeliefPlane, _ ledger: Ledger, at instant: Int64, _ row: Int, _ place: String
    ) throws {
        let position = plane.rows[row].position
        let wanted = try expected(plane, ledger, at: instant, .position(position))
        #expect(
            plane.answer(at: instant, row: row) == wanted,
            "\(place) at \(RFC3339.format(instant)), known at @\(position)")
        let holding = plane.rectangles.filter {
            $0.rows.contains(row) && $0.valid.contains(instant)
        }
        #expect(holding.count == 1, "\(place)")
    }

    /// A row begins with the event that changed something: before its commit the answers were those of the row before.
    private static func confirmEvents(_ plane: BeliefPlane, _ place: String) throws {
        for (before, row) in zip(plane.rows, plane.rows.dropFirst()) {
            #expect(before.position < row.position && before.recordedAt <= row.recordedAt)
        }
        for index in plane.rows.indices.dropFirst() {
            let begins = plane.rectangles.contains { $0.rows.lowerBound == index }
            #expect(begins, "\(place), row \(index)")
        }
    }

    private static func confirmDiagonal(
        _ plane: BeliefPlane, _ ledger: Ledger, _ random: inout SplitMix64, _ place: String
    ) throws -> Int {
        let first = plane.rows.dropFirst().first?.recordedAt ?? plane.asOf.at
        let begin = max(first, plane.valid.lowerBound)
        guard begin < plane.asOf.at else { return 0 }
        for _ in 0..<30 {
            let instant = Int64.random(in: begin..<plane.asOf.at, using: &random)
            let told = try expected(plane, ledger, at: instant, .instant(instant))
            let now = try expected(
                plane, ledger, at: instant, .position(plane.asOf.position))
            let isTold = plane.differences.contains { $0.range.contains(instant) }
            #expect(
                isTold == (told?.allowed != now?.allowed), "\(place) at \(RFC3339.format(instant))")
        }
        for difference in plane.differences {
            let range = difference.range
            for instant in [range.lowerBound, range.upperBound - 1] {
                let told = try expected(plane, ledger, at: instant, .instant(instant))
                #expect(told?.allowed == difference.told?.allowed, "\(place)")
                // With the row that is named it was known; before it was not.
                #expect(
                    plane.answer(at: instant, row: difference.row)?.allowed
                        == difference.hindsight?.allowed)
                #expect(
                    plane.answer(at: instant, row: difference.row - 1)?.allowed
                        != difference.hindsight?.allowed)
            }
        }
        return plane.differences.count
    }

    // MARK: By hand

    @Test("A renewal that comes late is a wrong no, measured and named by its cause")
    func lateRenewal() async throws {
        let bench = try await Bench("nuzzle", now: Bench.january)
        let clock = bench.fixture.clock
        let lineage = LineageFixture("s", product: "com.nestling.pro.monthly", subject: "ada")
        try await bench.record([
            lineage.started("s", from: Bench.january, until: Bench.february, Bench.price(5_990))
        ])
        // The store renewed on the first of February, and said so five days later.
        clock.now = Bench.february + 5 * Bench.day
        try await bench.record([
            lineage.renewed("s2", from: Bench.february, until: Bench.march, Bench.price(5_990))
        ])
        clock.now = Bench.february + 10 * Bench.day
        let plane = try bench.ledger.beliefs(BeliefRequest("pro"), of: "ada")
        #expect(plane.kind == .entitlement && plane.passedCount == 0)
        #expect(plane.differences.count == 1)
        let difference = try #require(plane.differences.first)
        #expect(difference.range == Bench.february..<Bench.february + 5 * Bench.day)
        #expect(difference.told?.allowed == false && difference.hindsight?.allowed == true)
        let causes = plane.rows[difference.row].events
        #expect(causes.map(\.event.draft.type) == [.subscriptionRenewed])
        #expect(plane.rows[difference.row].recordedAt == Bench.february + 5 * Bench.day)
        // As known in January nothing of it is there.
        let then = try bench.ledger.beliefs(
            BeliefRequest("pro"), of: "ada", moment: Moment(knownAt: .instant(Bench.january)))
        #expect(then.differences.isEmpty && then.rows.count == 2)
    }

    @Test("Older events stand in the first row together, and the newest have rows of their own")
    func manyEvents() async throws {
        let bench = try await Bench("dozzi", now: Bench.january)
        let clock = bench.fixture.clock
        for index in 0..<12 {
            clock.now = Bench.january + Int64(index) * Bench.day
            try await bench.record([
                .used("stories", at: clock.now, ref: "r\(index)", subject: "ada")
            ])
        }
        var request = BeliefRequest("stories")
        let whole = try bench.ledger.beliefs(request, of: "ada")
        request.eventCount = 4
        (request.from, request.until) = (whole.valid.lowerBound, whole.valid.upperBound)
        let newest = try bench.ledger.beliefs(request, of: "ada")
        #expect(newest.passedCount == 8 && whole.passedCount == 0)
        #expect(newest.rows.first?.position == 9 && newest.rows.count < whole.rows.count)
        for day in 0..<12 {
            let at = Bench.january + Int64(day) * Bench.day
            #expect(
                newest.answer(at: at, row: newest.rows.count - 1)
                    == whole.answer(at: at, row: whole.rows.count - 1))
        }
    }

    @Test("What cannot be meant is told with what can")
    func refusals() async throws {
        let bench = try await Bench("dozzi")
        try await bench.record([.used("stories", at: Bench.january, ref: "r", subject: "ada")])
        func code(_ change: (inout BeliefRequest) -> Void) throws -> String? {
            var request = BeliefRequest("stories")
            change(&request)
            do {
                _ = try bench.ledger.beliefs(request, of: "ada")
                return nil
            } catch LedgerError.badInput(let problems) {
                return problems.first?.code
            }
        }
        #expect(try code { $0.name = "storeis" } == "unknown_name")
        #expect(try code { ($0.from, $0.until) = (5, 5) } == "bad_range")
        #expect(try code { _ in } == nil)
        let unknown = try bench.ledger.beliefs(BeliefRequest("stories"), of: "never-seen")
        #expect(!unknown.isKnown && unknown.differences.isEmpty)
    }
}
