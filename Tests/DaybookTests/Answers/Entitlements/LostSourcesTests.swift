import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Sources that do not give access any more.
@Suite("Lost sources")
struct LostSourcesTests {
    private static let hour: Int64 = 3_600_000

    private func draft(
        _ type: EventTypeName, at instant: Int64, _ key: String, _ trust: Trust, _ data: JSONObject
    ) -> EventDraft {
        EventDraft(
            type: type, subject: "ada", occurredAt: instant,
            source: EventSource(kind: "native", key: key), trust: trust, data: data)
    }

    private func purchase(_ transaction: String, from start: Int64) -> JSONObject {
        [
            "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
            "original_transaction_id": .string(transaction),
            "transaction_id": .string(transaction), "starts_at": .integer(start), "quantity": 1,
            "price_milli": 2_990, "currency": "USD",
        ]
    }

    @Test("Of a refund and a client's word that end together the first by its id is shown")
    func sameEnd() async throws {
        let fixture = try await LedgerFixture("dozzi")
        let start = fixture.clock.now
        // A client's word counts for 72 hours (rule 11).
        let end = start + 72 * Self.hour
        fixture.clock.now = end + 1
        try await fixture.ledger.record([
            draft(.purchaseCompleted, at: start, "1", .verified, purchase("769", from: start)),
            draft(
                .purchaseCompleted, at: start, "2", .clientAsserted, purchase("710", from: start)),
            draft(
                .purchaseRefunded, at: end, "3", .verified,
                [
                    "original_transaction_id": "769", "transaction_id": "769",
                    "kind": "non_consumable", "type": "full", "revoked_at": .integer(end),
                ]),
        ])
        let reasons = try [end - 1, end].map { instant in
            try fixture.ledger.check(
                CheckQuestion("unlimitedStories"), for: "ada", moment: Moment(at: instant)
            ).decision.reason
        }
        #expect(reasons == [.lifetime, .unverified])
        let comparison = try ModelComparison(fixture.ledger)
        let cut = Int64(comparison.events.count)
        let differences = try comparison.differences(at: [end - 1, end, end + 1], cut: cut)
        #expect(differences.isEmpty, "\(differences)")
    }
}
