import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookStore
import DaybookTesting
import Testing

/// Ids that are UUIDs: the same in capitals and in small letters (RFC 9562 §4), wherever they come from.
@Suite("Ids that are UUIDs")
struct SpelledIDTests {
    private static let lower = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
    private static let upper = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
    private static let mixed = "7e3FB20b-4cdb-47cc-936d-99d65F608138"
    private static let day = LedgerFixture.day

    private static func purchase(_ token: String, uuid: String? = nil) -> SandboxNotification {
        var transaction = AppStoreBench.period()
        transaction.appAccountToken = token
        var notification = AppStoreBench.notification(
            .subscribed, .initialBuy, transaction, AppStoreBench.renewal(),
            signedAt: AppStoreBench.bought)
        notification.uuid = uuid
        return notification
    }

    @Test(
        "An account token is one customer in either letter case", arguments: [lower, upper, mixed])
    func token(_ token: String) async throws {
        let bench = try await AppStoreBench()
        try await bench.take(Self.purchase(token))
        for name in [Self.lower, Self.upper, Self.mixed] {
            #expect(try bench.premium(at: AppStoreBench.now, of: name) == "active+~", "\(name)")
        }
        #expect(try bench.events().allSatisfy { "\($0)".contains(Self.upper) == false })
    }

    @Test(
        "An owner is not told apart from themselves", arguments: [(upper, lower), (lower, upper)])
    func owner(_ token: String, _ poster: String) async throws {
        let bench = try await AppStoreBench()
        try await bench.take(Self.purchase(token))
        var posted = AppStoreBench.period(signedAt: AppStoreBench.now)
        posted.appAccountToken = nil
        let receipt = try await bench.post(posted, by: poster)
        #expect(receipt.claims.map(\.isTheirs) == [true])
        #expect(receipt.claims.map(\.owner) == [Self.lower])
        let status = try bench.fixture.ledger.status(
            of: poster, environment: .test, moment: Moment(at: AppStoreBench.now)
        ).status
        #expect(status.subject == Self.lower)
        #expect(!status.warnings.contains("owned_by_other"))
    }

    @Test("A notification that comes again with its id in capitals is the same one")
    func notification() async throws {
        let bench = try await AppStoreBench()
        let first = try await bench.take(Self.purchase("ada", uuid: Self.lower))
        let head = try bench.fixture.ledger.head().position
        let again = try await bench.take(Self.purchase("ada", uuid: Self.upper))
        #expect(first.refused == [] && again.refused == [])
        #expect(try bench.fixture.ledger.head().position == head)
    }

    // MARK: What they use

    private static func fixture() async throws -> LedgerFixture {
        try await LedgerFixture("magical-stories")
    }

    @Test(
        "One quota, whichever way the id is written, also within one group of commands",
        arguments: [
            [upper, lower, mixed, upper, lower, upper], [upper, upper, upper, lower, lower, lower],
            [mixed, lower, upper, mixed, lower, upper], [lower, lower, lower, mixed, upper, upper],
            [upper, upper, upper, mixed, lower, mixed],
        ])
    func quota(_ names: [String]) async throws {
        let fixture = try await Self.fixture()
        let answers = fixture.ledger.writer.performTogether(
            names.enumerated().map { index, name in
                CommandRequest(
                    .consume(meter: "stories", amount: 1, ref: "s\(index)"), subject: name,
                    key: "k\(index)")
            })
        let used = answers.count { (try? $0.get()) != nil }
        #expect(used == 3)
        for name in [Self.lower, Self.upper, Self.mixed] {
            let meter = try fixture.ledger.status(of: name).status.meters.first {
                $0.name == "stories"
            }
            #expect(meter?.used == 3, "\(name)")
            let uses = try fixture.ledger.history(of: name).count {
                $0.event.draft.type == .usageRecorded
            }
            #expect(uses == 3)
        }
    }

