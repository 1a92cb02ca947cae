import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

@Suite("App Store: what is taken in")
struct AppStoreIngestTests {
    static let now = AppStoreBench.now
    static let day = AppStoreBench.day

    private static func fixture(_ transaction: String, kind: AppStoreProductType = .nonConsumable)
        -> SandboxTransaction
    {
        SandboxTransaction(
            bundleID: AppStoreBench.bundleID, productID: "com.dozzi.unlimited_stories",
            type: kind, transactionID: transaction, purchasedAt: now)
    }

    @Test("X-11 The same bytes posted again append nothing; newly signed ones are a new version")
    func twice() async throws {
        let bench = try await AppStoreBench("dozzi")
        let transaction = Self.fixture("7")
        // The purchase, and that ada claims it.
        #expect(try await bench.post(transaction, by: "ada").appended == 2)
        let again = try await bench.post(transaction, by: "ada")
        #expect((again.appended, again.duplicates) == (0, 2))
        var restored = transaction
        restored.signedAt = Self.now + 5
        #expect(try await bench.post(restored, by: "ada").appended == 2)
        let decision = try bench.fixture.ledger.check(
            CheckQuestion("unlimitedStories"), for: "ada", environment: .test,
            moment: Moment(at: Self.now + 1)
        ).decision
        #expect(decision.allowed)
    }

    @Test("A dry run says what would be appended upon all that is there, and appends nothing")
    func dryRun() async throws {
        let bench = try await AppStoreBench("dozzi")
        let ledger = bench.fixture.ledger
        let text = Array(try bench.authority.sign(Self.fixture("7")).utf8)
        func post(isDryRun: Bool) async throws -> IngestReceipt {
            try await ledger.ingest(
                text, by: bench.verifier,
                options: IngestOptions(kind: .transaction, subject: "ada", isDryRun: isDryRun))
        }
        let head = try ledger.head()
        for _ in 0..<2 {
            let dry = try await post(isDryRun: true)
            #expect((dry.texts, dry.appended, dry.duplicates) == (1, 2, 0))
            #expect((dry.firstPosition, dry.lastPosition) == (2, 3))
            #expect(dry.claims.map(\.isTheirs) == [true])
            #expect(try ledger.head() == head)
            #expect(try ledger.rawPayload(sha256: Digest.hexadecimal(Digest.sha256(text))) == nil)
        }
        #expect(try await post(isDryRun: false).appended == 2)
        let again = try await post(isDryRun: true)
        #expect((again.appended, again.duplicates) == (0, 2))
        let refused = try await ledger.ingest(
            Array("x.y.z".utf8), by: bench.verifier, options: IngestOptions(isDryRun: true))
        #expect(refused.refused.count == 1)
        #expect(try ledger.deadLetters().isEmpty)
    }

