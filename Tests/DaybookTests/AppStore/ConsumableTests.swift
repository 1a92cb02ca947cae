import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookTesting
import Testing

/// A consumable is a lineage by itself, with one owner (rules 6 and 7).
@Suite("App Store: consumables")
struct ConsumableTests {
    static let now = AppStoreBench.now
    static let day = AppStoreBench.day
    static let pack = "com.magicalstories.stories.10"

    /// A ledger whose only way to stories is to buy ten of them.
    static func bench() async throws -> AppStoreBench {
        try await AppStoreBench(replacing: [
            "    period: calendarMonth\n    limit: 3\n    limitsWith:\n      premium: unlimited\n":
                """
                period: lifetime
                limit: 0
                allowsDebt: true

            """,
            "products:\n": """
            products:
              \(pack):
                kind: consumable
                credits: { meter: stories, amount: 10 }

            """,
        ])
    }

    static func coins(
        _ id: String = "9", token: String? = nil, signedAt: Int64 = AppStoreBench.bought
    ) -> SandboxTransaction {
        var coins = AppStoreBench.forever(id, pack, kind: .consumable, signedAt: signedAt)
        coins.appAccountToken = token
        return coins
    }

    static func refund(_ id: String = "9", at instant: Int64 = now) -> SandboxNotification {
        var coins = coins(id, signedAt: instant)
        coins.revokedAt = instant
        return AppStoreBench.notification(.refund, nil, coins, nil, signedAt: instant)
    }

