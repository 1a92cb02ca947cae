import DaybookDomain
import Testing

@Suite("The five catalogs")
struct FiveCatalogsTests {
    /// Event types that the catalogs' funnels may name, from docs/events.md.
    static let vocabulary: Set<String> = [
        "app.launched", "onboarding.started", "onboarding.step_viewed", "onboarding.step_completed",
        "onboarding.skipped", "onboarding.completed", "milestone.reached", "paywall.shown",
        "paywall.dismissed", "checkout.started", "checkout.completed", "checkout.failed",
        "subscription.started", "subscription.renewed", "profile.created", "purchase.completed",
        "purchase.assigned",
    ]

    @Test(
        "Every catalog reads without a mistake and bears its folder's name",
        arguments: CatalogSamples.apps)
    func reads(_ app: String) throws {
        let catalog = try CatalogReader.read(
            CatalogSamples.bytes(ofApp: app), knownEventTypes: Self.vocabulary)
        #expect(catalog.app == app)
        #expect(CatalogStructure(catalog).conflicts(with: CatalogStructure(catalog)).isEmpty)
        #expect(catalog.policies.transfer == .transferIfInactive)
    }

    @Test("Nothing about the five is in doubt", arguments: CatalogSamples.apps)
    func warnings(_ app: String) throws {
        let warnings = try CatalogReader.readWithWarnings(CatalogSamples.bytes(ofApp: app)).warnings
        #expect(warnings == [])
    }

    @Test("A single non-consumable for profiles is in doubt: the store charges once (T1)")
    func singleProduct() throws {
        var text = String(decoding: try CatalogSamples.bytes(ofApp: "ollie"), as: UTF8.self)
        for number in 2...3 {
            let start = try #require(text.range(of: "  com.ollie.premium.perdog.\(number):\n"))
            let end = try #require(
                text.range(
                    of: "    entitlements: [premium]\n", range: start.upperBound..<text.endIndex))
            text.removeSubrange(start.lowerBound..<end.upperBound)
            text = text.replacing(", com.ollie.premium.perdog.\(number)", with: "")
        }
        let warnings = try CatalogReader.readWithWarnings(Array(text.utf8)).warnings
        #expect(warnings.map(\.path) == ["products/com.ollie.premium.perdog"])
    }

    /// Product id, kind, period, and prices in document order.
    static let products:
        [(app: String, id: String, kind: Product.Kind, period: String?, milli: [Int64])] = [
            ("dozzi", "com.dozzi.unlimited_stories", .nonConsumable, nil, [2990]),
            (
                "magical-stories", "com.magicalstories.premium.monthly", .autoRenewable, "P1M",
                [8990]
            ),
            (
                "magical-stories", "com.magicalstories.premium.yearly", .autoRenewable, "P1Y",
                [89_990]
            ),
            ("ollie", "com.ollie.premium.perdog", .nonConsumable, nil, [19_000, 19_990, 14_990]),
            ("ollie", "com.ollie.premium.perdog.2", .nonConsumable, nil, [19_000, 19_990, 14_990]),
            ("ollie", "com.ollie.premium.perdog.3", .nonConsumable, nil, [19_000, 19_990, 14_990]),
            (
                "fork-in-the-road", "com.forkintheroad.app.premium.monthly", .autoRenewable, "P1M",
                [990, 3990]
            ),
            (
                "fork-in-the-road", "com.forkintheroad.app.premium.yearly", .autoRenewable, "P1Y",
                [10_000, 39_990]
            ),
            ("nuzzle", "com.nestling.pro.monthly", .autoRenewable, "P1M", [5990]),
            ("nuzzle", "com.nestling.pro.yearly", .autoRenewable, "P1Y", [39_990]),
        ]

    @Test(
        "X-12 Every product has its id, kind, period, prices and name", arguments: products.indices)
    func product(_ index: Int) throws {
        let row = Self.products[index]
        let catalog = try CatalogSamples.catalog(ofApp: row.app)
        let product = try #require(catalog.product(row.id))
        #expect(product.kind == row.kind)
        #expect(product.period == row.period.flatMap { CivilDuration(iso8601: $0) })
        #expect(product.prices.map(\.amountMilli) == row.milli)
        #expect(product.prices.allSatisfy { $0.currency == (row.app == "ollie" ? "EUR" : "USD") })
        #expect(!product.familyShareable)
        let name = try #require(product.displayName)
        #expect(catalog.text(name, locale: "en") != nil)
        #expect(catalog.products.count == Self.products.count { $0.app == row.app })
    }

    @Test("Fork's launch prices are asked until their year is over, then the regular ones")
    func launchPrices() throws {
        let fork = try CatalogSamples.catalog(ofApp: "fork-in-the-road")
        // 2027-01-01T00:00:00Z
        let turn: Int64 = 1_798_761_600_000
        let asked = try [0, turn - 1, turn, Int64.max].map { instant in
            try ["monthly", "yearly"].map {
                let id = "com.forkintheroad.app.premium.\($0)"
                return try #require(fork.product(id)?.price(at: instant)).amountMilli
            }
        }
        #expect(asked == [[990, 10_000], [990, 10_000], [3_990, 39_990], [3_990, 39_990]])
        var product = Product(id: "p", kind: .consumable)
        #expect(product.price(at: 0) == nil)
        var price = Price(name: "a", amountMilli: 1, currency: "EUR")
        (price.startsAt, price.endsAt) = (5, 9)
        product.prices = [price]
        #expect([4, 5, 8, 9].map { product.price(at: $0) != nil } == [false, true, true, false])
    }

    /// App, meter, kind, period, limit.
    static let meters:
        [(app: String, name: String, kind: Meter.Kind, period: Meter.Period, limit: Int64?)] = [
            ("dozzi", "stories", .counter, .lifetime, 2),
            ("magical-stories", "stories", .counter, .calendarMonth, 3),
            ("magical-stories", "child_profiles", .gauge, .lifetime, 1),
            ("magical-stories", "collections", .counter, .calendarMonth, nil),
            ("fork-in-the-road", "collections", .gauge, .lifetime, 10),
            ("fork-in-the-road", "groups", .gauge, .lifetime, 3),
            ("fork-in-the-road", "history", .window, .lifetime, 30),
            ("nuzzle", "cry_insights", .counter, .lifetime, 3),
        ]

    @Test(
        "T11 T16 T22 T28 Every meter has its kind, period and free limit", arguments: meters.indices
    )
    func meter(_ index: Int) throws {
        let row = Self.meters[index]
        let catalog = try CatalogSamples.catalog(ofApp: row.app)
        let meter = try #require(catalog.meter(named: row.name))
        #expect(meter.kind == row.kind)
        #expect(meter.period == row.period)
        #expect(meter.limit == row.limit)
        #expect(meter.limitsWith.allSatisfy { $0.limit == nil })
        #expect(meter.recordsDenials == (row.app == "magical-stories"))
        #expect(catalog.meters.count == Self.meters.count { $0.app == row.app })
    }

    @Test("FR-13 OL-21 MS-65 The apps' policies differ where their documents say so")
    func policies() throws {
        let fork = try CatalogSamples.catalog(ofApp: "fork-in-the-road")
        #expect(fork.policies.clientAssertedHours == 72)
        #expect(fork.policies.managementURL == "https://apps.apple.com/account/subscriptions")
        let ollie = try CatalogSamples.catalog(ofApp: "ollie")
        #expect(ollie.policies.clock == .accept)
        let magical = try CatalogSamples.catalog(ofApp: "magical-stories")
        #expect(magical.policies.clientAssertedHours == 0)
        #expect(magical.policies.clock == .server)
    }
}
