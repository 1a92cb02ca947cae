import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// Which purchase replaces which (docs/app-store.md#what-replaces-what): lives of one lineage, told by signed
/// notifications in every order, and with each of them left out in turn.
///
/// What is expected was worked out by hand, from what the notifications that are left say of each transaction.
@Suite("App Store: what replaces what")
struct ReplacementTests {
    private static let day = LedgerFixture.day
    private static let start = Fixtures.now - 390 * day
    private static let bundleID = "com.example.plans"

    /// One notification of a life; times in days since its beginning.
    struct Notice: Sendable {
        var type: AppStoreNotificationType
        var subtype: AppStoreNotificationSubtype?
        var transaction: String
        var product: String
        var from: Double
        var until: Double
        var reason: AppStoreTransactionReason?
        var signed: Double
        var change: @Sendable (inout SandboxTransaction, inout SandboxRenewal) -> Void = { _, _ in }

        init(
            _ type: AppStoreNotificationType, _ subtype: AppStoreNotificationSubtype? = nil,
            _ transaction: String, _ product: String, _ from: Double, _ until: Double,
            _ reason: AppStoreTransactionReason?, signed: Double? = nil,
            _ change: @escaping @Sendable (inout SandboxTransaction, inout SandboxRenewal) -> Void =
                { _, _ in }
        ) {
            self.type = type
            self.subtype = subtype
            self.transaction = transaction
            self.product = product
            self.from = from
            self.until = until
            self.reason = reason
            self.signed = signed ?? from
            self.change = change
        }
    }

