import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Earlier versions named the customer who posted a transaction in its fact, which has the store's date.
@Suite("App Store: claims of an older ledger")
struct OldClaimTests {
    /// What an earlier version made of a transaction that was posted for a customer.
    private static func record(
        _ transaction: SandboxTransaction, for subject: String, _ bench: AppStoreBench
    ) async throws {
        let text = Array(try bench.authority.sign(transaction).utf8)
        // Refused for now, so that the bytes are kept.
        let stranger = try SandboxAuthority(
            seed: Array("stranger".utf8), from: AppStoreBench.now - 400 * AppStoreBench.day,
            until: AppStoreBench.now + 400 * AppStoreBench.day)
        let distrusting = AppStoreVerifier(
            identity: bench.verifier.identity, roots: try AppStoreRoots(der: [stranger.root]))
        _ = try await bench.fixture.ledger.ingest(
            text, by: distrusting, options: IngestOptions(kind: .transaction))
        guard
            case .verified(let statement) = bench.verifier.verify(text, as: .transaction, now: 0)
        else { return }
        let events = try AppStoreMapping(environment: .test).events(of: statement.document)
        var fact = try #require(events.first)
        fact.subject = subject
        fact.source.key = "\(fact.source.key ?? "")/\(subject)"
        fact.extras["raw_sha256"] = .string(Digest.hexadecimal(Digest.sha256(text)))
        try await bench.fixture.ledger.record([fact])
    }

    @Test("Read again, they are claims, dated by when they were recorded")
    func readAgain() async throws {
        let bench = try await AppStoreBench()
        for subject in ["zoe", "adam"] {
            try await Self.record(AppStoreBench.anonymous(), for: subject, bench)
            bench.fixture.clock.now += 1
        }
        // Both have the store's date, so the keys decided.
        #expect(try bench.owner() == "adam")
        // What the same customer hands over once more is still the same claim, signed by whatever bytes.
        let again = try await bench.post(AppStoreBench.anonymous(), by: "adam")
        #expect((again.appended, again.duplicates) == (1, 1))
        var options = ReinterpretOptions()
        options.isApplied = true
        let report = try await bench.fixture.ledger.reinterpret(options)
        #expect(report.changes == [.replaced: 2])
        #expect(try bench.owner() == "zoe")
        #expect(try await bench.fixture.ledger.reinterpret(options).differenceCount == 0)
        #expect(try bench.fixture.ledger.replay().agrees)
    }

    @Test("A consumable that was recorded for several customers, or for none, counts once")
    func consumable() async throws {
        let bench = try await ConsumableTests.bench()
        for subject in ["bob", "ada"] {
            try await Self.record(ConsumableTests.coins(), for: subject, bench)
        }
        try await bench.fixture.ledger.record([
            EventDraft(
                type: .purchaseCompleted, environment: .test, subject: "apple:704",
                occurredAt: AppStoreBench.bought,
                source: EventSource(kind: "apple_asn_v2", key: "n1#transaction"),
                trust: .verified,
                data: [
                    "product": .string(ConsumableTests.pack), "kind": "consumable",
                    "transaction_id": "9", "quantity": 1, "price_milli": 1, "currency": "USD",
                    "starts_at": .integer(AppStoreBench.bought),
                ])
        ])
        let owners = try ["ada", "bob", "apple:704"].filter { try bench.credits($0) == 10 }
        #expect(owners == ["ada"])
        #expect(try bench.owner(of: "apple:9") == "ada")
        try await bench.transfer("apple:9", from: "ada", .to("bob"))
        #expect(try bench.credits("bob") == 10)
        #expect(try bench.credits("ada") == 0)
    }

    @Test("The customer of the token and the one who posted it both find it in their history")
    func histories() async throws {
        let bench = try await ConsumableTests.bench()
        try await Self.record(ConsumableTests.coins(token: "ada"), for: "bob", bench)
        #expect(try bench.owner(of: "apple:9") == "ada")
        for subject in ["ada", "bob"] {
            let history = try bench.fixture.ledger.history(of: subject, environment: .test)
            #expect(
                history.map(\.event.draft.type.rawValue) == ["purchase.completed"], "\(subject)")
        }
    }

    @Test("A redacted bundle keeps the customer who stood in for a buyer")
    func redacted() async throws {
        let bench = try await ConsumableTests.bench()
        try await Self.record(ConsumableTests.coins(), for: "apple:70407040704", bench)
        try await bench.post(ConsumableTests.coins(), by: "bob")
        let bundle = try await bench.fixture.ledger.capture(
            CaptureRequest(
                ["bob"], environment: .test, moment: Moment(at: bench.fixture.clock.now),
                questions: [.init("stories")], isRedacted: true, version: "test"))
        let replayed = try await bundle.ledger()
        let status = try replayed.status(
            of: try #require(bundle.subjects.first), environment: .test,
            moment: Moment(at: bench.fixture.clock.now)
        ).status
        #expect(status.meters.first { $0.name == "stories" }?.granted == 10)
        #expect(!String(decoding: bundle.bytes, as: UTF8.self).contains("7040704"))
    }

    @Test("A customer who stood in for the buyer is the owner until another one is named")
    func standIn() async throws {
        let bench = try await ConsumableTests.bench()
        try await Self.record(ConsumableTests.coins(), for: "apple:704", bench)
        #expect(try bench.owner(of: "apple:9") == "apple:704")
        let receipt = try await bench.post(ConsumableTests.coins(), by: "ada")
        #expect(receipt.claims.map(\.isTheirs) == [true])
        #expect(try bench.credits("ada") == 10)
        #expect(try bench.credits("apple:704") == 0)
    }
}
