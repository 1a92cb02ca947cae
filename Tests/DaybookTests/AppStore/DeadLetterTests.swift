import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Dead letters that can be taken in later, and what becomes of them.
@Suite("App Store: dead letters")
struct DeadLetterTests {
    static let now = AppStoreBench.now

    /// Cancelled, which only the renewal information says.
    private static var renewal: SandboxRenewal {
        var renewal = AppStoreBench.renewal(signedAt: now)
        renewal.willRenew = false
        return renewal
    }

    private static func early(_ bench: AppStoreBench) async throws -> DeadLetter {
        let text = Array(try bench.authority.sign(renewal).utf8)
        let receipt = try await bench.fixture.ledger.ingest(
            text, by: bench.verifier, options: IngestOptions(kind: .renewal))
        #expect(receipt.refused.map(\.refusal.reason) == [.retryable])
        let deadLetter = try #require(try bench.fixture.ledger.deadLetters().last)
        #expect(deadLetter.waitsFor == "apple:1001")
        #expect(deadLetter.isWaiting)
        return deadLetter
    }

    enum Way: CaseIterable, Sendable {
        case posted, transactionHistory, notification, restored
    }

    @Test(
        "A renewal that came before its transaction is taken in with it, whichever way that comes",
        arguments: Way.allCases)
    func early(way: Way) async throws {
        let bench = try await AppStoreBench()
        let deadLetter = try await Self.early(bench)
        // A transaction of another lineage resolves nothing.
        var other = AppStoreBench.period("2001")
        other.originalTransactionID = "2001"
        other.appAccountToken = "bob"
        #expect(try await bench.post(other).retried == [])
        #expect(try bench.fixture.ledger.deadLetters().map(\.isWaiting) == [true])
        let ledger = bench.fixture.ledger
        switch way {
        case .posted:
            let receipt = try await bench.post(AppStoreBench.period())
            #expect(receipt.retried == [deadLetter.sha256])
            #expect((receipt.appended, receipt.refused.count) == (2, 0))
        case .transactionHistory:
            let text = JSONValue.string(try bench.authority.sign(AppStoreBench.period()))
            let page: JSONObject = ["signedTransactions": [text]]
            let receipt = try await ledger.ingest(page.canonicalBytes, by: bench.verifier)
            #expect(receipt.retried == [deadLetter.sha256])
        case .notification:
            let receipt = try await bench.take(AppStoreBench.purchase)
            #expect(receipt.retried == [deadLetter.sha256])
        case .restored:
            let receipt = try await bench.restore([AppStoreBench.period()], for: "ada")
            #expect(receipt.refused == [])
            #expect(receipt.retried == [deadLetter.sha256])
        }
        #expect(try bench.premium(at: Self.now) == "active_canceling+")
        #expect(try ledger.deadLetters().map(\.isWaiting) == [false])
        #expect(try ledger.deadLetters()[0].resolvedAt != nil)
        // Once.
        #expect(try await bench.post(AppStoreBench.period(signedAt: Self.now + 1)).retried == [])
        let told = try bench.types(after: 0).count { $0 == "store.renewal_stated" }
        #expect(told == (way == .notification ? 2 : 1))
    }

    @Test("A renewal that was refused for something else first waits for its transaction too")
    func otherReason() async throws {
        struct NoNetwork: Error {}
        let bench = try await AppStoreBench()
        let authority = try SandboxAuthority(
            seed: Array("asked".utf8), from: Self.now - 400 * AppStoreBench.day,
            until: Self.now + 400 * AppStoreBench.day, flaw: nil,
            responder: "http://127.0.0.1:9/ocsp")
        let roots = try AppStoreRoots(der: [authority.root])
        let asking = AppStoreVerifier(
            identity: bench.verifier.identity, roots: roots,
            revocation: AppStoreRevocation { _, _ in throw NoNetwork() })
        let offline = AppStoreVerifier(identity: bench.verifier.identity, roots: roots)
        let ledger = bench.fixture.ledger
        let refused = try await ledger.ingest(
            Array(try authority.sign(Self.renewal).utf8), by: asking,
            options: IngestOptions(kind: .renewal))
        #expect(refused.refused.map(\.refusal.reason) == [.retryable])
        let deadLetter = try #require(try ledger.deadLetters().last)
        #expect(deadLetter.waitsFor == nil)
        let receipt = try await ledger.ingest(
            Array(try authority.sign(AppStoreBench.period()).utf8), by: offline,
            options: IngestOptions(kind: .transaction))
        #expect(receipt.retried == [deadLetter.sha256])
        #expect(try ledger.deadLetters().map(\.isWaiting) == [false])
        #expect(try bench.premium(at: Self.now) == "active_canceling+")
    }

    @Test("A dead letter that another process kept is found when the transaction comes")
    func otherProcess() async throws {
        let folder = try LedgerFolder()
        let path = folder.path
        let bench = try await AppStoreBench()
        let clock: @Sendable () -> Int64 = { Self.now }
        let first = try Ledger.createEmpty(
            at: path, app: "magical-stories", clock: clock)
        let second = try Ledger.open(path, clock: clock)
        // Looked for before there was one.
        let before = Array(try bench.authority.sign(AppStoreBench.period()).utf8)
        var other = AppStoreBench.period("2001")
        other.originalTransactionID = "2001"
        let options = IngestOptions(kind: .transaction)
        _ = try await second.ingest(
            Array(try bench.authority.sign(other).utf8), by: bench.verifier, options: options)
        _ = try await first.ingest(
            Array(try bench.authority.sign(Self.renewal).utf8), by: bench.verifier,
            options: IngestOptions(kind: .renewal))
        let receipt = try await second.ingest(before, by: bench.verifier, options: options)
        #expect(receipt.retried.count == 1)
        #expect(try first.deadLetters().map(\.isWaiting) == [false])
        try first.close()
        try second.close()
    }

