import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import Testing

/// What each member of a subscriber document becomes.
@Suite("RevenueCat's subscriber documents: what they tell")
struct SubscriberMappingTests {
    private static let ids: JSONObject = [
        "transaction_id": "2000000900000001", "original_transaction_id": "2000000900000001",
    ]

    private static func with(_ more: JSONObject) -> JSONObject {
        JSONObject(ids.members + more.members)
    }

    @Test("The customer comes first, seen when the document says, with what no event says")
    func customer() throws {
        let reading = try SubscriberDocument.read(SubscriberDocument.monthly())
        #expect(reading.subject == "u_42")
        #expect(reading.signedAt == SubscriberDocument.madeAt)
        let event = reading.events[0]
        #expect(event.type == .subjectCreated)
        #expect(event.subject == "u_42")
        #expect(event.trust == .imported)
        #expect(event.occurredAt == SubscriberDocument.firstSeenAt)
        #expect(event.data["first_seen_at"] == .integer(SubscriberDocument.firstSeenAt))
        #expect(
            event.source
                == EventSource(
                    kind: "revenuecat_subscriber", key: "first_seen/1764547200000/u_42",
                    signedAt: SubscriberDocument.madeAt))
        #expect(
            event.data["revenuecat"]?.object?["subscriber"]?.object?["last_seen"]
                == "2026-01-31T00:00:00Z")
        #expect(reading.aliases == [])
        #expect(reading.gaps == [])
    }

    @Test("A first period is a start with the store's ids, times, price and ownership")
    func started() throws {
        let events = try SubscriberDocument.told(SubscriberDocument.monthly())
        #expect(events.map(\.type.rawValue) == ["subscription.started"])
        let event = events[0]
        #expect(
            event.fields
                == Self.with([
                    "product": "pro.monthly", "starts_at": .integer(SubscriberDocument.boughtAt),
                    "expires_at": .integer(SubscriberDocument.endsAt), "ownership": "purchased",
                    "price_milli": 5_990, "currency": "USD", "reason": "initial",
                ]))
        #expect(event.occurredAt == SubscriberDocument.boughtAt)
        // What the document says of renewal outranks the charge that it is said of.
        #expect(event.source.signedAt == SubscriberDocument.madeAt - 1)
        #expect(
            EventRouter.stream(of: event)
                == StreamName(.production, .lineage, "apple:2000000900000001"))
    }

    @Test("A later period is a renewal whose lineage is marked as unknown")
    func renewed() throws {
        let text = SubscriberDocument.monthly([
            "original_purchase_date": #""2025-06-15T00:00:00Z""#
        ])
        let reading = try SubscriberDocument.read(text)
        let event = reading.events[1]
        #expect(event.type == .subscriptionRenewed)
        #expect(event.data["revenuecat"]?.object?["original_transaction"] == "unknown")
        #expect(reading.gaps.map(\.code) == [.originalTransaction, .earlierPeriods])
        #expect(
            reading.gaps[1].sentence
                == "pro.monthly: bought first on 2025-06-15T00:00:00Z, and the document has "
                + "the period from 2026-01-15T00:00:00Z alone")
    }

    @Test("An original transaction that was written beside is taken, and Google's order tells it")
    func lineage() throws {
        let old = #""2025-06-15T00:00:00Z""#
        let beside = try SubscriberDocument.read(
            SubscriberDocument.monthly([
                "original_purchase_date": old, "original_transaction_id": #""2000000800000000""#,
            ]))
        #expect(
            EventRouter.stream(of: beside.events[1]).name == "apple:2000000800000000")
        #expect(beside.gaps.map(\.code) == [.earlierPeriods])
        let google = try SubscriberDocument.read(
            SubscriberDocument.monthly([
                "original_purchase_date": old, "store": #""play_store""#,
                "store_transaction_id": #""GPA.6801-7988-0152-76034..5""#,
                "product_plan_identifier": #""month""#,
            ]))
        let event = google.events[1]
        #expect(EventRouter.stream(of: event).name == "google:GPA.6801-7988-0152-76034")
        #expect(event.data["transaction_id"] == "GPA.6801-7988-0152-76034..5")
        // As webhooks name the product.
        #expect(event.data["product"] == "pro.monthly:month")
        #expect(google.gaps.map(\.code) == [.earlierPeriods])
    }

    @Test(
        "The kind of a period is an offer",
        arguments: [
            ("trial", ["type": "introductory", "discount": "free_trial"]),
            ("intro", ["type": "introductory"]), ("normal", nil), ("prepaid", nil),
        ] as [(String, JSONObject?)])
    func offers(period: String, offer: JSONObject?) throws {
        let event = try SubscriberDocument.told(
            SubscriberDocument.monthly(["period_type": "\"\(period)\""]))[0]
        #expect(event.data["offer"] == offer.map(JSONValue.object))
        #expect(event.data["auto_renew"] == (period == "prepaid" ? false : nil))
    }

    @Test("Family sharing, an unknown price, and one that is finer than a thousandth")
    func charge() throws {
        let event = try SubscriberDocument.told(
            SubscriberDocument.monthly([
                "ownership_type": #""FAMILY_SHARED""#, "price": "null",
            ]))[0]
        #expect(event.data["ownership"] == "family_shared")
        #expect(event.data["price_milli"] == 0)
        #expect(event.data["currency"] == "XXX")
        let fine = try SubscriberDocument.told(
            SubscriberDocument.monthly(["price": #"{"amount":5.98765,"currency":"EUR"}"#]))[0]
        #expect(fine.data["price_milli"] == 5_988)
        #expect(fine.data["revenuecat"]?.object?["rounded"] == true)
        #expect(
            fine.data["revenuecat"]?.object?["purchase"]?.object?["price"]?.object?["amount"]
                == .number("5.98765"))
    }

    @Test("Switched off, failed with grace, refunded and paused are told with their times")
    func standing() throws {
        let events = try SubscriberDocument.told(
            SubscriberDocument.monthly([
                "unsubscribe_detected_at": #""2026-01-20T00:00:00Z""#,
                "billing_issues_detected_at": #""2026-01-20T00:00:00Z""#,
                "grace_period_expires_date": #""2026-02-20T00:00:00Z""#,
                "refunded_at": #""2026-01-20T00:00:00Z""#,
                "auto_resume_date": #""2026-02-20T00:00:00Z""#,
            ]))
        #expect(
            events.map(\.type.rawValue) == [
                "subscription.started", "subscription.auto_renew_changed",
                "subscription.billing_failed", "purchase.refunded", "subscription.pause_scheduled",
            ])
        let (then, later): (JSONValue, JSONValue) = (1_768_867_200_000, 1_771_545_600_000)
        #expect(
            events[1].fields
                == Self.with(["enabled": false, "cause": "unknown", "product": "pro.monthly"]))
        #expect(events[2].fields == Self.with(["grace_expires_at": later]))
        #expect(
            events[3].fields == Self.with(["revoked_at": then, "product": "pro.monthly"]))
        #expect(
            events[4].fields
                == Self.with([
                    "pause_at": .integer(SubscriberDocument.endsAt), "resume_at": later,
                ]))
        #expect(events[1...3].map(\.occurredAt).allSatisfy { $0 == then.integer })
        // When the pause was asked for is not in the document.
        #expect(events[4].occurredAt == SubscriberDocument.madeAt)
        #expect(events.dropFirst().allSatisfy { $0.source.signedAt == SubscriberDocument.madeAt })
    }

    @Test("A failed charge before the period is no failure of it, and is kept as it was")
    func mended() throws {
        let events = try SubscriberDocument.told(
            SubscriberDocument.monthly([
                "billing_issues_detected_at": #""2026-01-14T00:00:00Z""#
            ]))
        #expect(events.map(\.type.rawValue) == ["subscription.started"])
        #expect(
            events[0].data["revenuecat"]?.object?["purchase"]?.object?[
                "billing_issues_detected_at"] == "2026-01-14T00:00:00Z")
    }

    @Test("A promotion is a grant of what the document has by it, else of what its name says")
    func promotions() throws {
        let promotion = SubscriberDocument.subscription([
            "store": #""promotional""#, "period_type": #""promotional""#, "expires_date": "null",
            "store_transaction_id": #""a42db3af""#, "price": "null",
        ])
        let listed = try SubscriberDocument.read(
            SubscriberDocument.document(
                "\"rc_promo_pro_cat_lifetime\":\(promotion)",
                entitlements: #""pro":{"product_identifier":"rc_promo_pro_cat_lifetime"}"#))
        #expect(listed.events.map(\.type.rawValue) == ["subject.created", "grant.issued"])
        #expect(
            listed.events[1].fields == [
                "grant_id": "a42db3af", "entitlement": "pro",
                "starts_at": .integer(SubscriberDocument.boughtAt), "reason": "promo",
            ])
        #expect(listed.gaps == [])
        let named = try SubscriberDocument.read(
            SubscriberDocument.document("\"rc_promo_pro_cat_lifetime\":\(promotion)"))
        #expect(named.events[1].data["entitlement"] == "pro_cat")
        #expect(named.gaps.map(\.code) == [.promotion])
        let nameless = try SubscriberDocument.read(
            SubscriberDocument.document("\"gift\":\(promotion)"))
        #expect(nameless.events.map(\.type.rawValue) == ["subject.created"])
        #expect(nameless.gaps.map(\.code) == [.promotion])
    }

    @Test("What is bought once is of the catalog's kind, and guessed without one")
    func once() throws {
        let lifetime = #""com.dozzi.unlimited_stories":[\#(SubscriberDocument.once())]"#
        let text = SubscriberDocument.document(once: lifetime)
        let told = try SubscriberDocument.read(text, catalog: Fixtures.catalog("dozzi"))
        #expect(told.events.map(\.type.rawValue) == ["subject.created", "purchase.completed"])
        #expect(
            told.events[1].fields == [
                "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                "transaction_id": "2000000900000009",
                "original_transaction_id": "2000000900000009",
                "starts_at": .integer(SubscriberDocument.boughtAt), "price_milli": 0,
                "currency": "XXX",
            ])
        #expect(told.gaps == [])
        let guessed = try SubscriberDocument.read(text)
        #expect(guessed.events[1].data["kind"] == "consumable")
        #expect(guessed.events[1].data["revenuecat"]?.object?["kind_guessed"] == true)
        #expect(guessed.gaps.map(\.code) == [.kind])
        let opening = try SubscriberDocument.read(
            SubscriberDocument.document(
                once: lifetime,
                entitlements:
                    #""unlimited":{"product_identifier":"com.dozzi.unlimited_stories"}"#))
        #expect(opening.events[1].data["kind"] == "non_consumable")
    }

    @Test("Two of one consumable are two lineages")
    func consumables() throws {
        let second = SubscriberDocument.once([
            "store_transaction_id": "2000000900000010",
            "purchase_date": #""2026-01-20T00:00:00Z""#,
        ])
        let events = try SubscriberDocument.told(
            SubscriberDocument.document(
                once: #""coins":[\#(SubscriberDocument.once()),\#(second)]"#))
        #expect(
            events.map { EventRouter.stream(of: $0).name } == [
                "apple:2000000900000009", "apple:2000000900000010",
            ])
    }

    @Test("Without a transaction of the store a name stands in, and it is told")
    func withoutTransaction() throws {
        let once = try SubscriberDocument.read(
            SubscriberDocument.document(
                once: #""coins":[\#(SubscriberDocument.once(["store_transaction_id": "null"]))]"#))
        #expect(once.events[1].data["transaction_id"] == "revenuecat:a2e80e6a43")
        #expect(once.gaps.map(\.code) == [.transaction, .kind])
        let month = SubscriberDocument.monthly(["store_transaction_id": "null"])
        let one = try SubscriberDocument.read(month)
        let id = try #require(one.events[1].data["transaction_id"]?.text)
        #expect(id.hasPrefix("revenuecat:"))
        #expect(id.utf8.count == 43)
        let other = try SubscriberDocument.read(month, subject: "u_43")
        #expect(other.events[1].data["transaction_id"]?.text != id)
    }

    @Test("A purchase has the same key in a later document; how things stand has the moment in it")
    func keys() throws {
        func keys(_ text: String) throws -> [String] {
            try SubscriberDocument.told(text).compactMap(\.source.key)
        }
        let off = ["unsubscribe_detected_at": #""2026-01-20T00:00:00Z""#]
        let first = try keys(SubscriberDocument.monthly(off))
        let later = try keys(
            SubscriberDocument.monthly(off)
                .replacing("2026-02-01T00:00:05Z", with: "2026-02-02T00:00:05Z")
                .replacing("1769904005250", with: "1769990405250"))
        #expect(later[0] == first[0])
        #expect(
            first[1] == "renewal_off/apple:2000000900000001/1768867200000/1769904005250/u_42")
        #expect(
            later[1] == "renewal_off/apple:2000000900000001/1768867200000/1769990405250/u_42")
        let longer = try keys(
            SubscriberDocument.monthly(
                off.merging(["expires_date": #""2026-02-16T00:00:00Z""#]) { $1 }))
        #expect(longer[0] != first[0])
    }
}
