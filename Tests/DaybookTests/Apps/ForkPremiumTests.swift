import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

@Suite("Fork in the Road: Premium, its prices and trust")
struct ForkPremiumTests {
    let fixture: LedgerFixture
    let lineage = ForkInTheRoadTests.monthly
    let start = Fixtures.now
    let end = Fixtures.now + 31 * LedgerFixture.day

    init() async throws { fixture = try await LedgerFixture("fork-in-the-road") }

    /// What the app sends to the web: unsigned dates.
    private var client: LineageFixture {
        var client = lineage
        client.trust = .clientAsserted
        client.source = "native"
        return client
    }

    @Test("FR-13 What the app says of a purchase opens Premium on the web, once, for 72 hours")
    func sync() async throws {
        let claim = client.started("3000", from: start, until: end)
        #expect(try await fixture.record(claim).appended == 1)
        let again = try await fixture.record(claim)
        #expect((again.appended, again.duplicates) == (0, 1))
        let event = try #require(try fixture.ledger.history(of: "ada").first?.event)
        #expect(event.draft.trust == .clientAsserted)
        #expect(try fixture.status().status == "premium")
        #expect(try fixture.ledger.status(of: "ben").status.status == "free")
        let window = start + 72 * LedgerFixture.hour
        #expect(try fixture.check("adFree", at: window - 1).allowed)
        #expect(try fixture.check("adFree", at: window).reason == .unverified)
        let repeated = client.started("3000", from: start, until: end, signedAt: start + 1)
        fixture.clock.now = start + 71 * LedgerFixture.hour
        try await fixture.record(repeated)
        #expect(try fixture.entitlement("premium")?.candidates.count == 1)
        #expect(try !fixture.check("adFree", at: window).allowed)
        let endless = try await LedgerFixture("fork-in-the-road")
        try await endless.record(client.stated("3000", from: start, until: nil, signedAt: start))
        #expect(try endless.check("adFree", at: window - 1).allowed)
        #expect(try !endless.check("adFree", at: window).allowed)
    }

    @Test("FR-14 The store's signed end wins over the client's, whichever came last")
    func signedWins() async throws {
        let claimed = end + 300 * LedgerFixture.day
        try await fixture.record(
            lineage.started("3000", from: start, until: end, signedAt: start),
            client.started(
                "3000", from: start, until: claimed, signedAt: start + LedgerFixture.hour))
        #expect(try fixture.entitlement("premium")?.expiresAt == end)
        #expect(try !fixture.check("adFree", at: end).allowed)
        let reversed = try await LedgerFixture("fork-in-the-road")
        try await reversed.record(client.started("3000", from: start, until: claimed))
        try await reversed.record(lineage.started("3000", from: start, until: end))
        #expect(try reversed.entitlement("premium")?.expiresAt == end)
        #expect(try reversed.entitlement("premium", at: end - 1)?.isActive == true)
    }

    @Test("FR-17 A product that only sounds like Premium gives nothing, and the doctor names it")
    func unknownProduct() async throws {
        let product = "com.forkintheroad.app.premium.lifetime"
        let stranger = LineageFixture("3001", product: product)
        try await fixture.record(stranger.started("3001", from: start, until: end))
        #expect(try fixture.status().status == "free")
        #expect(try !fixture.check("adFree").allowed)
        let findings = try fixture.ledger.doctor(subject: "ada")
        #expect(findings.contains { $0.message.contains(product) && $0.severity != .fine })
        #expect(findings.contains { $0.area == "unknown_product" })
        try await fixture.publish(
            replacing: [
                "  com.forkintheroad.app.premium.yearly:\n": """
                  \(product):
                    kind: autoRenewable
                    group: Premium
                    period: P1Y
                    entitlements: [premium]
                  com.forkintheroad.app.premium.yearly:

                """
            ])
        #expect(try fixture.check("adFree").allowed)
        #expect(try !fixture.ledger.doctor().contains { $0.area == "unknown_product" })
    }

    @Test("FR-18 A transaction that was revoked gives no Premium from its revocation on")
    func revoked() async throws {
        let revokedAt = start + 5 * LedgerFixture.day
        try await fixture.record(
            lineage.stated(
                "3000", from: start, until: end, signedAt: revokedAt,
                ["revoked_at": .integer(revokedAt)]))
        #expect(try fixture.check("adFree", at: revokedAt - 1).allowed)
        #expect(try fixture.check("adFree", at: revokedAt).reason == .refunded)
        #expect(try fixture.status(at: revokedAt).status == "free")
    }

    @Test(
        "FR-19 How a purchase ended is on record and opens nothing",
        arguments: [
            ("checkout.canceled", nil), ("checkout.pending", nil),
            ("checkout.failed", "verification"), ("checkout.failed", "unknown"),
        ] as [(String, String?)])
    func checkout(_ type: String, _ error: String?) async throws {
        var data: JSONObject = ["product": .string(lineage.product)]
        if let error { data["error"] = .string(error) }
        try await fixture.record(
            .reported(EventTypeName(rawValue: type), at: start, key: "k", data))
        let draft = try #require(try fixture.ledger.history(of: "ada").first?.event.draft)
        #expect(draft.type.rawValue == type)
        #expect(draft.data["error"]?.text == error)
        #expect(try fixture.status().status == "free")
        #expect(try fixture.status().entitlements.first?.candidates == [])
    }

