import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookTesting
import Testing

@Suite("App Store: restores")
struct RestoreTests {
    static let now = AppStoreBench.now
    static let day = AppStoreBench.day
    static let expires = AppStoreBench.expires

    @Test("X-11 MS-63 A device hands over everything, and a second restore appends nothing")
    func twice() async throws {
        let bench = try await AppStoreBench()
        let device = [
            AppStoreBench.anonymous(),
            AppStoreBench.anonymous("1002", from: Self.expires, to: Self.expires + 30 * Self.day),
        ]
        let receipt = try await bench.restore(device, for: "ada")
        #expect(receipt.outcomes == ["apple:1001": .restored])
        #expect((receipt.texts, receipt.appended, receipt.duplicates) == (2, 4, 0))
        #expect(receipt.change(of: "ada") == "none → active+")
        #expect(receipt.lineages[0].ownerBefore == nil)
        #expect(receipt.lineages[0].ownerAfter == "ada")
        #expect(receipt.lineages[0].source?.state == .active)
        let head = try bench.fixture.ledger.head()
        let again = try await bench.restore(device, for: "ada")
        #expect(again.outcomes == ["apple:1001": .alreadyYours])
        #expect((again.appended, again.duplicates) == (0, 4))
        #expect(again.change(of: "ada") == "active+ → active+")
        #expect(try bench.fixture.ledger.head() == head)
        // Newly signed, it is a new version of what is known.
        let later = try await bench.restore(
            [AppStoreBench.anonymous(signedAt: Self.now)], for: "ada")
        #expect((later.appended, later.duplicates) == (2, 0))
    }

    @Test("A dry run of an unknown lineage leaves nothing behind for later customers")
    func dryRunThenNewcomers() async throws {
        let bench = try await AppStoreBench()
        _ = try await bench.restore([AppStoreBench.anonymous()], for: "ada", isDryRun: true)
        let ledger = bench.fixture.ledger
        // They get the numbers of streams that the dry run had given to its lineage.
        for subject in ["bob", "cleo", "dora"] {
            for number in 0..<3 {
                try await ledger.record([
                    .used(
                        "stories", at: Self.now + Int64(number), ref: "\(subject)-\(number)",
                        subject: subject)
                ])
            }
            #expect(try ledger.check("stories", for: subject).usage?.used == 3, "\(subject)")
        }
        let report = try ledger.replay()
        #expect(report.agrees && report.differences.isEmpty)
    }