    @Test(
        "The first use in another spelling counts in its receipt, also before one of the same millisecond"
    )
    func firstOfSpelling() async throws {
        let fixture = try await Self.fixture()
        func use(_ name: String, _ key: String) async throws -> Receipt {
            try await fixture.ledger.consume("stories", by: name, ref: key, key: key)
        }
        _ = try await use(Self.lower, "b")
        // Of two events that happened at once the one with the smaller key comes first.
        let receipt = try await use(Self.upper, "a")
        #expect(receipt.decision?.usage?.used == 2)
        #expect(try await use(Self.upper, "a") == receipt)
    }

    @Test("From the event on that names the second spelling, and not before")
    func knownAt() async throws {
        let fixture = try await Self.fixture()
        try await fixture.ledger.consume("stories", by: Self.upper, ref: "a")
        let first = try fixture.ledger.head().position
        try await fixture.ledger.consume("stories", by: Self.lower, ref: "b")
        for name in [Self.lower, Self.upper] {
            let before = try fixture.ledger.status(
                of: name, moment: Moment(knownAt: .position(first))
            ).status
            // The one spelling that was known then, whichever is asked for.
            #expect(before.subject == Self.upper, "\(name)")
            #expect(before.meters.first { $0.name == "stories" }?.used == 1, "\(name)")
            let told = try fixture.ledger.history(
                of: name, moment: Moment(knownAt: .position(first)))
            #expect(told.count == 1)
            let after = try fixture.ledger.status(of: name).status
            #expect(after.subject == Self.lower)
            #expect(after.meters.first { $0.name == "stories" }?.used == 2, "\(name)")
        }
    }

    @Test("It is the same opened again, from a snapshot, and for the second reader")
    func files() async throws {
        let folder = try LedgerFolder()
        func open() throws -> Ledger {
            try Ledger.open(folder.path, clock: { Fixtures.now })
        }
        try await folder.create("magical-stories", clock: { Fixtures.now }).close()
        var ledger = try open()
        try await ledger.consume("stories", by: Self.upper, ref: "a")
        for step in 0..<3 {
            if step == 1 { try await ledger.consume("stories", by: Self.lower, ref: "b") }
            if step == 2 { try await ledger.consume("stories", by: Self.upper, ref: "c") }
            _ = try ledger.snapshot()
            try ledger.close()
            ledger = try open()
            let used = try ledger.status(of: Self.lower).status.meters.first {
                $0.name == "stories"
            }?.used
            #expect(used == Int64(step + 1))
            let findings = try ledger.verify()
            #expect(findings.allSatisfy { $0.isClean }, "\(findings)")
        }
        try ledger.close()
    }

    @Test("An alias of either spelling is one of both, and nothing parts the two")
    func aliases() async throws {
        let fixture = try await Self.fixture()
        try await fixture.ledger.consume("stories", by: Self.upper, ref: "a")
        try await fixture.ledger.consume("stories", by: Self.lower, ref: "b")
        try await fixture.ledger.perform(
            CommandRequest(.alias(to: "user-7"), subject: Self.upper, actor: "support"))
        for name in [Self.lower, Self.upper, "user-7"] {
            #expect(try fixture.ledger.status(of: name).status.subject == "user-7")
        }
        try await fixture.record(
            .reported(
                .subjectUnaliased, at: Fixtures.now, key: "part", subject: Self.upper,
                ["alias": .string(Self.upper), "canonical": .string(Self.lower)]))
        let used = try fixture.ledger.status(of: Self.lower).status.meters.first {
            $0.name == "stories"
        }?.used
        #expect(used == 2)
    }

    @Test("What is no UUID is compared by its bytes")
    func others() async throws {
        let fixture = try await Self.fixture()
        for (index, name) in ["Ada", "ada", Self.lower + "0", Self.upper + "0"].enumerated() {
            try await fixture.ledger.consume("stories", by: name, ref: "r\(index)")
            let used = try fixture.ledger.status(of: name).status.meters.first {
                $0.name == "stories"
            }?.used
            #expect(used == 1, "\(name)")
        }
        #expect(UUIDText.spellings(of: "00000000-0000-0000-0000-000000000000") == nil)
        #expect(UUIDText.spellings(of: "7e3fb20b-4cdb-47cc-936d-99d65f60813g") == nil)
    }
}
