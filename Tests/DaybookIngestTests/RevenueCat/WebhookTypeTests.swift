import DaybookEvents
import DaybookIngest
import Testing

/// What every type of webhook becomes (docs/revenuecat.md).
@Suite("RevenueCat: the types")
struct WebhookTypeTests {
    private static let lineage: JSONObject = [
        "transaction_id": "2000000900000002", "original_transaction_id": "2000000900000001",
    ]

    private static func with(_ more: JSONObject) -> JSONObject {
        JSONObject(lineage.members + more.members)
    }

    private static let period: JSONObject = with([
        "product": "com.example.pro.monthly", "starts_at": .integer(Webhook.boughtAt),
        "expires_at": .integer(Webhook.endsAt), "ownership": "purchased", "price_milli": 4_990,
        "currency": "USD",
    ])

    @Test("A renewal is one fact with the store's own ids, times and price")
    func renewal() throws {
        let event = try Webhook.event(
            "RENEWAL", Webhook.subscription + #","is_trial_conversion":true"#)
        #expect(event.type == .subscriptionRenewed)
        #expect(event.environment == .production)
        #expect(event.subject == "u_42")
        #expect(event.trust == .imported)
        #expect(
            event.source
                == EventSource(kind: "revenuecat", key: Webhook.id, signedAt: Webhook.madeAt))
        #expect(event.occurredAt == Webhook.boughtAt)
        var expected = Self.period
        expected["trial_conversion"] = true
        #expect(event.fields == expected)
        let stream = EventRouter.stream(of: event)
        #expect(stream == StreamName(.production, .lineage, "apple:2000000900000001"))
    }

    @Test("A first purchase is initial, one in a lineage that is there a resubscription")
    func initial() throws {
        let again = try Webhook.event("INITIAL_PURCHASE")
        #expect(again.type == .subscriptionStarted)
        #expect(again.data["reason"] == "resubscribe")
        let first = try Webhook.event(
            "INITIAL_PURCHASE",
            Webhook.subscription.replacing("2000000900000002", with: "2000000900000001"))
        #expect(first.data["reason"] == "initial")
        #expect(first.data["offer"] == nil)
    }

    @Test("A charge that is dated after the webhook happened when it was told")
    func early() throws {
        let event = try Webhook.event(
            "RENEWAL", Webhook.subscription.replacing("1769904000000", with: "1769990400000"))
        #expect(event.occurredAt == Webhook.madeAt)
        #expect(event.data["starts_at"] == 1_769_990_400_000)
    }