    @Test("NZ-16 A device that has nothing restores nothing, and nothing is appended")
    func nothing() async throws {
        let bench = try await AppStoreBench("nuzzle")
        let head = try bench.fixture.ledger.head()
        for payloads in [[], [Array(#"{"signedTransactions":[]}"#.utf8)]] {
            let receipt = try await bench.restore(payloads, for: "ada")
            #expect(receipt.lineages == [])
            #expect(receipt.refused == [])
            #expect(receipt.change(of: "ada", "pro") == "none → none")
        }
        #expect(try bench.fixture.ledger.head() == head)
    }

    @Test(
        "E51 A page of transactions and renewals is restored whole; a renewal alone is not believed"
    )
    func pages() async throws {
        let bench = try await AppStoreBench()
        let renewal = try bench.authority.sign(AppStoreBench.renewal())
        let alone = try await bench.restore([Array(renewal.utf8)], for: "ada", as: .renewal)
        #expect(alone.refused.map(\.refusal.reason) == [.retryable])
        #expect(alone.lineages == [])
        let page: JSONObject = [
            "data": [
                [
                    "lastTransactions": [
                        [
                            "signedTransactionInfo": .string(
                                try bench.authority.sign(AppStoreBench.anonymous())),
                            "signedRenewalInfo": .string(renewal),
                        ]
                    ]
                ]
            ]
        ]
        let receipt = try await bench.restore([page.canonicalBytes], for: "ada")
        #expect(receipt.refused == [])
        #expect(receipt.appended == 4)
        #expect(receipt.outcomes == ["apple:1001": .restored])
        #expect(try bench.premium(at: Self.now) == "active+~")
    }

    @Test("A payload that is refused is kept and leaves the others alone; a dry run keeps nothing")
    func refusedText() async throws {
        let bench = try await AppStoreBench()
        var stranger = AppStoreBench.anonymous("2001")
        stranger.originalTransactionID = "2001"
        stranger.bundleID = "com.example.other"
        let device = try bench.texts([stranger, AppStoreBench.anonymous()])
        let dryRun = try await bench.restore(device, for: "ada", isDryRun: true)
        #expect(dryRun.refused.map(\.refusal.reason) == [.appIdentity])
        #expect(try bench.fixture.ledger.deadLetters() == [])
        let receipt = try await bench.restore(device, for: "ada")
        #expect(receipt.outcomes == ["apple:1001": .restored])
        #expect(receipt.refused == dryRun.refused)
        let deadLetter = try #require(try bench.fixture.ledger.deadLetters().first)
        #expect(deadLetter.subject == "ada")
        #expect(try bench.fixture.ledger.rawPayload(sha256: deadLetter.sha256) == device[0])
    }

    @Test("A consumable is a credit of its buyer and is never restored")
    func consumable() async throws {
        let bench = try await AppStoreBench("dozzi")
        let coins = AppStoreBench.forever("9", "coins", kind: .consumable)
        let receipt = try await bench.restore(
            [coins, AppStoreBench.forever("7")], for: "ada")
        #expect(receipt.outcomes == ["apple:9": .consumable, "apple:7": .restored])
        // What the store signed is kept, and claimed for no customer.
        #expect(receipt.appended == 3)
        #expect(
            try bench.types(after: 1) == [
                "purchase.completed", "store.transaction_stated", "purchase.claimed",
            ])
    }

    @Test("E48 What an anonymous customer posted is there on the second device, without a transfer")
    func anonymousToKnown() async throws {
        let bench = try await AppStoreBench()
        let device = [AppStoreBench.anonymous()]
        try await bench.post(device[0], by: "device-1")
        #expect(try bench.premium(at: Self.now, of: "device-1") == "active+~")
        try await bench.alias("device-1", to: "ada")
        for subject in ["ada", "device-1"] {
            let receipt = try await bench.restore(
                [AppStoreBench.anonymous(signedAt: Self.now)], for: subject)
            #expect(receipt.outcomes == ["apple:1001": .alreadyYours])
            #expect(receipt.lineages[0].ownerBefore == "ada")
            #expect(try bench.premium(at: Self.now) == "active+~")
        }
        // On the second device the customer was anonymous first, too.
        let second = try await bench.restore(device, for: "device-2")
        #expect(second.outcomes == ["apple:1001": .ownedByOther])
        try await bench.alias("device-2", to: "ada")
        #expect(
            try await bench.restore(device, for: "device-2").outcomes
                == ["apple:1001": .alreadyYours])
        #expect(try !bench.types(after: 1).contains("purchase.transferred"))
        #expect(try bench.premium(at: Self.now) == "active+~")
    }

    @Test(
        "E47 A family member's own transaction waits until a device hands it over; REVOKE ends it")
    func family() async throws {
        let bench = try await AppStoreBench(replacing: [
            "    referenceName: Premium Monthly":
                "    familyShareable: true\n    referenceName: Premium Monthly"
        ])
        var share = AppStoreBench.anonymous()
        share.ownership = .familyShared
        try await bench.take(
            AppStoreBench.notification(
                .subscribed, .initialBuy, share, AppStoreBench.renewal(),
                signedAt: AppStoreBench.bought))
        #expect(try bench.owner() == nil)
        let receipt = try await bench.restore([share], for: "bea")
        #expect(receipt.outcomes == ["apple:1001": .restored])
        #expect(receipt.lineages[0].source?.kind == .family)
        #expect(try bench.premium(at: Self.now, of: "bea") == "active+~")
        share.revokedAt = Self.now
        share.signedAt = Self.now
        share.revocationType = .familyRevoke
        try await bench.take(
            AppStoreBench.notification(
                .revoke, nil, share, AppStoreBench.renewal(), signedAt: Self.now))
        #expect(try bench.premium(at: Self.now - 1, of: "bea") == "active+~")
        #expect(try bench.premium(at: Self.now, of: "bea") == "revoked")
    }

