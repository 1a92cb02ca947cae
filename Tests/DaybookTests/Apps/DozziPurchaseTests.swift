import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

@Suite("Dozzi: the purchase of unlimited stories")
struct DozziPurchaseTests {
    static let product = "com.dozzi.unlimited_stories"
    static let lineage = LineageFixture("2000", product: product)

    static func purchase(
        at time: Int64 = Fixtures.now, signedAt: Int64? = nil, _ extra: JSONObject = JSONObject()
    ) -> EventDraft {
        var data: JSONObject = [
            "product": .string(product), "kind": "non_consumable", "transaction_id": "2000",
            "price_milli": 2990, "currency": "USD",
        ]
        for member in extra.members { data[member.name] = member.value }
        return lineage.event(.purchaseCompleted, at: time, signedAt: signedAt, data)
    }

    let fixture: LedgerFixture
    let now = Fixtures.now

    init() async throws { fixture = try await LedgerFixture("dozzi") }

    private var ledger: Ledger { fixture.ledger }
    private func isUnlimited() throws -> Bool { try fixture.status().status == "unlimited" }

    @Test("DZ-07 A purchase shows its product and its date, on the platform of the catalog")
    func fields() async throws {
        try await fixture.record(Self.purchase(at: now - 1_000, signedAt: now))
        #expect(try isUnlimited())
        #expect(try fixture.status(at: now - 1_000).status == "unlimited")
        #expect(try fixture.status(at: now - 1_001).status == "free")
        let winner = try #require(try fixture.entitlement("unlimited")?.winner)
        #expect(winner.product == Self.product)
        #expect(winner.startsAt == now - 1_000)
        #expect(winner.expiresAt == nil)
        #expect(try ledger.catalogs().newest?.catalog.metadata["platform"] == "ios")
    }

    @Test("DZ-10 Stories of an unlimited customer are allowed and leave the free counter alone")
    func covered() async throws {
        try await fixture.use("stories", "s1")
        try await fixture.record(Self.purchase())
        for index in 2...5 {
            let receipt = try await ledger.consume("stories", by: "ada", ref: "s\(index)")
            #expect(receipt.decision?.allowed == true)
            #expect(receipt.decision?.usage?.used == 1)
        }
        #expect(try fixture.count(of: .usageRecorded) == 5)
    }

    @Test("DZ-16 A notification alone unlocks, whenever it comes, from the purchase on")
    func notification() async throws {
        try await fixture.use("stories", "s1", "s2")
        let before = try ledger.head().position
        fixture.clock.now += 2 * LedgerFixture.day
        try await fixture.record(Self.purchase(at: now + 1_000))
        #expect(try isUnlimited())
        #expect(try fixture.status(at: now + 1_000).status == "unlimited")
        #expect(try fixture.status(at: now + 999).status == "free")
        #expect(try fixture.status(knownAt: .position(before)).status == "free")
    }

    @Test("DZ-17 Ask to buy gives nothing until the store says so")
    func pending() async throws {
        try await fixture.record(
            .reported(.checkoutStarted, at: now, key: "c1", ["product": .string(Self.product)]),
            .reported(.checkoutPending, at: now, key: "c2", ["product": .string(Self.product)]))
        #expect(try !isUnlimited())
        fixture.clock.now += LedgerFixture.day
        try await fixture.record(Self.purchase(at: fixture.clock.now))
        #expect(try isUnlimited())
        #expect(try fixture.status(at: fixture.clock.now - 1).status == "free")
        // The same with Apple's own ONE_TIME_CHARGE.
        let bench = try await AppStoreBench("dozzi")
        func isOpen(at time: Int64) throws -> Bool {
            try bench.fixture.ledger.check(
                CheckQuestion("premiumVoices"), for: "ada", environment: .test,
                moment: Moment(at: time)
            ).decision.allowed
        }
        var asked = EventDraft.reported(
            .checkoutPending, at: now - 1, key: "c2", ["product": .string(Self.product)])
        asked.environment = .test
        try await bench.fixture.record(asked)
        #expect(try !isOpen(at: now))
        var charge = AppStoreBench.forever("2000", signedAt: now)
        charge.purchasedAt = now
        charge.appAccountToken = "ada"
        let charged = AppStoreBench.notification(.oneTimeCharge, nil, charge, nil, signedAt: now)
        #expect(try await bench.take(charged).refused == [])
        #expect(try isOpen(at: now))
        #expect(try !isOpen(at: now - 1))
    }

    @Test(
        "DZ-18 A cancelled, failed or even completed checkout of the app is no purchase",
        arguments: ["checkout.canceled", "checkout.failed", "checkout.completed"])
    func analytics(_ type: String) async throws {
        try await fixture.use("stories", "s1")
        let before = try fixture.status()
        try await fixture.record(
            .reported(
                EventTypeName(rawValue: type), at: now, key: "c1",
                ["product": .string(Self.product)]))
        #expect(try fixture.count(of: EventTypeName(rawValue: type)) == 1)
        #expect(try fixture.status() == before)
    }

