import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// What a customer may do after webhooks have reported about them, whatever their order.
@Suite("RevenueCat: timelines")
struct WebhookTimelineTests {
    private static let day = LedgerFixture.day
    private static let start = Fixtures.now

    /// A webhook of Nuzzle's month, told some time after it began.
    private static func tell(
        _ type: String, _ id: String, after: Int64, transaction: String = "9101",
        days: ClosedRange<Int64> = 0...30, _ more: String = ""
    ) -> String {
        """
        {"event":{"type":"\(type)","id":"\(id)","event_timestamp_ms":\(start + after),
        "app_user_id":"ada","environment":"PRODUCTION","store":"APP_STORE",
        "product_id":"com.nestling.pro.monthly","entitlement_ids":["pro"],
        "original_transaction_id":"9100","transaction_id":"\(transaction)",
        "purchased_at_ms":\(start + days.lowerBound * day),
        "expiration_at_ms":\(start + days.upperBound * day),
        "currency":"USD","price_in_purchased_currency":5.99\(more)}}
        """
    }

    /// The states of the entitlement after some days, the same for every order of delivery.
    private func states(
        _ payloads: [String], of subject: String = "ada", after days: [Int64]
    ) async throws -> [String] {
        var found: Set<[String]> = []
        var digests: Set<String> = []
        for order in [payloads, payloads.reversed(), payloads.sorted(), payloads + payloads] {
            let ledger = try await Fixtures.ledger("nuzzle")
            for payload in order { _ = try await ledger.record(try Webhook.read(payload).drafts) }
            digests.insert("\(try ledger.digest().digest)")
            found.insert(
                try days.map { count in
                    let moment = Moment(at: Self.start + count * Self.day)
                    let decision = try ledger.check(
                        CheckQuestion("smartPredictions"), for: subject, moment: moment
                    ).decision
                    return "\(decision.reason)"
                })
        }
        #expect(digests.count == 1)
        #expect(found.count == 1)
        return found.first ?? []
    }

    @Test("Both webhooks of a failed charge leave the grace alone, whichever comes later")
    func grace() async throws {
        let bought = Self.tell("INITIAL_PURCHASE", "w1", after: 1_000)
        let end = Self.start + 36 * Self.day
        for (issue, cancellation) in [(0, 1), (1, 0), (0, 0)] as [(Int64, Int64)] {
            let reasons = try await states(
                [
                    bought,
                    Self.tell(
                        "BILLING_ISSUE", "w2", after: 30 * Self.day + issue,
                        #","grace_period_expiration_at_ms":\#(end)"#),
                    Self.tell(
                        "CANCELLATION", "w3", after: 30 * Self.day + cancellation,
                        #","cancel_reason":"BILLING_ERROR""#),
                ], after: [5, 33, 37])
            #expect(reasons == ["subscription", "grace", "billing_retry"])
        }
    }

    @Test(
        "An expiration after a refund ends the month at once, and the days before stay as they were"
    )
    func refund() async throws {
        let reasons = try await states(
            [
                Self.tell("INITIAL_PURCHASE", "w1", after: 1_000),
                Self.tell(
                    "CANCELLATION", "w2", after: 10 * Self.day,
                    #","cancel_reason":"CUSTOMER_SUPPORT""#),
                Self.tell(
                    "EXPIRATION", "w3", after: 10 * Self.day + 5,
                    #","expiration_reason":"CUSTOMER_SUPPORT""#),
            ], after: [5, 9, 11])
        #expect(reasons == ["subscription", "subscription", "refunded"])
    }

    @Test("An expiration shortens its own transaction, never the one that follows")
    func paused() async throws {
        let reasons = try await states(
            [
                Self.tell("INITIAL_PURCHASE", "w1", after: 1_000),
                Self.tell(
                    "EXPIRATION", "w2", after: 20 * Self.day,
                    #","expiration_reason":"SUBSCRIPTION_PAUSED""#),
                Self.tell(
                    "RENEWAL", "w3", after: 25 * Self.day + 1_000, transaction: "9102",
                    days: 25...55),
            ], after: [19, 21, 26, 54, 56])
        #expect(
            reasons == ["subscription", "expired", "subscription", "subscription", "expired"])
    }

    @Test("A transfer moves every lineage, from when it was told")
    func transfer() async throws {
        let payloads = [
            Self.tell("INITIAL_PURCHASE", "w1", after: 1_000),
            """
            {"event":{"type":"TRANSFER","id":"w2","event_timestamp_ms":\(Self.start + 8 * Self.day),
            "transferred_from":["ada"],"transferred_to":["bob"]}}
            """,
        ]
        #expect(try await states(payloads, after: [5, 9]) == ["subscription", "not_entitled"])
        #expect(
            try await states(payloads, of: "bob", after: [5, 9]) == [
                "not_entitled", "subscription",
            ])
    }

    @Test("A purchase under a made-up name is found under the own one")
    func alias() async throws {
        let name = "$RCAnonymousID:8069238d6049ce87cc529853916d624c"
        let payloads = [
            Self.tell("INITIAL_PURCHASE", "w1", after: 1_000).replacing(
                #""ada""#, with: "\"\(name)\""),
            Self.tell(
                "UNCANCELLATION", "w2", after: 2_000, #","aliases":["\#(name)","ada"]"#),
        ]
        #expect(try await states(payloads, after: [5]) == ["subscription"])
        #expect(try await states(payloads, of: name, after: [5]) == ["subscription"])
    }
}
