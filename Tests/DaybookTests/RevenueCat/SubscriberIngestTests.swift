import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// Subscriber documents of RevenueCat through the ledger.
@Suite("RevenueCat's subscriber documents: what the ledger says after them")
struct SubscriberIngestTests {
    /// 2026-01-15T12:00:00Z.
    private static let now = Fixtures.now
    private static let day = LedgerFixture.day
    private let fixture: LedgerFixture

    init() async throws { fixture = try await LedgerFixture("nuzzle") }

    @Test(
        "The status after one document",
        arguments: [
            ([:], "active on renews"),
            (["period_type": #""trial""#], "trial on renews"),
            (
                ["unsubscribe_detected_at": #""2026-01-10T00:00:00Z""#],
                "active_canceling on ends"
            ),
            (
                [
                    "expires_date": #""2026-01-14T00:00:00Z""#,
                    "billing_issues_detected_at": #""2026-01-14T00:00:00Z""#,
                    "grace_period_expires_date": #""2026-01-20T00:00:00Z""#,
                ], "grace on renews"
            ),
            (
                [
                    "expires_date": #""2026-01-14T00:00:00Z""#,
                    "billing_issues_detected_at": #""2026-01-14T00:00:00Z""#,
                ], "billing_retry off renews"
            ),
            (
                [
                    "expires_date": #""2026-01-14T00:00:00Z""#,
                    "unsubscribe_detected_at": #""2026-01-10T00:00:00Z""#,
                ], "expired off ends"
            ),
            (
                [
                    "refunded_at": #""2026-01-12T00:00:00Z""#,
                    "unsubscribe_detected_at": #""2026-01-12T00:00:00Z""#,
                ], "refunded off ends"
            ),
        ] as [([String: String], String)])
    func status(changes: [String: String], answer: String) async throws {
        try await fixture.take(SubscriberMonth.monthly(changes))
        #expect(try fixture.pro() == answer)
        #expect(try fixture.ledger.replay().agrees)
    }

    @Test("What was switched off later was on before, and a refund begins when it was noticed")
    func past() async throws {
        try await fixture.take(
            SubscriberMonth.monthly([
                "unsubscribe_detected_at": #""2026-01-10T00:00:00Z""#,
                "refunded_at": #""2026-01-12T00:00:00Z""#,
            ]))
        #expect(try fixture.pro(at: instant("2026-01-09T00:00:00Z")) == "active on renews")
        #expect(try fixture.pro(at: instant("2026-01-11T00:00:00Z")) == "active_canceling on ends")
        #expect(try fixture.pro(at: instant("2026-01-12T00:00:00Z")) == "refunded off ends")
    }

    @Test("A promotion gives its entitlement, and one that was ended early gives it no more")
    func promotional() async throws {
        let first = try await fixture.take(
            SubscriberMonth.promotion(until: "2026-02-01T00:00:00Z", hours: 0))
        #expect(first.gaps.map(\.gap.code) == [.promotion])
        #expect(try fixture.pro() == "active on ends")
        #expect(
            try await fixture.take(
                SubscriberMonth.promotion(until: "2026-02-01T00:00:00Z", hours: 1)
            )
            .appended == 0)
        let ended = try await fixture.take(
            SubscriberMonth.promotion(until: "2026-01-15T12:00:00Z", hours: 2))
        #expect(ended.appended == 1)
        #expect(try fixture.pro() == "voided off ends")
        #expect(try fixture.pro(at: instant("2026-01-15T11:00:00Z")) == "active on ends")
        #expect(
            try await fixture.take(
                SubscriberMonth.promotion(until: "2026-01-15T12:00:00Z", hours: 3)
            )
            .appended == 0)
    }

    @Test("The same document appends nothing, and its payload is kept once")
    func twice() async throws {
        let payload = SubscriberMonth.monthly()
        let first = try await fixture.take(payload)
        #expect((first.appended, first.duplicates) == (2, 0))
        #expect(
            try RevenueCatIngestTests.types(fixture.ledger, after: 1) == [
                "subject.created", "subscription.started",
            ])
        for position in 2...3 {
            let event = try #require(try fixture.ledger.event(at: Int64(position)))
            let sha256 = try #require(event.draft.extras["raw_sha256"]?.text)
            #expect(try fixture.ledger.rawPayload(sha256: sha256) == payload)
        }
        let again = try await fixture.take(payload)
        #expect((again.appended, again.duplicates) == (0, 2))
        // Made later, and nothing has changed but when the customer was seen.
        let later = try await fixture.take(SubscriberMonth.monthly(hours: 5))
        #expect((later.appended, later.duplicates) == (0, 2))
        async let left = fixture.ledger.ingestRevenueCatSubscriber(
            SubscriberMonth.document("", of: "bea"))
        async let right = fixture.ledger.ingestRevenueCatSubscriber(
            SubscriberMonth.document("", of: "bea"))
        let (one, other) = try await (left, right)
        #expect(one.appended + other.appended == 1)
        #expect(one.refused + other.refused == [])
    }

