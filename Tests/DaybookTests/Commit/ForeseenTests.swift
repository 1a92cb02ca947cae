import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Testing

/// Requests that share a commit are decided side by side where they can be; what comes out is what deciding them one
/// after the other comes to.
@Suite("Groups come to the same as their requests one by one")
struct ForeseenTests {
    private static let capitals = "6F9619FF-8B86-4D01-B42D-00CF4FC964FF"
    private static let small = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
    /// Some with purchases, two who are one person, one whose id is spelled in two ways, and many of whom nothing is
    /// known.
    private static let subjects =
        ["ada", "ben", "cleo", "ada-phone", capitals, small] + (0..<18).map { "new-\($0)" }
    private static let meters = [
        "sketches", "prints", "calls", "renders", "exports", "coins", "audits", "boxes",
    ]

    /// Two ledgers with the same purchases of some customers.
    private static func ledgers() async throws -> (Ledger, Ledger) {
        let store = InMemoryEventStore(app: "sampler")
        let ledger = try Ledger(store: store, clock: { Fixtures.now })
        try await ledger.publish(
            CatalogPublication(document: SamplerCatalog.first, effectiveAt: 0))
        let day: Int64 = 86_400_000
        let now = Fixtures.now
        var bens = LineageFixture("2", product: "vault.forever", subject: "ben")
        bens.trust = .verified
        try await ledger.record([
            LineageFixture("1", product: "club.monthly").started(
                "1", from: now - 9 * day, until: now + 20 * day),
            bens.started("2", from: now - 90 * day, until: now + 900 * day),
            .used("sketches", at: now - day, ref: "first", subject: "cleo"),
        ])
        try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: "ada-phone"))
        let other = InMemoryEventStore(copying: store)
        return (ledger, try Ledger(store: other, clock: { Fixtures.now }))
    }

    private static func command(_ random: inout SplitMix64, _ number: Int) -> Command {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        let meter = one(Self.meters)
        let ref = one(["r1", "r2", "r3", "r4", "r5", "r6"])
        switch Int.random(in: 0..<100, using: &random) {
        case ..<55:
            let amount = Int64.random(in: meter == "boxes" ? -1...1 : 1...3, using: &random)
            let isNamed = meter == "boxes" || Bool.random(using: &random)
            return .consume(meter: meter, amount: amount, ref: isNamed ? ref : nil)
        case ..<63:
            return .reserve(
                meter: meter, amount: 1, reservation: ref, timeoutMilliseconds: nil)
        case ..<68: return .commit(reservation: ref, amount: nil)
        case ..<71: return .release(reservation: ref)
        case ..<75: return .reverseUsage(target: ref)
        case ..<80:
            return .issueGrant(
                .init(
                    id: ref,
                    target: Bool.random(using: &random) ? .meter("prints") : .entitlement("club"),
                    amount: nil))
        case ..<83: return .voidGrant(grant: ref)
        case ..<86: return .createProfile(profile: ref, kind: "dog", freeStartedAt: nil)
        case ..<88: return .deleteProfile(profile: ref)
        case ..<90: return .changeTimeZone(one(["Pacific/Kiritimati", "America/Lima", "No/Where"]))
        case ..<92: return .resetUsage(meter: meter)
        case ..<94: return .voidEvent(source: "ledger", key: "key-\(max(0, number - 7))")
        case ..<96: return .alias(to: one(Self.subjects))
        case ..<98: return .transferLineage("apple:1", to: one(Self.subjects))
        default: return .consume(meter: "nothing", amount: 1, ref: nil)
        }
    }

    private static func requests(_ count: Int, seed: UInt64) -> [CommandRequest] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { number in
            let command = command(&random, number)
            let chance = Int.random(in: 0..<20, using: &random)
            return CommandRequest(
                command, subject: Self.subjects.randomElement(using: &random) ?? "",
                // Now and then a key that was used before.
                key: "key-\(chance == 0 ? number / 2 : number)", profile: chance == 1 ? "r1" : nil,
                actor: chance == 2 ? "kim" : nil, reason: "test", ticket: "T-1",
                clientAt: chance == 3 ? Fixtures.now - 500 : nil,
                expectedVersion: chance == 4 ? 1 : nil)
        }
    }

    private static func isSame(
        _ left: Result<Receipt, LedgerError>, _ right: Result<Receipt, LedgerError>
    ) -> Bool {
        switch (left, right) {
        case (.success(let left), .success(let right)): left == right
        case (
            .failure(.rejected(let left, let decision)), .failure(.rejected(let right, let other))
        ): left == right && decision == other
        case (.failure(let left), .failure(let right)): "\(left)" == "\(right)"
        default: false
        }
    }

    @Test(
        "Receipts, refusals and the history are the same, also where groups follow each other",
        arguments: 1...12 as ClosedRange<UInt64>, [nil, 12, 30])
    func same(_ seed: UInt64, inGroupsOf count: Int?) async throws {
        let (together, alone) = try await Self.ledgers()
        let requests = Self.requests(400, seed: seed)
        var written = 0
        for start in stride(from: 0, to: requests.count, by: 100) {
            let some = Array(requests[start..<start + 100])
            let answers = together.writer.performTogether(some, inGroupsOf: count)
            try #require(answers.count == some.count)
            for (request, answer) in zip(some, answers) {
                let expected = try #require(alone.writer.performTogether([request]).first)
                try #require(
                    Self.isSame(answer, expected),
                    "seed \(seed), \(request): \(answer), alone \(expected)")
                written += (try? answer.get().positions.count) ?? 0
            }
        }
        // Else it would be equal because nothing was done.
        #expect(written > 100)
        #expect(try together.place() == (try alone.place()))
    }

    @Test("A purchase that is reported in the group counts for the commands behind it")
    func reported() async throws {
        let (together, alone) = try await Self.ledgers()
        let now = Fixtures.now
        let draft = LineageFixture("9", product: "club.monthly", subject: "new-0").started(
            "9", from: now - 1_000, until: now + 86_400_000)
        let requests = (0..<30).map { number in
            CommandRequest(
                .consume(meter: "prints", amount: 3, ref: nil), subject: "new-\(number % 10)",
                key: "use-\(number)")
        }
        let answers = together.writer.performTogether(requests, after: [draft])
        try await alone.record([draft])
        for (request, answer) in zip(requests, answers) {
            let expected = try #require(alone.writer.performTogether([request]).first)
            #expect(Self.isSame(answer, expected), "\(request): \(answer), alone \(expected)")
        }
        // Of four prints three are used once; with a club there are twenty.
        #expect(answers.count { (try? $0.get()) != nil } == 9 + 3)
        #expect(try together.place() == (try alone.place()))
    }

    @Test("A commit of several waves, in a file that was opened from a snapshot")
    func waves() async throws {
        let folder = try LedgerFolder()
        var together = try await folder.create("dozzi", clock: { Fixtures.now })
        let alone = try Ledger(inMemory: "dozzi", clock: { Fixtures.now })
        try await alone.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        func requests(_ round: Int) -> [CommandRequest] {
            (0..<200).map { number in
                CommandRequest(
                    .consume(meter: "stories", amount: 1, ref: "\(round)-\(number)"),
                    subject: "customer-\(number % 150)", key: "\(round)-\(number)")
            }
        }
        for round in 0..<4 {
            let answers = together.writer.performTogether(requests(round))
            for (request, answer) in zip(requests(round), answers) {
                let expected = try #require(alone.writer.performTogether([request]).first)
                switch (answer, expected) {
                case (.success(let left), .success(let right)):
                    try #require(
                        left.decision == right.decision && left.positions == right.positions)
                default: try #require(Self.isSame(answer, expected), "\(request): \(answer)")
                }
            }
            try together.snapshot()
            try together.close()
            together = try Ledger.open(folder.path, clock: { Fixtures.now })
        }
        #expect(try together.head().position == (try alone.head().position))
    }
}