    @Test(
        "A free trial, a paid introduction and a code are told apart",
        arguments: [
            (#""TRIAL""#, "null", ["type": "introductory", "discount": "free_trial"]),
            (#""INTRO""#, "null", ["type": "introductory"]),
            (#""NORMAL""#, #""spring""#, ["type": "offer_code", "id": "spring"]),
            (
                #""TRIAL""#, #""spring""#,
                ["type": "offer_code", "discount": "free_trial", "id": "spring"]
            ),
        ] as [(String, String, JSONObject)])
    func offers(period: String, code: String, offer: JSONObject) throws {
        let members = Webhook.subscription
            .replacing(#""period_type":"NORMAL""#, with: #""period_type":\#(period)"#)
            .replacing(#""offer_code":null"#, with: #""offer_code":\#(code)"#)
        let event = try Webhook.event("INITIAL_PURCHASE", members)
        #expect(event.data["offer"] == .object(offer))
        #expect(event.payload?["period_type"] != nil)
    }

    @Test(
        "A cancellation says by its reason what happened",
        arguments: [
            ("UNSUBSCRIBE", "user"), ("PRICE_INCREASE", "price_increase"),
            ("DEVELOPER_INITIATED", "unknown"), ("UNKNOWN", "unknown"), ("ELSE", "unknown"),
        ])
    func cancellation(reason: String, cause: String) throws {
        let event = try Webhook.event(
            "CANCELLATION", Webhook.subscription + #","cancel_reason":"\#(reason)""#)
        #expect(event.type == .subscriptionAutoRenewChanged)
        #expect(
            event.fields
                == Self.with([
                    "enabled": false, "cause": .string(cause),
                    "product": "com.example.pro.monthly",
                ]))
        #expect(event.occurredAt == Webhook.madeAt)
        #expect(event.payload?["cancel_reason"] == .string(reason))
    }

    @Test("A refund takes the named transaction back, when it was told, and the amount is no loss")
    func refund() throws {
        let members =
            Webhook.subscription
            .replacing("4.99", with: "-4.99") + #","cancel_reason":"CUSTOMER_SUPPORT""#
        let event = try Webhook.event("CANCELLATION", members)
        #expect(event.type == .purchaseRefunded)
        #expect(
            event.fields
                == Self.with([
                    "revoked_at": .integer(Webhook.madeAt), "amount_milli": 4_990,
                    "currency": "USD", "product": "com.example.pro.monthly",
                ]))
        let back = try Webhook.event("REFUND_REVERSED")
        #expect(back.type == .purchaseRefundReversed)
        #expect(back.fields == Self.with(["product": "com.example.pro.monthly"]))
        #expect(EventRouter.stream(of: back) == EventRouter.stream(of: event))
    }

    @Test("A failed charge has its grace from BILLING_ISSUE, and its twin takes none away")
    func billing() throws {
        let grace = #","grace_period_expiration_at_ms":1773000000000"#
        let event = try Webhook.event("BILLING_ISSUE", Webhook.subscription + grace)
        #expect(event.type == .subscriptionBillingFailed)
        #expect(event.data["grace_expires_at"] == 1_773_000_000_000)
        let none = try Webhook.event(
            "BILLING_ISSUE", Webhook.subscription + #","grace_period_expiration_at_ms":null"#)
        #expect(none.type == .subscriptionBillingFailed)
        #expect(none.data["grace_expires_at"] == nil)
        let reason = #","cancel_reason":"BILLING_ERROR""#
        let twin = try Webhook.event("CANCELLATION", Webhook.subscription + reason)
        #expect(twin.type == EventTypeName(rawValue: "ops.billing_error_noted"))
        #expect(Vocabulary.isKnown(twin.type) == false)
        let knowing = try Webhook.event("CANCELLATION", Webhook.subscription + reason + grace)
        #expect(knowing.type == .subscriptionBillingFailed)
        #expect(knowing.data["grace_expires_at"] == 1_773_000_000_000)
    }

    @Test(
        "An expiration ends its transaction at once where it comes before the time",
        arguments: [
            ("UNSUBSCRIBE", "voluntary"), ("BILLING_ERROR", "billing_retry_ended"),
            ("PRICE_INCREASE", "price_increase_declined"), ("CUSTOMER_SUPPORT", "refunded"),
            ("SUBSCRIPTION_PAUSED", "paused"), ("DEVELOPER_INITIATED", "developer"),
            ("UNKNOWN", "other"), ("ELSE", "other"),
        ])
    func expiration(word: String, reason: String) throws {
        let members = Webhook.subscription + #","expiration_reason":"\#(word)""#
        let event = try Webhook.event("EXPIRATION", members)
        #expect(event.type == .subscriptionExpired)
        #expect(event.occurredAt == Webhook.madeAt)
        #expect(
            event.fields
                == Self.with([
                    "reason": .string(reason), "ended_at": .integer(Webhook.madeAt),
                    "product": "com.example.pro.monthly",
                ]))
        // What the webhook said of the end is not lost.
        #expect(
            event.data["revenuecat"]?.object?["expiration_at_ms"] == .integer(Webhook.endsAt))
        let over = try Webhook.event(
            "EXPIRATION", members.replacing("1772323200000", with: "1769904001000"))
        #expect(over.data["ended_at"] == 1_769_904_001_000)
    }

    @Test("Switched on again, extended, and a pause that is to come")
    func notices() throws {
        let on = try Webhook.event("UNCANCELLATION")
        #expect(on.type == .subscriptionAutoRenewChanged)
        #expect(on.data["enabled"] == true)
        let extended = try Webhook.event("SUBSCRIPTION_EXTENDED")
        #expect(extended.type == .subscriptionExtended)
        #expect(
            extended.fields == Self.with(["new_expires_at": .integer(Webhook.endsAt)]))
        let paused = try Webhook.event(
            "SUBSCRIPTION_PAUSED",
            Webhook.subscription.replacing("APP_STORE", with: "PLAY_STORE")
                + #","auto_resume_at_ms":1775000000000"#)
        #expect(paused.type == .subscriptionPauseScheduled)
        #expect(
            paused.fields
                == Self.with([
                    "pause_at": .integer(Webhook.endsAt), "resume_at": 1_775_000_000_000,
                    "store": "google",
                ]))
    }

    @Test("What is given for a day while a store is out of order ends within the day")
    func temporary() throws {
        let event = try Webhook.event("TEMPORARY_ENTITLEMENT_GRANT")
        #expect(event.type == .grantIssued)
        #expect(
            event.fields
                == [
                    "grant_id": .string("\(Webhook.id)/pro"), "entitlement": "pro",
                    "starts_at": .integer(Webhook.boughtAt),
                    "expires_at": .integer(Webhook.boughtAt + 86_400_000),
                    "reason": "compensation",
                ])
        let shorter = try Webhook.event(
            "TEMPORARY_ENTITLEMENT_GRANT",
            Webhook.subscription.replacing("1772323200000", with: "1769907600000"))
        #expect(shorter.data["expires_at"] == 1_769_907_600_000)
    }

    @Test("A customer who takes part in an experiment has seen its variant")
    func experiment() throws {
        let event = try Webhook.event(
            "EXPERIMENT_ENROLLMENT",
            Webhook.common
                + #","experiment_id":"prexp1","experiment_variant":"b","offering_id":"o","experiment_enrolled_at_ms":1769904001000"#
        )
        #expect(event.type == .experimentExposed)
        #expect(event.fields == ["experiment": "prexp1", "variant": "b"])
        #expect(event.occurredAt == 1_769_904_001_000)
        #expect(event.payload?["offering_id"] == "o")
    }

    @Test("A test and an invoice are operations; a test creates no customer")
    func operations() throws {
        let test = try Webhook.event("TEST", Webhook.subscription)
        #expect(test.type == EventTypeName(rawValue: "ops.test_received"))
        #expect(test.subject == nil)
        #expect(EventRouter.stream(of: test).kind == .ledger)
        let invoice = try Webhook.event("INVOICE_ISSUANCE")
        #expect(invoice.type == EventTypeName(rawValue: "ops.invoice_issued"))
        #expect(invoice.subject == "u_42")
    }

    @Test("An unknown type is stored raw and flagged, also without a customer")
    func unknown() throws {
        let reading = try Webhook.read(type: "SUBSCRIPTION_DREAMT")
        #expect(!reading.isKnown)
        let event = try #require(reading.events.first)
        #expect(event.type == EventTypeName(rawValue: "ops.unknown_notification"))
        #expect(event.data["notification_type"] == "SUBSCRIPTION_DREAMT")
        #expect(event.payload?["type"] == "SUBSCRIPTION_DREAMT")
        #expect(event.payload?["product_id"] == "com.example.pro.monthly")
        let guest = try Webhook.event(
            "SOMETHING", Webhook.common.replacing("u_42", with: "guest"))
        #expect(guest.subject == nil)
        #expect(guest.payload?["app_user_id"] == "guest")
    }

    @Test("Every type that has a meaning here is read, and its event keeps the type's own word")
    func all() throws {
        let more = #"""
            ,"cancel_reason":"UNSUBSCRIBE","expiration_reason":"UNSUBSCRIBE",
            "new_product_id":"com.example.pro.yearly","transferred_from":["a"],
            "transferred_to":["b"],"experiment_id":"e","experiment_variant":"v",
            "adjustments":[{"amount":5,"currency":{"code":"COIN"}}]
            """#
        for type in RevenueCatType.allCases {
            let reading = try Webhook.read(type: type.rawValue, Webhook.subscription + more)
            #expect(reading.isKnown, "\(type)")
            #expect(reading.type == type.rawValue)
            let first = try #require(reading.drafts.first, "\(type)")
            #expect(first.payload?["type"] == .string(type.rawValue))
            #expect(first.source.key == Webhook.id)
            for draft in reading.drafts {
                #expect(try EventValidator.canonical(draft) == draft, "\(type)")
                #expect(draft.source.kind == "revenuecat")
                #expect(draft.source.signedAt == Webhook.madeAt)
                #expect(draft.trust == .imported)
            }
        }
    }
}