    @Test("A newer document adds what has changed, also what holds no more")
    func newer() async throws {
        let off = ["unsubscribe_detected_at": #""2026-01-10T00:00:00Z""#]
        try await fixture.take(SubscriberMonth.monthly(off))
        #expect(try fixture.pro() == "active_canceling on ends")
        fixture.clock.now = Self.now + 12 * LedgerFixture.hour
        let head = try fixture.ledger.head().position
        #expect(try await fixture.take(SubscriberMonth.monthly(hours: 1)).appended == 1)
        #expect(
            try RevenueCatIngestTests.types(fixture.ledger, after: head) == [
                "subscription.auto_renew_changed"
            ])
        #expect(try fixture.pro() == "active on renews")
        #expect(try await fixture.take(SubscriberMonth.monthly(hours: 2)).appended == 0)
        let refund = ["refunded_at": #""2026-01-15T14:00:00Z""#]
        #expect(try await fixture.take(SubscriberMonth.monthly(refund, hours: 3)).appended == 1)
        #expect(try fixture.pro() == "refunded off renews")
        #expect(try await fixture.take(SubscriberMonth.monthly(hours: 4)).appended == 1)
        #expect(try fixture.pro() == "active on renews")
        // An older one, taken in late, takes nothing back.
        #expect(try await fixture.take(SubscriberMonth.monthly(hours: 3)).appended == 0)
        let longer = ["expires_date": #""2026-02-03T00:00:00Z""#]
        #expect(try await fixture.take(SubscriberMonth.monthly(longer, hours: 5)).appended == 1)
        #expect(
            try fixture.entitlement("pro")?.expiresAt == instant("2026-02-03T00:00:00Z"))
    }

    @Test("A renewal that a webhook tells continues the lineage of a first period")
    func webhooks() async throws {
        try await fixture.take(SubscriberMonth.monthly())
        let renewal = RevenueCatIngestTests.webhook(
            "RENEWAL", "w1", after: 17 * Self.day, transaction: "9102", days: 16...46)
        #expect(try await fixture.ledger.ingestRevenueCat(renewal).refused == [])
        #expect(try fixture.ledger.event(at: 4)?.stream.name == "apple:9100")
        #expect(try fixture.pro(at: instant("2026-02-20T00:00:00Z")) == "active on renews")
    }

    @Test("A transaction of another lineage is not taken in again, and it is told")
    func elsewhere() async throws {
        // Of the lineage of 9100, from 2026-01-15T12:00:00Z on.
        let bought = RevenueCatIngestTests.webhook("RENEWAL", "w1", transaction: "9101")
        _ = try await fixture.ledger.ingestRevenueCat(bought)
        let receipt = try await fixture.take(
            SubscriberMonth.monthly(
                [
                    "store_transaction_id": #""9101""#,
                    "original_purchase_date": #""2025-06-01T00:00:00Z""#,
                ], hours: 1))
        #expect(receipt.appended == 1)
        #expect(receipt.gapCounts[.knownElsewhere] == 1)
        #expect(receipt.gaps.first?.gap.sentence.contains("the lineage apple:9100") == true)
        #expect(
            try RevenueCatIngestTests.types(fixture.ledger, after: 1) == [
                "subscription.renewed", "subject.created",
            ])
        #expect(try fixture.status().entitlements.first { $0.name == "pro" }?.isActive == true)
    }