    @Test(
        "Posted for several customers it counts once, for the first of them, whatever their names",
        arguments: [("ada", "bob"), ("bob", "ada"), ("zoe", "adam")], [0, 1] as [Int64])
    func once(_ subjects: (String, String), _ wait: Int64) async throws {
        let bench = try await Self.bench()
        let (first, second) = subjects
        let receipt = try await bench.post(Self.coins(), by: first)
        #expect(
            receipt.claims == [
                .init(lineage: "apple:9", product: Self.pack, owner: first, isTheirs: true)
            ])
        // Even in the same millisecond the one came before the other.
        bench.fixture.clock.now += wait
        let other = try await bench.post(Self.coins(), by: second)
        #expect((other.appended, other.duplicates) == (1, 1))
        #expect(
            other.claims == [
                .init(lineage: "apple:9", product: Self.pack, owner: first, isTheirs: false)
            ])
        #expect(try bench.credits(first) == 10)
        #expect(try bench.credits(second) == 0)
        #expect(try bench.warnings(second) == ["owned_by_other"])
        #expect(try bench.credits(first, at: AppStoreBench.bought) == 10)
        // Posting it once more moves nothing, newly signed or not.
        try await bench.post(Self.coins(signedAt: Self.now), by: second)
        #expect(try bench.credits(first) == 10)
        for copy in try await bench.shuffled() {
            #expect(try copy.credits(first) == 10)
            #expect(try copy.credits(second) == 0)
            // What came with its time is the same claim as what comes without.
            let again = try await copy.post(Self.coins(), by: first)
            #expect((again.appended, again.duplicates, again.refused) == (0, 2, []))
        }
        let history = try bench.fixture.ledger.history(of: second, environment: .test)
        #expect(history.contains { $0.event.draft.type == .purchaseClaimed })
    }

    @Test("The token's customer owns it, no matter which customer posts it and when")
    func token() async throws {
        for tokenComesFirst in [true, false] {
            let bench = try await Self.bench()
            if !tokenComesFirst { try await bench.post(Self.coins(), by: "bob") }
            let receipt = try await bench.post(
                Self.coins(token: "ada", signedAt: Self.now), by: "bob")
            #expect(receipt.claims.map(\.owner) == ["ada"])
            #expect(try bench.credits("ada") == 10)
            #expect(try bench.credits("bob") == 0)
            #expect(try bench.warnings("bob") == ["owned_by_other"])
        }
    }

    @Test("A token that many clients send names no customer, and the first who posts it owns it")
    func junkToken() async throws {
        let bench = try await Self.bench()
        let token = "00000000-0000-0000-0000-000000000000"
        let receipt = try await bench.post(Self.coins(token: token), by: "joe")
        #expect(receipt.claims.map(\.isTheirs) == [true])
        #expect(try bench.credits("joe") == 10)
        #expect(try bench.fixture.ledger.subjects(in: .test) == ["joe"])
    }

    @Test("A refund that a restore hands over is recorded, no matter who restores")
    func restoredRefund() async throws {
        let bench = try await Self.bench()
        try await bench.post(Self.coins(), by: "ada")
        #expect(try bench.credits("ada") == 10)
        var refund = Self.coins(signedAt: Self.now)
        refund.revokedAt = Self.now
        let receipt = try await bench.restore([refund], for: "bob")
        #expect(receipt.outcomes == ["apple:9": .consumable])
        #expect(receipt.appended == 1)
        #expect(try bench.credits("ada") == 0)
        #expect(try bench.credits("bob") == 0)
    }

    @Test("What only a notification told has no owner until a customer posts it")
    func unclaimed() async throws {
        let bench = try await Self.bench()
        try await bench.take(
            AppStoreBench.notification(.oneTimeCharge, nil, Self.coins(), nil, signedAt: Self.now))
        #expect(try bench.owner(of: "apple:9") == nil)
        #expect(try bench.fixture.ledger.subjects(in: .test) == [])
        #expect(try await bench.post(Self.coins(), by: "ada").claims.map(\.isTheirs) == [true])
        #expect(try bench.credits("ada") == 10)
    }

    @Test("A refund finds the credits without a token, also where it comes before the purchase")
    func refunds() async throws {
        for isEarly in [false, true] {
            let bench = try await Self.bench()
            if isEarly { try await bench.take(Self.refund()) }
            try await bench.post(Self.coins(), by: "ada")
            if !isEarly {
                #expect(try bench.credits("ada") == 10)
                try await bench.take(Self.refund())
            }
            #expect(try bench.credits("ada") == 0)
            #expect(try bench.credits("ada", at: Self.now - 1) == 10)
        }
    }

    @Test("A report of a refund that does not say of what finds the credits too")
    func bareRefund() async throws {
        let bench = try await Self.bench()
        try await bench.post(Self.coins(), by: "ada")
        try await bench.fixture.ledger.record([
            EventDraft(
                type: .purchaseRefunded, environment: .test, subject: nil, occurredAt: Self.now,
                source: EventSource(kind: "native", key: "r1"), trust: .imported,
                data: ["transaction_id": "9", "revoked_at": .integer(Self.now)])
        ])
        #expect(try bench.credits("ada") == 0)
    }

    @Test(
        "Of lineages without a token the earlier claim decides, never the alphabet",
        arguments: [("ada", "bob"), ("bob", "ada")])
    func lineages(_ subjects: (String, String)) async throws {
        let bench = try await AppStoreBench()
        let (first, second) = subjects
        let forever = AppStoreBench.forever("7", AppStoreBench.yearly)
        for transaction in [AppStoreBench.anonymous(), forever] {
            try await bench.post(transaction, by: first)
            let other = try await bench.post(transaction, by: second)
            #expect(other.claims.map(\.isTheirs) == [false])
        }
        #expect(try bench.premium(at: Self.now, of: first) == "active+~")
        #expect(try bench.premium(at: Self.now, of: second) == "none")
        for copy in try await bench.shuffled({ try await AppStoreBench() }) {
            #expect(try copy.owner() == first)
            #expect(try copy.owner(of: "apple:7") == first)
        }
    }

    @Test("A claim takes nothing from an owner whom a store named for tomorrow")
    func clockAhead() async throws {
        let bench = try await AppStoreBench()
        let tomorrow = bench.fixture.clock.now + Self.day
        try await bench.fixture.ledger.record([
            EventDraft(
                type: .storeTransactionStated, environment: .test, subject: "mia",
                occurredAt: tomorrow, source: EventSource(kind: "native", key: "m1"),
                trust: .imported,
                data: [
                    "transaction_id": "1001", "product": .string(AppStoreBench.monthly),
                    "starts_at": .integer(tomorrow), "expires_at": .integer(tomorrow + Self.day),
                ])
        ])
        let receipt = try await bench.post(AppStoreBench.anonymous(), by: "ada")
        #expect(receipt.claims.map(\.owner) == ["mia"])
        #expect(try bench.owner() == "mia")
    }

    @Test("A claim to what was transferred leaves the time before the transfer as it was")
    func givenBefore() async throws {
        let bench = try await AppStoreBench()
        try await bench.post(AppStoreBench.anonymous())
        try await bench.fixture.ledger.record([
            EventDraft(
                type: .purchaseTransferred, environment: .test, subject: nil,
                occurredAt: Self.now, source: EventSource(kind: "native", key: "t1"),
                trust: .imported,
                data: ["from": "zoe", "to": "mia", "original_transaction_id": "1001"])
        ])
        try await bench.post(AppStoreBench.anonymous(), by: "ada")
        #expect(try bench.owner(at: Self.now - 1) == nil)
        #expect(try bench.owner(at: Self.now) == "mia")
    }

    // MARK: Handing over

    private func use(_ bench: AppStoreBench, _ amount: Int64, _ subject: String) async throws {
        try await bench.fixture.ledger.consume(
            "stories", amount, by: subject, ref: "\(subject)/\(amount)", environment: .test)
    }

    @Test("A restore leaves it, and says so; support moves what is left, and takes that back")
    func transfer() async throws {
        let bench = try await Self.bench()
        try await bench.post(Self.coins(), by: "ada")
        try await use(bench, 4, "ada")
        let head = try bench.fixture.ledger.head()
        let restored = try await bench.restore([Self.coins()], for: "bob")
        #expect(restored.outcomes == ["apple:9": .consumable])
        #expect(try bench.fixture.ledger.head() == head)
        bench.fixture.clock.now += 1
        let moment = bench.fixture.clock.now
        try await bench.transfer("apple:9", from: "ada", .to("bob"))
        #expect(try bench.credits("ada") == 0)
        #expect(try bench.overage("ada") == 0)
        #expect(try bench.credits("ada", at: moment - 1) == 6)
        #expect(try bench.credits("bob") == 6)
        #expect(try bench.credits("bob", at: moment - 1) == 0)
        bench.fixture.clock.now += 1
        try await use(bench, 1, "bob")
        bench.fixture.clock.now += 1
        try await bench.transfer("apple:9", from: "bob", .undo(isForced: false))
        #expect(try bench.credits("ada") == 5)
        #expect(try bench.overage("ada") == 0)
        #expect(try bench.credits("bob") == 0)
        #expect(try bench.overage("bob") == 0)
        // Each owner gives back a share of what they had of it.
        try await bench.take(Self.refund(at: bench.fixture.clock.now))
        #expect(try bench.credits("ada") == 0)
        #expect(try bench.debt("ada") + bench.debt("bob") == 5)
    }

    @Test("What was used before it was given away, and told later, is used once")
    func lateUse() async throws {
        let bench = try await Self.bench()
        try await bench.post(Self.coins(), by: "ada")
        bench.fixture.clock.now += Self.day
        try await bench.transfer("apple:9", from: "ada", .to("bob"))
        try await bench.fixture.ledger.record([
            EventDraft(
                type: .usageRecorded, environment: .test, subject: "ada", occurredAt: Self.now,
                source: EventSource(kind: "native", key: "late"), trust: .imported,
                data: ["meter": "stories", "amount": 3, "ref": "late"])
        ])
        #expect(try bench.credits("bob") == 10)
        #expect(try bench.overage("ada") == 3)
    }

    @Test("Credits stay when everything that a customer owns is transferred")
    func handover() async throws {
        let bench = try await Self.bench()
        try await bench.post(Self.coins(), by: "ada")
        try await bench.post(AppStoreBench.anonymous(), by: "ada")
        try await bench.fixture.ledger.record([
            EventDraft(
                type: .purchaseTransferred, environment: .test, subject: "ada",
                occurredAt: bench.fixture.clock.now + 1,
                source: EventSource(kind: "revenuecat", key: "evt-1"), trust: .imported,
                data: ["from": "ada", "to": "bob"])
        ])
        bench.fixture.clock.now += 2
        #expect(try bench.owner() == "bob")
        #expect(try bench.owner(of: "apple:9") == "ada")
        #expect(try bench.credits("ada") == 10)
        #expect(try bench.credits("bob") == 0)
    }

    @Test("Law 4: the naive model says the same of credits that several claim, spend and give away")
    func model() async throws {
        let bench = try await Self.bench()
        try await bench.take(Self.refund("10"))
        for (id, subject) in [("9", "bob"), ("9", "ada"), ("10", "ada"), ("11", "zoe")] {
            try await bench.post(Self.coins(id), by: subject)
            bench.fixture.clock.now += 1
        }
        try await use(bench, 4, "bob")
        bench.fixture.clock.now += 1
        try await bench.transfer("apple:9", from: "bob", .to("zoe"))
        bench.fixture.clock.now += 1
        try await use(bench, 13, "zoe")
        try await bench.take(Self.refund("9"))
        let comparison = try ModelComparison(bench.fixture.ledger)
        for cut in 1...Int64(comparison.events.count) {
            let found = try comparison.differences(in: .test, at: comparison.moments, cut: cut)
            #expect(found == [])
        }
    }
}