    @Test(
        "E53 A token makes its customer the owner, no matter who restores and whether known before")
    func token() async throws {
        let bench = try await AppStoreBench(transfer: "keep")
        var device = AppStoreBench.anonymous()
        device.appAccountToken = "cleo"
        let receipt = try await bench.restore([device], for: "ada")
        #expect(receipt.outcomes == ["apple:1001": .ownedByOther])
        #expect(receipt.lineages[0].ownerAfter == "cleo")
        #expect(receipt.change(of: "cleo") == "none → active+")
        #expect(try bench.premium(at: Self.now, of: "cleo") == "active+~")
        #expect(try bench.premium(at: Self.now) == "none")
        #expect(
            try await bench.restore([device], for: "cleo").outcomes
                == ["apple:1001": .alreadyYours])
    }

    @Test("A token that is told later gives the lineage to its customer, without a transfer")
    func laterToken() async throws {
        let bench = try await AppStoreBench(transfer: "keep")
        try await bench.restore([AppStoreBench.anonymous()], for: "bea")
        var device = AppStoreBench.anonymous(signedAt: Self.now)
        device.appAccountToken = "ada"
        let receipt = try await bench.restore([device], for: "ada")
        #expect(receipt.outcomes == ["apple:1001": .restored])
        #expect(receipt.lineages[0].ownerBefore == "bea")
        #expect(receipt.change(of: "bea") == "active+ → none")
        #expect(try !bench.types(after: 1).contains("purchase.transferred"))
    }

    @Test(
        "E52 Names that mean no customer, and more payloads than a device has, are bad input",
        arguments: ["null", "0", "guest", "kim@example.com", "", "a\nb"])
    func junk(_ name: String) async throws {
        let bench = try await AppStoreBench()
        let head = try bench.fixture.ledger.head()
        let code = try await bench.refusal {
            try await bench.restore([AppStoreBench.anonymous()], for: name)
        }
        #expect(code != nil)
        #expect(try bench.fixture.ledger.head() == head)
    }

    @Test("More texts than a device has are refused whole")
    func tooMany() async throws {
        let bench = try await AppStoreBench()
        let text = JSONValue.string(try bench.authority.sign(AppStoreBench.anonymous()))
        func page(_ count: Int) -> [UInt8] {
            JSONObject([
                .init(
                    name: "signedTransactions", value: .array(Array(repeating: text, count: count)))
            ]).canonicalBytes
        }
        let half = Ledger.restoredTextCountMax / 2
        let code = try await bench.refusal {
            _ = try await bench.restore([page(half), page(half + 1)], for: "ada")
        }
        #expect(code == "too_large")
        #expect(try bench.fixture.ledger.head().position == 1)
        let fits = try await bench.restore([page(half), page(half)], for: "ada")
        #expect((fits.appended, fits.duplicates) == (2, 2 * (Ledger.restoredTextCountMax - 1)))
    }

    @Test("Where unknown customers are refused, a restore makes none")
    func unknownCustomer() async throws {
        let bench = try await AppStoreBench(replacing: [
            "transfer: transferIfInactive":
                "transfer: transferIfInactive\n  refusesUnknownSubjects: true"
        ])
        let code = try await bench.refusal {
            try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        }
        #expect(code == "not_found")
        #expect(try bench.fixture.ledger.head().position == 1)
    }

    @Test("A claim that a correction took back is not renewed by the same words")
    func voidedClaim() async throws {
        let bench = try await AppStoreBench()
        let device = [AppStoreBench.anonymous()]
        try await bench.restore(device, for: "ada")
        try await bench.fixture.ledger.perform(
            CommandRequest(
                .voidEvent(
                    source: "apple_jws", key: "1001@\(AppStoreBench.bought)/ada"),
                subject: "ada", environment: .test, actor: "kim", reason: "wrong customer",
                ticket: "77"))
        #expect(try bench.owner() == nil)
        let receipt = try await bench.restore(device, for: "ada")
        #expect(receipt.outcomes == ["apple:1001": .claimVoided])
        #expect(try bench.owner() == nil)
    }
}