    @Test("FR-20 A price increase without an answer ends the subscription at its renewal")
    func declined() async throws {
        let middle = start + 10 * LedgerFixture.day
        try await fixture.record(
            lineage.started("3000", from: start, until: end, ["price_milli": 990]),
            lineage.event(
                .subscriptionPriceIncrease, at: middle,
                [
                    "status": "pending", "new_price_milli": 3990, "effective_at": .integer(end),
                    "currency": "USD",
                ]),
            lineage.expired("price_increase_declined", at: end))
        #expect(try fixture.check("adFree", at: middle).allowed)
        #expect(try fixture.check("adFree", at: end - 1).allowed)
        let over = try #require(try fixture.entitlement("premium", at: end))
        #expect(!over.isActive)
        #expect(over.candidates.map(\.why) == [.ended(ExactText("price_increase_declined"))])
        #expect(try fixture.status(at: end).status == "free")
    }

    @Test("FR-20 An accepted price counts from the next renewal, without a gap")
    func accepted() async throws {
        let middle = start + 10 * LedgerFixture.day
        let next = end + 30 * LedgerFixture.day
        try await fixture.record(
            lineage.started("3000", from: start, until: end, ["price_milli": 990]),
            lineage.event(.subscriptionPriceIncrease, at: middle, ["status": "accepted"]),
            lineage.renewed("3001", from: end, until: next, ["price_milli": 3990]))
        for time in [middle, end - 1, end, next - 1] {
            #expect(try fixture.check("adFree", at: time).allowed)
        }
        #expect(try !fixture.check("adFree", at: next).allowed)
        #expect(try prices() == [990, 3990])
    }

    private func prices(of subject: String = "ada") throws -> [Int64] {
        try fixture.ledger.history(of: subject).compactMap {
            $0.event.draft.data["price_milli"]?.integer
        }
    }

    @Test(
        "FR-21 Early customers stay at the launch price; the catalog's new price moves none of them"
    )
    func grandfathered() async throws {
        try await fixture.record(
            lineage.started("3000", from: start, until: end, ["price_milli": 990]))
        fixture.clock.now += LedgerFixture.day
        try await fixture.publish(replacing: ["$0.99/month": "$3.99/month"])
        var late = lineage
        (late.lineage, late.subject) = ("4000", "ben")
        try await fixture.record(
            late.started("4000", from: fixture.clock.now, until: end, ["price_milli": 3990]),
            lineage.renewed("3001", from: end, until: end + LedgerFixture.day, ["price_milli": 990])
        )
        #expect(try prices() == [990, 990])
        #expect(try prices(of: "ben") == [3990])
        #expect(try fixture.check("adFree", at: end).allowed)
    }

    @Test("FR-28 Export of data is for Premium alone")
    func export() async throws {
        #expect(try fixture.check("exportCSV").reason == .notEntitled)
        try await fixture.record(lineage.started("3000", from: start, until: end))
        #expect(try fixture.check("exportCSV").reason == .subscription)
        #expect(try fixture.check("exportCSV", at: end - 1).allowed)
        #expect(try fixture.check("exportCSV", at: end).reason == .expired)
    }

    @Test("FR-30 The doctor explains which purchase of a customer gives nothing, and why")
    func doctor() async throws {
        func findings(about subject: String) throws -> [DoctorFinding] {
            try fixture.ledger.doctor(subject: subject).filter { $0.area == "purchase" }
        }
        try await fixture.record(lineage.started("3000", from: start, until: end))
        #expect(try findings(about: "ada") == [])
        // A restore on another one's phone.
        var restored = lineage
        (restored.subject, restored.source) = ("ben", "apple_jws")
        fixture.clock.now += LedgerFixture.day
        try await fixture.record(
            restored.stated("3000", from: start, until: end, signedAt: start + 1))
        try await fixture.ledger.consume("collections", by: "ben", ref: "ben-1")
        let others = try #require(try findings(about: "ben").first)
        #expect(others.message.contains("3000") && others.message.contains("owned_by_other"))
        try await fixture.record(lineage.refunded("3000", at: start + LedgerFixture.hour))
        let refunded = try #require(try findings(about: "ada").first)
        #expect(refunded.message.contains("3000") && refunded.message.contains("refund"))
        #expect(refunded.code == "refunded")
    }

    @Test("FR-31 A renewal that fails keeps Premium in grace and ends it afterwards")
    func grace() async throws {
        let graceEnd = end + 3 * LedgerFixture.day
        try await fixture.record(
            lineage.started("3000", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: graceEnd))
        #expect(try fixture.status(at: graceEnd - 1).status == "premium")
        #expect(try fixture.status(at: graceEnd).status == "free")
        #expect(try fixture.check("adFree", at: graceEnd).reason == .billingRetry)
    }
}
