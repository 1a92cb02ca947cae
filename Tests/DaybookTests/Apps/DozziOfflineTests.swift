import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// While nothing of the store can be verified the app's own verification counts, for a while (rule 11).
@Suite("Dozzi: what the app verified itself")
struct DozziOfflineTests {
    let fixture: LedgerFixture
    let now = Fixtures.now
    private static let window = 72 * LedgerFixture.hour

    init() async throws { fixture = try await LedgerFixture("dozzi") }

    private func purchase(
        _ trust: Trust, signedAt: Int64, revokedAt: Int64? = nil
    ) -> EventDraft {
        var data: JSONObject = [
            "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
            "original_transaction_id": "77", "transaction_id": "77", "starts_at": .integer(now),
            "price_milli": 2_990, "currency": "USD",
        ]
        if let revokedAt { data["revoked_at"] = .integer(revokedAt) }
        return EventDraft(
            type: revokedAt == nil ? .purchaseCompleted : .storeTransactionStated,
            subject: "ada", occurredAt: now,
            source: EventSource(
                kind: trust == .clientAsserted ? "native" : "apple_asn_v2",
                key: "77/\(signedAt)", signedAt: signedAt),
            trust: trust, data: data)
    }

    private func isUnlimited(at instant: Int64) throws -> Bool {
        try fixture.check("unlimitedStories", at: instant).allowed
    }

    @Test("It counts for 72 hours, and saying it again does not begin them anew")
    func window() async throws {
        try await fixture.record(purchase(.clientAsserted, signedAt: now))
        fixture.clock.now += 71 * LedgerFixture.hour
        try await fixture.record(purchase(.clientAsserted, signedAt: fixture.clock.now))
        #expect(try isUnlimited(at: now))
        #expect(try isUnlimited(at: now + Self.window - 1))
        #expect(try !isUnlimited(at: now + Self.window))
        #expect(try fixture.check("unlimitedStories", at: now + Self.window).reason == .unverified)
        #expect(try fixture.status(at: now + Self.window - 1).status == "unlimited")
        #expect(try fixture.status(at: now + Self.window).status == "free")
    }

    @Test("The store's word replaces it, for ever or not at all")
    func replaced() async throws {
        try await fixture.record(purchase(.clientAsserted, signedAt: now))
        try await fixture.record(purchase(.verified, signedAt: now + 1))
        #expect(try isUnlimited(at: now + 365 * LedgerFixture.day))
        let refused = try await LedgerFixture("dozzi")
        try await refused.record(purchase(.clientAsserted, signedAt: now))
        try await refused.record(
            purchase(.verified, signedAt: now + 2, revokedAt: now + LedgerFixture.hour))
        let end = now + LedgerFixture.hour
        #expect(try refused.check("unlimitedStories", at: end - 1).allowed)
        #expect(try !refused.check("unlimitedStories", at: end).allowed)
    }

    @Test("A client takes nothing back: no refund, no grant, when only the client claims it")
    func refused() async throws {
        for type: EventTypeName in [.grantIssued, .purchaseTransferred, .usageReversed] {
            var draft = purchase(.clientAsserted, signedAt: now)
            draft.type = type
            await #expect(throws: LedgerError.self) { try await fixture.ledger.record([draft]) }
        }
        #expect(try !isUnlimited(at: now))
        #expect(try fixture.ledger.history(of: "ada").isEmpty)
    }
}