    @Test("Sandbox and production of one document stay apart")
    func environments() async throws {
        let payload = SubscriberMonth.document(
            "\"\(SubscriberMonth.product)\":\(SubscriberMonth.month(["is_sandbox": "true"]))",
            once: #"""
                "com.nestling.coins":[{"id":"c1","is_sandbox":false,"store":"app_store",
                "purchase_date":"2026-01-02T00:00:00Z","store_transaction_id":"77",
                "original_purchase_date":"2026-01-02T00:00:00Z"}]
                """#)
        let real = try await fixture.take(payload)
        #expect(real.gapCounts == [.otherEnvironment: 1, .kind: 1])
        #expect(real.notes.map(\.code) == [.unknownProduct])
        #expect(real.notes.map(\.lineage) == ["apple:77"])
        #expect(try fixture.entitlement("pro")?.isActive != true)
        let tried = try await fixture.ledger.ingestRevenueCatSubscriber(
            payload, environment: .sandbox)
        #expect((tried.appended, tried.refused) == (2, []))
        let status = try fixture.ledger.status(of: "ada", environment: .sandbox).status
        #expect(status.entitlements.first { $0.name == "pro" }?.isActive == true)
        for environment in [Environment.test, .xcode] {
            let none = try await fixture.ledger.ingestRevenueCatSubscriber(
                payload, environment: environment)
            #expect(none.refused.map(\.refusal.reason) == [.environment])
        }
    }

    @Test(
        "What cannot be read is a dead letter of its own kind, with the customer, and tried again")
    func deadLetters() async throws {
        let ledger = fixture.ledger
        let payload = Array(#"{"request_date_ms":1768478400000,"subscriber":{}}"#.utf8)
        let dry = try await ledger.ingestRevenueCatSubscriber(
            payload, subject: "ada", isDryRun: true)
        #expect(dry.refused.count == 1)
        #expect(try ledger.deadLetters().isEmpty)
        for _ in 0..<2 {
            let receipt = try await ledger.ingestRevenueCatSubscriber(payload, subject: "ada")
            #expect(receipt.refused.map(\.refusal.reason) == [.format])
            #expect(receipt.refused[0].refusal.detail.contains("first_seen"))
        }
        let deadLetter = try #require(try ledger.deadLetters().first)
        #expect(try ledger.deadLetters().count == 1)
        #expect((deadLetter.kind, deadLetter.subject) == (.revenueCatSubscriber, "ada"))
        #expect(try await ledger.retry(deadLetter).refused.count == 1)
        #expect(try ledger.deadLetters().first?.isWaiting == true)
    }

    @Test("Read again, documents say what they said; a catalog that came later corrects a guess")
    func readAgain() async throws {
        let coins = #"""
            "com.dozzi.unlimited_stories":[{"id":"c1","is_sandbox":false,"store":"app_store",
            "purchase_date":"2026-01-02T00:00:00Z","store_transaction_id":"77",
            "original_purchase_date":"2026-01-02T00:00:00Z"}]
            """#
        let off = ["unsubscribe_detected_at": #""2026-01-10T00:00:00Z""#]
        try await fixture.take(
            SubscriberMonth.monthly(off), SubscriberMonth.monthly(hours: 1),
            SubscriberMonth.document("", once: coins, of: "bea"))
        let same = try await fixture.ledger.reinterpret(ReinterpretOptions())
        #expect(same.payloads == 3)
        #expect(same.differences == [])
        let dozzi = try Ledger(inMemory: "dozzi", clock: { Fixtures.now })
        _ = try await dozzi.ingestRevenueCatSubscriber(SubscriberMonth.document("", once: coins))
        #expect(try dozzi.event(at: 2)?.draft.data["kind"] == "consumable")
        try await dozzi.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi")))
        let other = try await dozzi.reinterpret(ReinterpretOptions())
        #expect(other.differences.map(\.type.rawValue) == ["purchase.completed"])
        #expect(
            other.differences.first?.fields.first { $0.name == "data.kind" }?.now
                == "non_consumable")
    }
}
