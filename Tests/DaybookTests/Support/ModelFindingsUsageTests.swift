import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What the comparison with the naive model found about usage and grants (decision 0008).
@Suite("Found by the naive model: usage")
struct ModelFindingsUsageTests {
    let fixture: LedgerFixture
    let day = LedgerFixture.day
    /// The first of March in Amsterdam: the sampler's default zone.
    let march = instant("2026-02-28T23:00:00Z")
    let april = instant("2026-03-31T22:00:00Z")

    init() async throws {
        fixture = try await LedgerFixture(
            "sampler", document: SamplerCatalog.first, now: instant("2026-01-01T00:00:00Z"))
    }

    private func reserved(
        _ id: String, _ meter: String, _ amount: Int64, at time: Int64, until end: Int64
    ) -> EventDraft {
        .reported(
            .usageReserved, at: time, key: "reserve/\(id)/\(meter)",
            [
                "reservation_id": .string(id), "meter": .string(meter),
                "amount": .integer(amount), "expires_at": .integer(end),
            ])
    }

    private func granted(_ id: String, at time: Int64, _ more: JSONObject) -> EventDraft {
        var data: JSONObject = [
            "grant_id": .string(id), "starts_at": .integer(time), "reason": "support",
        ]
        for member in more.members { data[member.name] = member.value }
        return .reported(.grantIssued, at: time, key: "grant/\(id)/\(time)", data)
    }

    private func meter(_ name: String, _ time: Int64) throws -> MeterAnswer {
        try #require(try fixture.meter(name, at: time))
    }

    @Test("Rule 12 What is reserved burns the grant that covers it, though that ends before")
    func reservedGrant() async throws {
        try await fixture.record(
            granted(
                "g", at: march,
                [
                    "meter": "sketches", "amount": 2, "priority": 0,
                    "expires_at": .integer(march + 5 * day),
                ]), reserved("r", "sketches", 2, at: march + day, until: march + 20 * day))
        let later = try meter("sketches", march + 6 * day)
        #expect(later.reserved == 2)
        #expect(later.remaining == 3)
    }

    @Test("Rule 12 What is reserved beyond everything is overage, and none once it is released")
    func reservedOverage() async throws {
        try await fixture.record(reserved("r", "sketches", 5, at: march, until: march + day))
        #expect(try meter("sketches", march).overage == 2)
        #expect(try meter("sketches", march).remaining == 0)
        #expect(try meter("sketches", march + day).overage == 0)
        #expect(try meter("sketches", march + day).remaining == 3)
    }

    @Test("A reservation's id counts once for the customer, whatever meter it names next")
    func reservedTwice() async throws {
        try await fixture.record(
            reserved("r", "sketches", 1, at: march, until: march + day),
            reserved("r", "prints", 1, at: march + 1, until: march + day))
        #expect(try meter("sketches", march + 2).reserved == 1)
        #expect(try meter("prints", march + 2).reserved == 0)
    }

    @Test(
        "A reservation is taken back by its id, its key or the key of its commit",
        arguments: ["r", "reserve/r/sketches", "commit/r"])
    func reversed(_ target: String) async throws {
        try await fixture.record(
            reserved("r", "sketches", 2, at: march, until: march + day),
            .reported(
                .usageCommitted, at: march + 1, key: "commit/r", ["reservation_id": "r"]))
        #expect(try meter("sketches", march + 2).used == 2)
        fixture.clock.now = march + 3
        try await fixture.perform(.reverseUsage(target: target))
        #expect(try meter("sketches", march + 2).used == 2)
        #expect(try meter("sketches", march + 3).used == 0)
    }

    @Test("Rule 15 Of two that end with the month the one that began earlier burns first")
    func quotaByStart() async throws {
        let terms: JSONObject = [
            "meter": "sketches", "amount": 2, "priority": 0, "expires_at": .integer(april),
        ]
        try await fixture.record(
            granted("g", at: march - 9 * day, terms),
            .used("sketches", at: march + day, ref: "s1"))
        #expect(try meter("sketches", march + day).granted == 1)
        #expect(try meter("sketches", march + day).remaining == 4)
    }

    @Test("A grant that was gone before it began pays for no overage")
    func voidedBeforeStart() async throws {
        try await fixture.record(
            .used("coins", at: march, ref: "c1"),
            granted("g", at: march + 2 * day, ["meter": "coins", "amount": 5]),
            .reported(
                .grantVoided, at: march + day, key: "void",
                ["grant_id": "g", "voided_at": .integer(march + day)]))
        #expect(try meter("coins", march + 3 * day).overage == 1)
    }

    @Test("A grant's id counts once, for access too")
    func grants() async throws {
        try await fixture.record(
            granted(
                "g", at: march,
                ["entitlement": "club", "expires_at": .integer(march + day)]),
            granted("g", at: march + 1, ["entitlement": "club"]))
        #expect(try fixture.entitlement("club", at: march + 2)?.expiresAt == march + day)
        #expect(try fixture.entitlement("club", at: march + day)?.isActive == false)
    }

    @Test("OL-09 What is given to one profile lifts no limit of the whole customer")
    func grantOfProfile() async throws {
        var draft = granted("g", at: march, ["entitlement": "club", "unlimited": true])
        draft.profile = "rex"
        try await fixture.record(
            .reported(.profileCreated, at: march, key: "rex", ["profile": "rex", "kind": "dog"]),
            draft)
        #expect(try meter("boxes", march).limit == 2)
        #expect(try meter("prints", march).limit == 4)
    }

    private func bag(_ trust: Trust, at time: Int64) -> EventDraft {
        EventDraft(
            type: .purchaseCompleted, subject: "ada", occurredAt: time,
            source: EventSource(kind: "native", key: "bag/\(trust)"), trust: trust,
            data: [
                "product": "coins.bag", "kind": "consumable", "transaction_id": "b1",
                "price_milli": 990, "currency": "EUR", "quantity": 1,
            ])
    }

    @Test("Rule 11 Credits of a client's word count as long as the catalog believes it")
    func assertedCredits() async throws {
        try await fixture.record(bag(.clientAsserted, at: march))
        #expect(try meter("coins", march + 2 * day - 1).remaining == 10)
        #expect(try meter("coins", march + 2 * day).remaining == 0)
        try await fixture.record(bag(.verified, at: march))
        #expect(try meter("coins", march + 2 * day).remaining == 10)
    }

    @Test("Rule 8 What a bag of coins is worth was promised when it was bought")
    func promisedCredits() async throws {
        fixture.clock.now = march
        try await fixture.record(bag(.verified, at: march - day))
        try await fixture.ledger.publish(CatalogPublication(document: SamplerCatalog.second))
        #expect(try meter("coins", march).remaining == 10)
    }

    @Test("FR-25 Asked for a feature its own enforcement rules, asked for the meter the meter's")
    func enforcement() async throws {
        try await fixture.record(.used("sketches", at: march, ref: "s1", amount: 3))
        let feature = try fixture.check("sketching", at: march)
        #expect(feature.allowed && feature.isPrompting)
        #expect(feature.reason == .limitReached)
        #expect(try !fixture.check("sketches", at: march).allowed)
    }

    @Test("Rule 13 A profile that was also counted by hand is one thing on its gauge")
    func gauge() async throws {
        try await fixture.record(
            .reported(.profileCreated, at: march, key: "rex", ["profile": "rex", "kind": "dog"]),
            .used("dogs", at: march + 1, ref: "rex"))
        #expect(try meter("dogs", march + 1).used == 1)
    }
}
