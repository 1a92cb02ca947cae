import DaybookDomain
import Testing

@Suite("Dozzi's catalog")
struct DozziCatalogTests {
    private let catalog: Catalog

    init() throws {
        catalog = try CatalogSamples.catalog(ofApp: "dozzi")
    }

    private func text(_ key: String?, _ arguments: [String: String] = [:]) -> String? {
        key.flatMap { catalog.text($0, locale: "en-US", arguments: arguments) }
    }

    @Test(
        "DZ-01 DZ-02 DZ-03 The status text is the document's, with a safe plural beside it",
        arguments: [
            (2, "2 stories remaining"), (1, "1 stories remaining"), (0, "0 stories remaining"),
        ])
    func remaining(_ count: Int64, _ expected: String) {
        let key = catalog.meter(named: "stories")?.statusText
        #expect(text(key, ["remaining": "\(count)"]) == expected)
        let safe = catalog.pluralSafeText(
            key ?? "", locale: "en", count: count, arguments: ["remaining": "\(count)"])
        #expect(safe == (count == 1 ? "1 story remaining" : expected))
    }

    @Test("DZ-04 Unlimited shows its text, badge and icon; free the clock")
    func statuses() throws {
        let unlimited = try #require(catalog.statuses.first)
        #expect(unlimited.status == "unlimited")
        #expect(unlimited.condition == .entitled("unlimited", states: [], product: nil))
        #expect(text(unlimited.text) == "Unlimited stories")
        let shown = Dictionary(uniqueKeysWithValues: unlimited.attributes.map { ($0.slot, $0.key) })
        #expect(shown["icon"] == "infinity")
        #expect(text(shown["badge"]) == "PREMIUM")
        let free = try #require(catalog.statuses.last)
        #expect(free.status == "free")
        #expect(free.attributes.first { $0.slot == "icon" }?.key == "clock")
        #expect(free.attributes.first { $0.slot == "iconColor" }?.key == "orange")
    }

    @Test("DZ-12 Without stories left the document's error is said")
    func noStories() {
        #expect(text(catalog.meter(named: "stories")?.limitReachedText) == "No stories remaining")
    }

    @Test(
        "DZ-26 The paywall says what the document says",
        arguments: [
            ("title", "Unlock Unlimited Stories"), ("dismiss", "Maybe Later"),
            ("header", "Hi! I'm Dozzi!"),
            (
                "subheader",
                "I can create unlimited magical bedtime stories just for your little one"
            ),
            ("benefitsTitle", "What you'll get:"), ("cta", "Unlock Unlimited Stories"),
            ("ctaCaption", "One-time purchase"), ("restore", "Restore Purchases"),
            ("trust", "✨ Join thousands of happy families"),
            ("trustDetail", "No subscriptions • No recurring charges • No ads"),
        ])
    func paywall(_ slot: String, _ expected: String) throws {
        let paywall = try #require(catalog.paywall(context: "usageLimitReached"))
        #expect(text(paywall.slots.first { $0.slot == slot }?.key) == expected)
        #expect(paywall.products == ["com.dozzi.unlimited_stories"])
    }

    @Test("DZ-26 The paywall lists four benefits with their icons")
    func benefits() throws {
        let paywall = try #require(catalog.paywall(context: "default"))
        let rows = paywall.benefits.map { [$0.icon, text($0.title), text($0.subtitle)] }
        #expect(
            rows == [
                [
                    "infinity", "Unlimited Stories",
                    "Create as many personalized stories as you want",
                ],
                [
                    "speaker.wave.3.fill", "Premium Voices",
                    "High-quality, age-appropriate narration",
                ],
                [
                    "heart.fill", "Always Personalized",
                    "Every story features your child as the hero",
                ],
                ["shield.fill", "Safe & Private", "Stories generated on-device, no data shared"],
            ])
    }

    @Test("DZ-28 The funnel goes from the paywall to the completed purchase")
    func funnel() {
        #expect(
            catalog.funnel("paywall_to_purchase")?.steps.map(\.event)
                == [.paywallShown, .checkoutStarted, .checkoutCompleted])
    }

    @Test(
        "DZ-29 to DZ-37 The targets are the document's, in thousandths",
        arguments: [
            ("purchaseCompletion", 850, nil), ("freeToPaidConversion", 30, 50),
            ("averageRevenuePerUser", 90, 150), ("monthlyActiveUsersGrowth", 200, nil),
            ("retentionDay7", 300, nil), ("refundRate", 50, nil), ("featureAdoption", 700, nil),
            ("storeKitSuccess", 990, nil), ("appRating", 4500, nil), ("crashRate", 1, nil),
            ("supportTickets", 20, nil), ("backendResponseMilliseconds", 500_000, nil),
        ] as [(String, Int64, Int64?)])
    func kpi(_ name: String, _ target: Int64, _ upper: Int64?) {
        let kpi = catalog.kpis.first { $0.name == name }
        #expect(kpi?.targetMilli == target)
        #expect(kpi?.upperMilli == upper)
    }

    @Test("DZ-38 A story costs 0.012 dollars")
    func cost() {
        let stories = catalog.meter(named: "stories")
        #expect(stories?.unitCostMicros == 12_000)
        #expect(stories?.costCurrency == "USD")
        #expect(stories?.eventLabel == "story created")
        #expect(stories?.reservationTimeoutMilliseconds == 600_000)
    }

    @Test("DZ-07 The store's name and description are the document's")
    func product() throws {
        let product = try #require(catalog.products.first)
        #expect(product.referenceName == "Unlimited Bedtime Stories")
        #expect(text(product.displayName) == "Unlimited Stories")
        #expect(
            text(product.displayDescription)
                == "Create unlimited personalized bedtime stories "
                + "with premium voices for your child"
        )
    }
}