    @Test("X-07 NZ-24 What is refused changes nothing, is kept whole, and can be tried again")
    func deadLetter() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let stranger = try SandboxAuthority(
            seed: Array("stranger".utf8), from: Self.now - 400 * Self.day,
            until: Self.now + 400 * Self.day)
        let text = Array(try stranger.sign(AppStoreBench.purchase).utf8)
        for _ in 0..<2 {
            let receipt = try await ledger.ingest(text, by: bench.verifier)
            #expect(receipt.refused.map(\.refusal.reason) == [.chain])
            #expect(receipt.appended == 0)
        }
        #expect(try bench.premium(at: Self.now) == "none")
        let deadLetter = try #require(try ledger.deadLetters().first)
        #expect(try ledger.deadLetters().count == 1)
        #expect(deadLetter.code == "chain")
        #expect(try ledger.rawPayload(sha256: deadLetter.sha256) == text)
        let wider = AppStoreVerifier(
            identity: bench.verifier.identity,
            roots: try AppStoreRoots(der: [bench.authority.root, stranger.root]))
        #expect(try await ledger.retry(deadLetter, by: wider).appended == 2)
        #expect(try bench.premium(at: Self.now) == "active+~")
        #expect(try ledger.deadLetters().first?.resolvedAt != nil)
    }

    @Test("DZ-25 A transaction of another product than the customer claims is refused")
    func product() async throws {
        let bench = try await AppStoreBench("dozzi")
        let text = Array(try bench.authority.sign(Self.fixture("7")).utf8)
        func post(_ product: String) async throws -> IngestReceipt {
            try await bench.fixture.ledger.ingest(
                text, by: bench.verifier,
                options: IngestOptions(kind: .transaction, subject: "ada", product: product))
        }
        let wrong = try await post("com.dozzi.all_stories")
        #expect(wrong.refused.map(\.refusal.reason) == [.appIdentity])
        #expect(wrong.refused[0].refusal.detail.contains("com.dozzi.unlimited_stories"))
        #expect(wrong.appended == 0)
        let right = try await post("com.dozzi.unlimited_stories")
        #expect(right.refused.isEmpty && right.appended == 2)
    }

    @Test("A dead letter is kept whatever its reason quotes and whatever source it names")
    func awkwardDeadLetters() async throws {
        let bench = try await AppStoreBench()
        for bundle in ["kim@example.com", String(repeating: "x", count: 5_000), "a\u{1B}b\n"] {
            var transaction = AppStoreBench.period()
            transaction.bundleID = bundle
            let text = Array(try bench.authority.sign(transaction).utf8)
            for subject in [nil, "ada", "kim@example.com", String(repeating: "y", count: 300)] {
                let receipt = try await bench.fixture.ledger.ingest(
                    text, by: bench.verifier,
                    options: IngestOptions(kind: .transaction, subject: subject))
                #expect(receipt.refused.map(\.refusal.reason) == [.appIdentity])
            }
            let deadLetter = try #require(try bench.fixture.ledger.deadLetters().last)
            #expect(try bench.fixture.ledger.rawPayload(sha256: deadLetter.sha256) == text)
        }
        let deadLetters = try bench.fixture.ledger.deadLetters()
        #expect(deadLetters.count == 3)
        #expect(deadLetters.allSatisfy { !$0.detail.contains("kim@") })
    }

    @Test("A renewal alone is believed only of a lineage that a transaction has told of")
    func renewalAlone() async throws {
        let bench = try await AppStoreBench()
        let text = Array(
            try bench.authority.sign(AppStoreBench.renewal(signedAt: Self.now)).utf8)
        let options = IngestOptions(kind: .renewal)
        let first = try await bench.fixture.ledger.ingest(
            text, by: bench.verifier, options: options)
        #expect(first.refused.map(\.refusal.reason) == [.retryable])
        #expect(first.refused[0].refusal.waitsFor == "apple:1001")
        #expect(first.appended == 0)
        let alone = try await AppStoreBench()
        try await alone.post(AppStoreBench.period())
        let known = try await alone.fixture.ledger.ingest(
            text, by: alone.verifier, options: options)
        #expect(known.refused == [])
        #expect(known.appended == 1)
    }

    @Test("Two customers who post the same bytes: the first owns it, the second has a claim")
    func twoClaims() async throws {
        let bench = try await AppStoreBench("dozzi")
        let transaction = Self.fixture("7")
        for subject in ["ada", "bob", "bob"] {
            #expect(try await bench.post(transaction, by: subject).refused == [])
        }
        func check(_ subject: String) throws -> Decision {
            try bench.fixture.ledger.check(
                CheckQuestion("unlimitedStories"), for: subject, environment: .test,
                moment: Moment(at: Self.now + 1)
            ).decision
        }
        #expect(try check("ada").allowed)
        #expect(try !check("bob").allowed)
        #expect(
            try bench.types(after: 1) == [
                "store.transaction_stated", "purchase.claimed", "purchase.claimed",
            ])
    }

    @Test("The bytes of what was taken in are kept once, and its events say which")
    func rawPayload() async throws {
        let bench = try await AppStoreBench()
        try await bench.take(AppStoreBench.purchase)
        var digests: [String] = []
        try bench.fixture.ledger.export(after: 1) { line in
            digests.append(try JSONReader.read(line).object?["raw_sha256"]?.text ?? "")
        }
        #expect(digests.count == 2)
        #expect(Set(digests).count == 1)
        let raw = try #require(try bench.fixture.ledger.rawPayload(sha256: digests[0]))
        let outcome = bench.verifier.verify(raw, as: .notification, now: Self.now)
        guard case .verified = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("An upgraded period ends where its replacement begins, though it was paid for longer")
    func upgraded() async throws {
        let bench = try await AppStoreBench()
        // A year is replaced by a month: what was paid for ends later than what replaced it.
        let year = AppStoreBench.period(
            "1001", AppStoreBench.yearly, to: AppStoreBench.bought + 365 * Self.day)
        try await bench.take(
            AppStoreBench.notification(
                .subscribed, .initialBuy, year, AppStoreBench.renewal(),
                signedAt: AppStoreBench.bought))
        let month = AppStoreBench.period(
            "1002", from: Self.now, to: Self.now + 30 * Self.day, signedAt: Self.now)
        try await bench.take(
            AppStoreBench.notification(
                .didChangeRenewalPref, .upgrade, month, AppStoreBench.renewal(signedAt: Self.now),
                signedAt: Self.now))
        #expect(try bench.premium(at: Self.now + 29 * Self.day) == "active+~")
        #expect(try bench.premium(at: Self.now + 31 * Self.day) == "expired")
        // Months later the store also says it of the old one; nothing changes.
        var replaced = year
        replaced.isUpgraded = true
        replaced.signedAt = Self.now + Self.day
        try await bench.post(replaced)
        #expect(try bench.premium(at: Self.now + 31 * Self.day) == "expired")
    }

    @Test("A refund of an older period leaves the one that runs alone")
    func olderRefund() async throws {
        let bench = try await AppStoreBench()
        try await bench.take(AppStoreBench.purchase)
        let next = AppStoreBench.period(
            "1002", from: AppStoreBench.expires, to: AppStoreBench.expires + 30 * Self.day)
        try await bench.take(
            AppStoreBench.notification(
                .didRenew, nil, next, AppStoreBench.renewal(), signedAt: AppStoreBench.expires - 1))
        var refunded = AppStoreBench.period(signedAt: AppStoreBench.expires + Self.day)
        refunded.revokedAt = AppStoreBench.expires + Self.day
        try await bench.take(
            AppStoreBench.notification(
                .refund, nil, refunded, AppStoreBench.renewal(),
                signedAt: AppStoreBench.expires + Self.day))
        #expect(try bench.premium(at: AppStoreBench.expires + 2 * Self.day) == "active+~")
    }

    @Test("A consumable without a token has no owner until a claim or a restore names one")
    func unknownBuyer() async throws {
        let bench = try await AppStoreBench("dozzi")
        var coins = Self.fixture("9", kind: .consumable)
        coins.appTransactionID = "704"
        let receipt = try await bench.take(
            AppStoreBench.notification(.oneTimeCharge, nil, coins, nil, signedAt: Self.now))
        #expect(receipt.refused == [])
        #expect(try bench.fixture.ledger.subjects(in: .test) == [])
        #expect(try bench.owner(of: "apple:9") == nil)
        #expect(try bench.types(after: 1) == ["purchase.completed"])
    }

    @Test("What Apple may send tomorrow is kept whole and flagged")
    func tomorrow() async throws {
        let bench = try await AppStoreBench()
        var notification = AppStoreBench.notification(
            .test, nil, AppStoreBench.period(), AppStoreBench.renewal(), signedAt: Self.now)
        notification.others = ["notificationType": "TELEPORTED", "subtype": "TWICE", "odd": 7]
        let receipt = try await bench.take(notification)
        #expect(receipt.refused == [])
        let types = try bench.types(after: 1)
        #expect(
            types == [
                "store.transaction_stated", "store.renewal_stated", "ops.unknown_notification",
            ])
        // What is nested in it are facts like any other.
        #expect(try bench.premium(at: Self.now) == "active+~")
    }
}