    @Test("The same bytes taken in later resolve their dead letters, in other environments too")
    func laterIngest() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let text = Array(try bench.authority.sign(AppStoreBench.purchase).utf8)
        for environment in [Environment.sandbox, .test] {
            let otherApp = AppStoreVerifier(
                identity: AppStoreIdentity(bundleIDs: ["com.other"], environment: environment),
                roots: try AppStoreRoots(der: [bench.authority.root]))
            #expect(try await ledger.ingest(text, by: otherApp).refused.count == 1)
        }
        #expect(try ledger.deadLetters().map(\.isWaiting) == [true, true])
        #expect(Set(try ledger.deadLetters().map(\.sha256)).count == 1)
        #expect(try await ledger.ingest(text, by: bench.verifier).refused == [])
        #expect(try ledger.deadLetters().map(\.isWaiting) == [false, false])
    }

    @Test("A dead letter of the wrong environment is resolved by a retry in the right one")
    func wrongEnvironment() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let text = Array(try bench.authority.sign(AppStoreBench.purchase).utf8)
        let sandbox = AppStoreVerifier(
            identity: AppStoreIdentity(
                bundleIDs: [AppStoreBench.bundleID], environment: .sandbox),
            roots: try AppStoreRoots(der: [bench.authority.root]))
        _ = try await ledger.ingest(text, by: sandbox)
        let deadLetter = try #require(try ledger.deadLetters().first)
        #expect(deadLetter.environment == .sandbox)
        #expect(try await ledger.retry(deadLetter, by: bench.verifier).refused == [])
        #expect(try ledger.deadLetters().map(\.isWaiting) == [false])
    }

    @Test("What is put away waits no more, keeps its reason, and can still be tried")
    func dismissed() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let deadLetter = try await Self.early(bench)
        for reason in ["", " \n"] {
            let error = try await problem {
                try await ledger.dismiss(deadLetter, reason: reason)
            }
            #expect(error == "missing_reason")
        }
        try await ledger.dismiss(deadLetter, reason: "another app's", actor: "kim")
        let put = try #require(try ledger.deadLetters().first)
        #expect(!put.isWaiting)
        #expect((put.dismissal?.reason, put.dismissal?.actor) == ("another app's", "kim"))
        #expect(try ledger.doctor(environment: .test).allSatisfy { $0.code != "dead_letters" })
        // It is no longer retried by itself, only on request.
        #expect(try await bench.post(AppStoreBench.period()).retried == [])
        #expect(try await ledger.retry(put, by: bench.verifier).refused == [])
        #expect(try ledger.deadLetters()[0].resolvedAt != nil)
    }

    @Test("What was posted is kept whole, with its envelope; a text of a page is tried alone")
    func wholePayload() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let stranger = try SandboxAuthority(
            seed: Array("stranger".utf8), from: Self.now - 400 * AppStoreBench.day,
            until: Self.now + 400 * AppStoreBench.day)
        let good = try bench.authority.sign(AppStoreBench.period())
        let bad = try stranger.sign(
            AppStoreBench.period(
                "1002", from: AppStoreBench.expires,
                to: AppStoreBench.expires + 30 * AppStoreBench.day))
        let payload = Array(
            #"{ "signedTransactions": [ "\#(good)", "\#(bad)" ], "hasMore": false }"#.utf8)
        let receipt = try await ledger.ingest(payload, by: bench.verifier)
        #expect(receipt.refused.map(\.place) == ["signedTransactions[1]"])
        let deadLetter = try #require(try ledger.deadLetters().first)
        #expect(deadLetter.sha256 == Digest.hexadecimal(Digest.sha256(Array(bad.utf8))))
        #expect(deadLetter.place == "signedTransactions[1]")
        #expect(try ledger.rawPayload(sha256: deadLetter.payloadSHA256) == payload)
        let wider = AppStoreVerifier(
            identity: bench.verifier.identity,
            roots: try AppStoreRoots(der: [bench.authority.root, stranger.root]))
        let retried = try await ledger.retry(deadLetter, by: wider)
        #expect((retried.texts, retried.appended, retried.refused.count) == (1, 1, 0))
    }

    @Test("What was posted as something else is tried as what it is")
    func wrongKind() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let text = Array(try bench.authority.sign(AppStoreBench.period()).utf8)
        let receipt = try await ledger.ingest(text, by: bench.verifier)
        #expect(receipt.refused.map(\.refusal.reason) == [.format])
        let deadLetter = try #require(try ledger.deadLetters().first)
        #expect(try await ledger.retry(deadLetter, by: bench.verifier).refused.count == 1)
        #expect(
            try await ledger.retry(deadLetter, by: bench.verifier, as: .transaction).refused == [])
        #expect(try ledger.deadLetters().map(\.isWaiting) == [false])
        #expect(try bench.premium(at: Self.now) == "active+~")
    }

    private func problem(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch let error as LedgerError {
            return error.code
        }
    }
}