extension AppStoreBench {
    private func stories(_ subject: String, _ instant: Int64?) throws -> MeterAnswer? {
        try fixture.ledger.status(
            of: subject, environment: .test,
            moment: Moment(at: instant ?? max(fixture.clock.now, Self.now))
        ).status.meters.first { $0.name == "stories" }
    }

    func credits(_ subject: String, at instant: Int64? = nil) throws -> Int64? {
        try stories(subject, instant)?.granted
    }

    func overage(_ subject: String) throws -> Int64? { try stories(subject, nil)?.overage }

    func debt(_ subject: String) throws -> Int64 { try stories(subject, nil)?.debt ?? 0 }

    func warnings(_ subject: String) throws -> [String] {
        try fixture.ledger.status(of: subject, environment: .test).status.warnings
    }

    /// The same events in other ledgers, each time in another order of arrival, the first time backwards.
    func shuffled(
        _ make: () async throws -> AppStoreBench = ConsumableTests.bench
    ) async throws -> [AppStoreBench] {
        var events: [EventDraft] = []
        for position in 2...(try fixture.ledger.head().position) {
            guard let event = try fixture.ledger.event(at: position) else { continue }
            events.append(event.draft)
        }
        let digest = try fixture.ledger.digest().digest
        var random = SplitMix64(seed: 7)
        var copies: [AppStoreBench] = []
        for number in 0..<4 {
            let copy = try await make()
            copy.fixture.clock.now = fixture.clock.now
            let order = number == 0 ? events.reversed() : events.shuffled(using: &random)
            for draft in order { try await copy.fixture.ledger.record([draft]) }
            #expect(try copy.fixture.ledger.digest().digest == digest)
            copies.append(copy)
        }
        return copies
    }
}