    @Test("DZ-19 The same transaction posted, confirmed and posted again is one purchase")
    func oneTransaction() async throws {
        let posted = Self.lineage.stated("2000", from: now, until: nil, signedAt: now + 10)
        #expect(try await fixture.record(posted).appended == 1)
        #expect(try await fixture.record(posted).appended == 0)
        try await fixture.record(Self.purchase(signedAt: now + 20))
        try await fixture.record(
            Self.lineage.stated("2000", from: now, until: nil, signedAt: now + 30))
        let answer = try #require(try fixture.entitlement("unlimited"))
        #expect(answer.isActive)
        #expect(answer.candidates.map(\.id) == ["apple:2000"])
        #expect(try ledger.subjects() == ["ada"])
    }

    @Test("DZ-20 A restored transaction with a revocation date gives nothing")
    func restoredRevoked() async throws {
        fixture.clock.now += LedgerFixture.day
        try await fixture.record(
            Self.lineage.stated(
                "2000", from: now, until: nil, signedAt: now + 1_000,
                ["revoked_at": .integer(now + 500), "revocation_type": "REFUND_FULL"]))
        #expect(try !isUnlimited())
        #expect(try fixture.check("premiumVoices").reason == .refunded)
        #expect(try fixture.status(at: now + 499).status == "unlimited")
        #expect(try fixture.status(at: now + 500).status == "free")
    }

    @Test(
        "DZ-21 After a refund the free stories are those that were not used before the purchase",
        arguments: [(0, 2), (1, 1), (2, 0)])
    func refunded(_ before: Int, _ remaining: Int64) async throws {
        for index in 0..<before { try await fixture.use("stories", "free\(index)") }
        try await fixture.record(Self.purchase())
        try await fixture.use("stories", "p1", "p2", "p3")
        fixture.clock.now += LedgerFixture.day
        try await fixture.record(Self.lineage.refunded("2000", at: fixture.clock.now))
        #expect(try fixture.meter("stories")?.remaining == remaining)
        #expect(try fixture.meter("stories", at: fixture.clock.now - 1)?.limit == nil)
        #expect(try fixture.check("premiumVoices", at: fixture.clock.now - 1).allowed)
        #expect(try fixture.check("premiumVoices").reason == .refunded)
    }

    @Test("DZ-22 DZ-27 Stories leave under the app's own names, free or premium")
    func exported() async throws {
        try await fixture.use("stories", "s1")
        try await fixture.record(Self.purchase())
        try await fixture.use("stories", "s2")
        var names: [String] = []
        try ledger.export(subject: "ada", names: .app) { bytes in
            names.append(try JSONReader.read(bytes).object?["type"]?.text ?? "")
        }
        #expect(names == ["storyCreatedFree", "purchase.completed", "storyCreatedPremium"])
        let covered = try ledger.history(of: "ada").compactMap {
            $0.event.draft.data["covered_by"]?.text
        }
        #expect(covered == ["unlimited"])
        #expect(try fixture.meter("stories")?.used == 1)
    }

    @Test("DZ-23 A family's purchase is no source here, and the doctor says why")
    func family() async throws {
        try await fixture.record(Self.purchase(["ownership": "FAMILY_SHARED", "price_milli": 0]))
        #expect(try !isUnlimited())
        let candidates = try fixture.entitlement("unlimited")?.candidates
        #expect(candidates?.map(\.why) == [.family(.notShareable)])
        let findings = try ledger.doctor(subject: "ada").filter { $0.area == "purchase" }
        #expect(findings.map(\.severity) == [.warning])
        #expect(findings.first?.message.contains("family_not_shareable") == true)
    }

    @Test("DZ-42 Nothing recurs: one non-consumable product, no group")
    func nothingRecurs() throws {
        let catalog = try Fixtures.catalog("dozzi")
        #expect(catalog.products.map(\.kind) == [.nonConsumable])
        #expect(catalog.groups.isEmpty)
        #expect(try fixture.status().introEligible.isEmpty)
    }

    @Test("DZ-44 An unknown product is kept, gives nothing, and counts once a catalog names it")
    func unknownProduct() async throws {
        try await fixture.record(Self.purchase(["product": "com.dozzi.bundle"]))
        #expect(try !isUnlimited())
        let findings = try ledger.doctor().filter { $0.area == "unknown_product" }
        #expect(findings.count == 1)
        #expect(findings.first?.message.contains("com.dozzi.bundle") == true)
        fixture.clock.now += LedgerFixture.day
        try await fixture.publish(replacing: [
            "entitlements:\n  unlimited:": """
            # The family bundle came later.
              com.dozzi.bundle:
                kind: nonConsumable
                prices: { regular: 4.99 USD }
                entitlements: [unlimited]

            entitlements:
              unlimited:
            """
        ])
        #expect(try isUnlimited())
        #expect(try fixture.status(at: now).status == "free")
        #expect(try ledger.doctor().filter { $0.area == "unknown_product" }.isEmpty)
    }
}
