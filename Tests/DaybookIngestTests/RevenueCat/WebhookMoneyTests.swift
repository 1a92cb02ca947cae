import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Prices digit by digit, and what is bought once.
@Suite("RevenueCat: money and one-time purchases")
struct WebhookMoneyTests {
    private static func renewal(_ price: String, _ currency: String) throws -> EventDraft {
        let members = Webhook.subscription
            .replacing(#""currency":"USD""#, with: #""currency":\#(currency)"#)
            .replacing(
                #""price_in_purchased_currency":4.99"#,
                with: #""price_in_purchased_currency":\#(price)"#)
        return try Webhook.event("RENEWAL", members)
    }

    @Test(
        "A price is whole thousandths of the currency that was paid in",
        arguments: [
            ("4.99", "USD", 4_990), ("0", "USD", 0), ("0.0", "EUR", 0), ("800", "JPY", 800_000),
            ("800.0", "JPY", 800_000), ("1.234", "KWD", 1_234), ("0.001", "BHD", 1),
            ("8.1", "EUR", 8_100), ("1e3", "JPY", 1_000_000), ("49.9e-1", "USD", 4_990),
            ("79.99", "GBP", 79_990), ("1999999.99", "IDR", 1_999_999_990),
            ("-4.99", "USD", -4_990),
            // No product of a binary fraction would be these.
            ("0.29", "USD", 290), ("1.005", "TND", 1_005),
            ("999999999999.999", "VND", 999_999_999_999_999),
        ] as [(String, String, Int64)])
    func exact(price: String, currency: String, milli: Int64) throws {
        let event = try Self.renewal(price, "\"\(currency)\"")
        #expect(event.data["price_milli"] == .integer(milli))
        #expect(event.data["currency"] == .string(currency))
        #expect(event.payload?["price_in_purchased_currency"] == nil)
        // The dollars, which are no price of ours where something else was paid.
        #expect(event.payload?["price"] == .number("4.99"))
    }

    @Test(
        "What is finer than a thousandth is rounded half to even, said so, and kept as it was",
        arguments: [
            ("4.990000000000001", 4_990), ("4.9895", 4_990), ("4.9905", 4_990), ("4.9915", 4_992),
            ("0.0004", 0), ("0.0005", 0), ("0.00051", 1), ("0.0015", 2), ("-0.0015", -2),
        ] as [(String, Int64)])
    func rounded(price: String, milli: Int64) throws {
        let event = try Self.renewal(price, "\"USD\"")
        #expect(event.data["price_milli"] == .integer(milli))
        #expect(event.data["revenuecat"]?.object?["rounded"] == true)
        #expect(event.payload?["price_in_purchased_currency"] == .number(price))
    }

    @Test("Dollars count where dollars were paid and nothing else is told, and only there")
    func dollars() throws {
        let event = try Self.renewal("null", "\"USD\"")
        #expect(event.data["price_milli"] == 4_990)
        for (price, currency) in [("null", "\"EUR\""), ("7.99", "null")] {
            let unknown = try Self.renewal(price, currency)
            #expect(unknown.data["price_milli"] == 0)
            #expect(unknown.data["currency"] == "XXX")
            #expect(unknown.payload?["price"] == .number("4.99"))
        }
    }

    @Test("A price that is no number, or too much money, is refused with its place")
    func refused() throws {
        for (price, code) in [
            ("true", "wrong_type"), ("\"many\"", "out_of_bounds"), ("1e300", "out_of_bounds"),
            ("1000000000000000", "out_of_bounds"),
        ] {
            let error = #expect(throws: LineProblem.self) { try Self.renewal(price, "\"USD\"") }
            #expect(error?.code == code, "\(price)")
            #expect(error?.member == "event.price_in_purchased_currency", "\(price)")
            #expect((error?.line ?? 0) > 1, "\(price)")
        }
    }

    // MARK: Bought once

    private static let once = Webhook.subscription
        .replacing("1772323200000", with: "null").replacing(
            "2000000900000001", with: "2000000900000002")

    private static func catalog(_ kind: String) throws -> Catalog {
        let more = kind == "nonRenewing" ? "\n    duration: P30D" : ""
        let yaml = "app: x\nproducts:\n  com.example.pro.monthly:\n    kind: \(kind)\(more)\n"
        return try CatalogReader.read(Array(yaml.utf8))
    }

    @Test(
        "What kind of purchase it was the catalog says",
        arguments: [
            ("consumable", "consumable", StreamKind.lineage),
            ("nonConsumable", "non_consumable", .lineage),
            ("nonRenewing", "non_renewing", .lineage),
        ])
    func kinds(kind: String, word: String, stream: StreamKind) throws {
        let catalog = try Self.catalog(kind)
        let payload = Webhook.payload("NON_RENEWING_PURCHASE", Self.once)
        let bought = try #require(try Webhook.read(payload, catalog: catalog).events.first)
        #expect(bought.type == .purchaseCompleted)
        #expect(bought.data["kind"] == .string(word))
        #expect(bought.data["price_milli"] == 4_990)
        #expect(bought.occurredAt == Webhook.boughtAt)
        #expect(bought.data["revenuecat"]?.object?["kind_guessed"] == nil)
        #expect(EventRouter.stream(of: bought).kind == stream)
        let refund = Webhook.payload(
            "CANCELLATION", Self.once + #","cancel_reason":"CUSTOMER_SUPPORT""#)
        let back = try #require(try Webhook.read(refund, catalog: catalog).events.first)
        #expect(back.type == .purchaseRefunded)
        #expect(EventRouter.stream(of: back) == EventRouter.stream(of: bought))
    }

    @Test("Without a catalog the kind is guessed from what it opens and how long, and said to be")
    func guesses() throws {
        let without = Self.once.replacing(#"["pro"]"#, with: "null")
        for (members, word) in [
            (Self.once, "non_consumable"), (without, "consumable"),
            (Webhook.subscription, "non_renewing"),
        ] {
            let event = try Webhook.event("NON_RENEWING_PURCHASE", members)
            #expect(event.data["kind"] == .string(word))
            #expect(event.data["revenuecat"]?.object?["kind_guessed"] == true)
        }
    }

    // MARK: Product changes

    @Test("A change is at once where the catalog ranks the new product higher, else at the renewal")
    func changes() throws {
        let yaml = """
            app: x
            groups: [Pro, Other]
            products:
              high: { kind: autoRenewable, group: Pro, level: 1, period: P1M }
              low: { kind: autoRenewable, group: Pro, level: 2, period: P1M }
              low.too: { kind: autoRenewable, group: Pro, level: 2, period: P1M }
              low.yearly: { kind: autoRenewable, group: Pro, level: 2, period: P1Y }
              other: { kind: autoRenewable, group: Other, level: 1, period: P1M }
            """
        let catalog = try CatalogReader.read(Array(yaml.utf8))
        for (from, to, effective) in [
            ("low", "high", "now"), ("high", "low", "next_renewal"), ("low", "low.too", "now"),
            ("low", "low.yearly", "next_renewal"), ("low", "other", "next_renewal"),
            ("low", "nowhere", "next_renewal"),
        ] {
            let members =
                Webhook.subscription.replacing("com.example.pro.monthly", with: from)
                + #","new_product_id":"\#(to)""#
            let payload = Webhook.payload("PRODUCT_CHANGE", members)
            let event = try #require(try Webhook.read(payload, catalog: catalog).events.first)
            #expect(event.type == .subscriptionProductChanged)
            #expect(event.data["from"] == .string(from))
            #expect(event.data["to"] == .string(to))
            #expect(event.data["effective"] == .string(effective), "\(from) to \(to)")
            // The old product's end is information, no fact.
            #expect(event.payload?["expiration_at_ms"] == .integer(Webhook.endsAt))
            let plain = try #require(try Webhook.read(payload).events.first)
            #expect(plain.data["effective"] == "next_renewal")
        }
    }
}
