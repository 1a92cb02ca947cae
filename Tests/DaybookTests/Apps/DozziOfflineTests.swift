import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// While nothing of the store can be verified the app's own verification counts, for a while (rule 11).
@Suite("Dozzi: what the app verified itself")
struct DozziOfflineTests {
    let story: StoryLedger
    let now = Fixtures.now
    private static let window = 72 * StoryLedger.hour

    init() async throws { story = try await StoryLedger("dozzi") }

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
            type: revokedAt == nil ? "purchase.completed" : "store.transaction_stated",
            subject: "ada", occurredAt: now,
            source: EventSource(
                kind: trust == .clientAsserted ? "native" : "apple_asn_v2",
                key: "77/\(signedAt)", signedAt: signedAt),
            trust: trust, data: data)
    }

    private func isUnlimited(at instant: Int64) throws -> Bool {
        try story.check("unlimitedStories", at: instant).allowed
    }

    @Test("It counts for 72 hours, and saying it again does not begin them anew")
    func window() async throws {
        try await story.record(purchase(.clientAsserted, signedAt: now))
        story.clock.now += 71 * StoryLedger.hour
        try await story.record(purchase(.clientAsserted, signedAt: story.clock.now))
        #expect(try isUnlimited(at: now))
        #expect(try isUnlimited(at: now + Self.window - 1))
        #expect(try !isUnlimited(at: now + Self.window))
        #expect(try story.check("unlimitedStories", at: now + Self.window).reason == "unverified")
        #expect(try story.status(at: now + Self.window - 1).status == "unlimited")
        #expect(try story.status(at: now + Self.window).status == "free")
    }

    @Test("The store's word replaces it, for ever or not at all")
    func replaced() async throws {
        try await story.record(purchase(.clientAsserted, signedAt: now))
        try await story.record(purchase(.verified, signedAt: now + 1))
        #expect(try isUnlimited(at: now + 365 * StoryLedger.day))
        let refused = try await StoryLedger("dozzi")
        try await refused.record(purchase(.clientAsserted, signedAt: now))
        try await refused.record(
            purchase(.verified, signedAt: now + 2, revokedAt: now + StoryLedger.hour))
        let end = now + StoryLedger.hour
        #expect(try refused.check("unlimitedStories", at: end - 1).allowed)
        #expect(try !refused.check("unlimitedStories", at: end).allowed)
    }

    @Test("A client takes nothing back: no refund, no grant, on nobody's word but its own")
    func refused() async throws {
        for type in ["grant.issued", "purchase.transferred", "usage.reversed"] {
            var draft = purchase(.clientAsserted, signedAt: now)
            draft.type = type
            await #expect(throws: LedgerError.self) { try await story.ledger.record([draft]) }
        }
        #expect(try !isUnlimited(at: now))
        #expect(try story.ledger.history(of: "ada").isEmpty)
    }
}