    struct Life: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var notices: [Notice]
        /// When each product gives access, in days, such as `basic 0-10, pro 10-40`: with all notices, and without the
        /// first, the second and so on.
        var expected: [String]
    }

    static func instant(_ days: Double) -> Int64 { start + Int64(days * Double(day)) }

    // MARK: The table

    @Test("Each life, in every order, without each notice in turn", arguments: lives)
    func table(life: Life) async throws {
        try #require(life.expected.count == life.notices.count + 1)
        let payloads = try life.notices.map { try Self.payload($0) }
        for (omitted, expected) in ([nil] + life.notices.indices.map(Optional.some)).enumerated() {
            let told = payloads.indices.filter { $0 != expected }
            var digests: Set<String> = []
            for order in Self.permutations(told) {
                let fixture = try await Self.ledger()
                for index in order {
                    let receipt = try await fixture.ledger.ingest(
                        payloads[index], by: Self.verifier)
                    #expect(receipt.refused == [])
                }
                try Self.compare(fixture, with: life.expected[omitted], of: life, "\(order)")
                digests.insert("\(try fixture.ledger.digest())")
            }
            #expect(digests.count == 1, "without \(expected.map(String.init) ?? "nothing")")
        }
    }

    /// Asks at every time that any expectation of the life names, and just before it.
    private static func compare(
        _ fixture: LedgerFixture, with expected: String, of life: Life, _ order: String
    ) throws {
        let periods = stretches(expected)
        let edges = Set(life.expected.flatMap { stretches($0).flatMap { [$0.from, $0.until] } })
        for edge in edges.sorted() {
            for time in [instant(edge) - 1, instant(edge)] {
                let active = try products(fixture, at: time, in: .test)
                let wanted = Set(
                    periods.filter { instant($0.from) <= time && time < instant($0.until) }
                        .map(\.product))
                #expect(
                    active == wanted,
                    "\(expected) in the order \(order), \(Double(time - start) / Double(day))")
            }
        }
    }

    private static func stretches(
        _ text: String
    ) -> [(product: String, from: Double, until: Double)] {
        text.split(separator: ", ").map { part in
            let words = part.split { $0 == " " || $0 == "-" }
            return (String(words[0]), Double(words[1]) ?? .nan, Double(words[2]) ?? .nan)
        }
    }

    private static func permutations(_ items: [Int]) -> [[Int]] {
        if items.count < 2 { return [items] }
        return items.flatMap { first in
            permutations(items.filter { $0 != first }).map { [first] + $0 }
        }
    }

    // MARK: What is signed

    private static let authority: SandboxAuthority = {
        do {
            return try SandboxAuthority(
                seed: Array("plans".utf8), from: start - 10 * day, until: start + 800 * day)
        } catch { preconditionFailure("The authority cannot be made: \(error).") }
    }()

    private static let verifier: AppStoreVerifier = {
        do {
            return AppStoreVerifier(
                identity: AppStoreIdentity(bundleIDs: [bundleID], environment: .test),
                roots: try AppStoreRoots(der: [authority.root]))
        } catch { preconditionFailure("The root cannot be read: \(error).") }
    }()

    private static func payload(_ notice: Notice) throws -> [UInt8] {
        var transaction = SandboxTransaction(
            bundleID: bundleID, productID: notice.product, type: .autoRenewable,
            transactionID: notice.transaction, purchasedAt: instant(notice.from))
        transaction.originalTransactionID = "1"
        transaction.expiresAt = instant(notice.until)
        transaction.signedAt = instant(notice.signed)
        transaction.appAccountToken = "ada"
        transaction.reason = notice.reason
        if notice.reason == nil { transaction.others = ["transactionReason": .null] }
        var renewal = SandboxRenewal(
            originalTransactionID: "1", productID: notice.product, signedAt: instant(notice.signed))
        renewal.willRenew = notice.type != .expired && notice.subtype != .autoRenewDisabled
        notice.change(&transaction, &renewal)
        var notification = SandboxNotification(
            type: notice.type, bundleID: bundleID, signedAt: instant(notice.signed))
        notification.subtype = notice.subtype
        notification.transaction = transaction
        notification.renewal = renewal
        let envelope: JSONObject = ["signedPayload": .string(try authority.sign(notification))]
        return envelope.canonicalBytes
    }

    private static let catalog = """
        app: plans
        title: Plans
        groups: [Plans]
        policies:
          clientAssertedHours: 48
        products:
          basic: { kind: autoRenewable, group: Plans, level: 3, period: P1M, familyShareable: true, entitlements: [basic] }
          other: { kind: autoRenewable, group: Plans, level: 3, period: P1M, entitlements: [basic] }
          pro: { kind: autoRenewable, group: Plans, level: 1, period: P1M, familyShareable: true, entitlements: [pro] }
          year: { kind: autoRenewable, group: Plans, level: 2, period: P1Y, entitlements: [pro] }
        entitlements:
          basic: [reading]
          pro: [reading, writing]
        features:
          reading: {}
          writing: {}
        """

    private static func ledger() async throws -> LedgerFixture {
        try await LedgerFixture("plans", document: Array(catalog.utf8))
    }

    // MARK: What else the rule says

    private static func lineage(_ product: String, trust: Trust = .verified) -> LineageFixture {
        LineageFixture("1", product: product, trust: trust)
    }

    private static func products(_ fixture: LedgerFixture, at days: Double) throws -> Set<String> {
        try products(fixture, at: instant(days), in: .production)
    }

    /// The products that give access.
    private static func products(
        _ fixture: LedgerFixture, at time: Int64, in environment: Environment
    ) throws -> Set<String> {
        let status = try fixture.ledger.status(
            of: fixture.subject, environment: environment, moment: Moment(at: time)
        ).status
        return Set(
            status.entitlements.flatMap(\.candidates).filter(\.isActive).compactMap(\.product))
    }

    @Test("Voiding only the event of a product change changes no answer; voiding the purchase does")
    func voided() async throws {
        let fixture = try await Self.ledger()
        let change = Self.lineage("pro").event(
            .subscriptionProductChanged, at: Self.instant(29.5),
            ["from": "basic", "to": "pro", "effective": "now"])
        let bought = Self.lineage("pro").stated(
            "2", from: Self.instant(29.5), until: Self.instant(59.5),
            signedAt: Self.instant(29.5), ["transaction_reason": "purchase"])
        try await fixture.record(
            Self.lineage("basic").started("1", from: Self.instant(0), until: Self.instant(30)),
            change, bought)
        #expect(try Self.products(fixture, at: 29.6) == ["pro"])
        try await fixture.perform(
            .voidEvent(source: change.source.kind, key: change.source.key ?? ""))
        #expect(try Self.products(fixture, at: 29.6) == ["pro"])
        #expect(try Self.products(fixture, at: 29.4) == ["basic"])
        try await fixture.perform(
            .voidEvent(source: bought.source.kind, key: bought.source.key ?? ""))
        #expect(try Self.products(fixture, at: 29.6) == ["basic"])
    }

    @Test("What only a client says replaces nothing that the store said")
    func provisional() async throws {
        let fixture = try await Self.ledger()
        let claim = Self.lineage("pro", trust: .clientAsserted)
        try await fixture.record(
            Self.lineage("basic").started("1", from: Self.instant(0), until: Self.instant(30)),
            claim.started("2", from: Self.instant(10), until: Self.instant(40)))
        #expect(try Self.products(fixture, at: 11) == ["basic", "pro"])
        #expect(try Self.products(fixture, at: 13) == ["basic"])
        try await fixture.record(
            Self.lineage("pro").started(
                "2", from: Self.instant(10), until: Self.instant(40), signedAt: Self.instant(12)))
        #expect(try Self.products(fixture, at: 11) == ["pro"])
    }

    @Test("Replaced by an unknown purchase: it keeps its end, with a warning")
    func unknownSuccessor() async throws {
        let fixture = try await Self.ledger()
        try await fixture.record(
            Self.lineage("basic").stated(
                "1", from: Self.instant(0), until: Self.instant(30), signedAt: Self.instant(11),
                ["is_upgraded": true]))
        #expect(try Self.products(fixture, at: 29) == ["basic"])
        #expect(try fixture.status(at: Self.instant(29)).warnings == ["unknown_successor"])
        try await fixture.record(
            Self.lineage("pro").stated(
                "2", from: Self.instant(10), until: Self.instant(40), signedAt: Self.instant(10)))
        #expect(try Self.products(fixture, at: 29) == ["pro"])
        #expect(try fixture.status(at: Self.instant(29)).warnings == [])
    }

    @Test("A statement that leaves the reason out takes nothing back of what another said")
    func laterStatement() async throws {
        let fixture = try await Self.ledger()
        try await fixture.record(
            Self.lineage("pro").started("1", from: Self.instant(0), until: Self.instant(30)),
            Self.lineage("basic").renewed(
                "2", from: Self.instant(20), until: Self.instant(60), signedAt: Self.instant(20),
                ["transaction_reason": "renewal"]))
        #expect(try Self.products(fixture, at: 25) == ["pro"])
        try await fixture.record(
            Self.lineage("basic").stated(
                "2", from: Self.instant(20), until: Self.instant(60), signedAt: Self.instant(50)))
        #expect(try Self.products(fixture, at: 25) == ["pro"])
        #expect(try Self.products(fixture, at: 31) == ["basic"])
    }

    @Test("A ledger of an earlier version learns the reason from the payloads that it keeps")
    func olderLedger() async throws {
        let fixture = try await Self.ledger()
        for notice in [
            Notice(.subscribed, .initialBuy, "1", "basic", 0, 30, .purchase),
            Notice(.expired, .voluntary, "2", "pro", 29.5, 59.5, .purchase, signed: 59.5),
        ] {
            _ = try await fixture.ledger.ingest(Self.payload(notice), by: Self.verifier)
        }
        let time = Self.instant(29.75)
        #expect(try Self.products(fixture, at: time, in: .test) == ["pro"])
        // As it was recorded before the vocabulary had the member.
        let older = ReinterpretTests.mapping { drafts in
            for index in drafts.indices { drafts[index].data["transaction_reason"] = nil }
        }
        let back = try await ReinterpretTests.apply(fixture.ledger, older)
        #expect(back.differences.count == 2)
        #expect(try Self.products(fixture, at: time, in: .test) == ["basic"])
        let forth = try await ReinterpretTests.apply(fixture.ledger)
        #expect(forth.differences.count == 2)
        #expect(try Self.products(fixture, at: time, in: .test) == ["pro"])
    }
}
