import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Testing

/// Planes where knowledge is moved by what stands elsewhere: first sights, other ids, transfers, what came later.
@Suite("Beliefs: first sights, other ids and later knowledge")
struct BeliefEdgeTests {
    private typealias Bench = MetricBench

    /// A ledger that records each of some events in a commit of its own, a day apart.
    private final class Book {
        let ledger: Ledger
        private let clock = FixtureClock(Bench.january - Bench.day)
        /// The last position of each commit.
        private var positions: [Int64] = []

        init(_ document: [UInt8], app: String) async throws {
            let clock = clock
            ledger = try Ledger(
                store: InMemoryEventStore(app: app), zones: ZoneTables(), clock: { clock.now })
            try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
            clock.now = Bench.march
        }

        func record(_ drafts: [EventDraft]...) async throws {
            for drafts in drafts {
                clock.now += Bench.day
                try await ledger.record(drafts)
                positions.append(try ledger.head().position)
            }
        }

        /// Holds the plane against `check` at every day, as known at every position.
        func confirm(_ name: String, of subject: String) throws {
            let until = Bench.april + 30 * Bench.day
            var request = BeliefRequest(name)
            (request.from, request.until) = (Bench.january, until)
            let plane = try ledger.beliefs(request, of: subject, moment: Moment(at: until))
            for position in positions {
                let row = plane.rows.lastIndex { $0.position <= position } ?? 0
                for at in stride(from: Bench.january, to: until, by: Int(Bench.day)) {
                    let found = try? ledger.check(
                        CheckQuestion(name), for: subject,
                        moment: Moment(at: at, knownAt: .position(position))
                    ).decision
                    let answer = plane.answer(at: at, row: row)
                    #expect(
                        answer?.allowed == found?.allowed
                            && answer?.reason == found?.reason.rawValue
                            && answer?.remaining == found?.usage?.remaining,
                        "\(name) at \(RFC3339.format(at)), known at @\(position)")
                }
            }
        }
    }

    private func launched(_ subject: String, at instant: Int64) -> EventDraft {
        .reported(.appLaunched, at: instant, key: "l\(instant)", subject: subject)
    }

    @Test("A late launch that is the first sight moves the periods that are counted from it")
    func firstSight() async throws {
        let book = try await Book(SamplerCatalog.first, app: "sampler")
        let uses = (0..<4).map {
            EventDraft.used(
                "prints", at: Bench.january + 24 * Bench.day + $0, ref: "r\($0)", subject: "ada")
        }
        try await book.record(
            [Bench.bought("unknown", by: "ada", at: Bench.january + 9 * Bench.day, milli: 1_000)],
            uses, [launched("ada", at: Bench.january + 19 * Bench.day)])
        try book.confirm("prints", of: "ada")
    }

    @Test("Evidence of a refusal is no first sight, and a launch after it is")
    func evidence() async throws {
        let book = try await Book(SamplerCatalog.first, app: "sampler")
        try await book.record(
            [
                .reported(
                    .accessDenied, at: Bench.january + Bench.day, key: "d", subject: "ada",
                    ["feature": "printing", "reason_code": "limit_reached"])
            ],
            (0..<4).map {
                .used(
                    "prints", at: Bench.january + 24 * Bench.day + $0, ref: "r\($0)",
                    subject: "ada")
            }, [launched("ada", at: Bench.january + 14 * Bench.day)])
        try book.confirm("prints", of: "ada")
    }

    @Test("What a giver's subscription brought is seen where the transfer was taken back")
    func voidedTransfer() async throws {
        let book = try await Book(try Fixtures.catalogDocument("nuzzle"), app: "nuzzle")
        let lineage = LineageFixture("s", product: "com.nestling.pro.monthly", subject: "xeno")
        let gift = EventDraft.reported(
            .purchaseTransferred, at: Bench.january + 3 * Bench.day, key: "t", subject: "xeno",
            ["from": "xeno", "to": "ada", "rule": "restore"])
        try await book.record(
            [launched("ada", at: Bench.january)],
            [
                lineage.started(
                    "s", from: Bench.january, until: Bench.february, Bench.price(5_990))
            ], [gift],
            [lineage.renewed("s2", from: Bench.february, until: Bench.march, Bench.price(5_990))],
            [
                EventDraft(
                    type: .correctionVoided, subject: nil, occurredAt: Bench.march,
                    source: EventSource(kind: "support", key: "v"), trust: .admin,
                    data: ["target": ["source": "native", "key": "t"], "reason": "wrong"])
            ])
        try book.confirm("smartPredictions", of: "ada")
    }

    @Test("A plane as of an earlier state of knowledge stays what it is")
    func earlierKnowledge() async throws {
        let book = try await Book(try Fixtures.catalogDocument("nuzzle"), app: "nuzzle")
        let mine = LineageFixture("a", product: "com.nestling.pro.monthly", subject: "ada")
        let other = LineageFixture("b", product: "com.nestling.pro.monthly", subject: "bob")
        func month(_ lineage: LineageFixture, _ name: String) -> EventDraft {
            lineage.started(name, from: Bench.january, until: Bench.february, Bench.price(5_990))
        }
        try await book.record(
            [launched("anon", at: Bench.january - 3 * Bench.day)], [month(other, "b")],
            [launched("ada", at: Bench.january)], [month(mine, "a")])
        let known = try book.ledger.beliefs(BeliefRequest("pro"), of: "ada").asOf.position
        func bytes() throws -> [UInt8] {
            try book.ledger.beliefs(
                BeliefRequest("pro"), of: "ada",
                moment: Moment(at: Bench.april, knownAt: .position(known))
            ).json.canonicalBytes
        }
        let before = try bytes()
        try await book.record(
            [
                .reported(
                    .subjectAliased, at: Bench.march, key: "alias", subject: "ada",
                    ["alias": "anon", "canonical": "ada"])
            ],
            [
                .reported(
                    .purchaseTransferred, at: Bench.january + Bench.day, key: "t", subject: "bob",
                    ["from": "bob", "to": "ada", "rule": "restore"])
            ])
        #expect(try bytes() == before)
    }

    @Test("Of times before the last event without a row it does not say what was told")
    func passedEvents() async throws {
        let book = try await Book(try Fixtures.catalogDocument("nuzzle"), app: "nuzzle")
        let lineage = LineageFixture("a", product: "com.nestling.pro.monthly", subject: "ada")
        try await book.record(
            [launched("ada", at: Bench.march)],
            [
                lineage.started(
                    "a", from: Bench.march, until: Bench.april, Bench.price(5_990))
            ], [launched("ada", at: Bench.march + 3 * Bench.day)],
            [lineage.refunded("a", at: Bench.march + 4 * Bench.day)])
        var request = BeliefRequest("pro")
        let whole = try book.ledger.beliefs(request, of: "ada")
        // The purchase was told a day late.
        #expect(whole.differences.contains { $0.told?.allowed == false })
        request.eventCount = 1
        let newest = try book.ledger.beliefs(request, of: "ada")
        #expect(newest.passedCount == 3)
        let begin = newest.rows[1].recordedAt - Bench.day
        #expect(newest.differences.allSatisfy { $0.range.lowerBound >= begin })
    }
}
