import DaybookDomain
import Testing

@Suite("Ollie's catalog")
struct OllieCatalogTests {
    private let catalog: Catalog

    init() throws {
        catalog = try CatalogSamples.catalog(ofApp: "ollie")
    }

    @Test(
        "OL-14 to OL-19 The Dutch is the document's",
        arguments: [
            ("product.perdog.name", "Ollie Premium"),
            (
                "product.perdog.description",
                "Ontgrendel onbeperkt loggen voor je puppy, "
                    + "plus statistieken, voorspellingen en meer."
            ),
            ("freePeriod.active", "Nog 14 dagen gratis"),
            ("freePeriod.expired.title", "Je gratis periode is voorbij"),
            (
                "freePeriod.expired.text",
                "De eerste 3 weken met een puppy zijn het zwaarst — daarom was Ollie gratis. "
                    + "Wil je blijven loggen? Dat kan voor eenmalig €19."
            ),
            ("upgrade.cta", "Doorgaan met Ollie — €19"), ("upgrade.restore", "Herstel aankoop"),
            ("settings.title", "Ollie Premium"), ("settings.statusLabel", "Status"),
            ("status.free", "Gratis (nog 14 dagen)"), ("status.premium", "Premium"),
            ("status.expired", "Gratis periode voorbij"),
            (
                "purchase.succeeded",
                "Gelukt! Je kunt nu onbeperkt blijven loggen voor [puppyname]."
            ),
            ("purchase.restored", "Aankoop hersteld voor [puppyname]."),
            (
                "message.key",
                "De eerste weken met een nieuwe puppy zijn overweldigend. "
                    + "Daarom is Ollie gratis als je het het hardst nodig hebt."
            ),
            (
                "message.appStore",
                "Ollie is gratis voor de eerste 3 weken — "
                    + "precies wanneer je het het hardst nodig hebt. "
                    + "Daarna eenmalig €19 om te blijven loggen."
            ),
        ])
    func dutch(_ key: String, _ expected: String) {
        #expect(catalog.text(key, locale: "nl-NL", arguments: ["days": "14"]) == expected)
        // The default locale serves all others, and English has a text of its own.
        #expect(catalog.text(key, locale: "fr", arguments: ["days": "14"]) == expected)
        #expect(catalog.copy[key]?["en"] != nil)
    }

    @Test(
        "OL-16 T5 The banner is verbatim and has a safe plural",
        arguments: [
            (21, "Nog 21 dagen gratis"), (1, "Nog 1 dag gratis"), (0, "Nog 0 dagen gratis"),
        ])
    func banner(_ days: Int64, _ expected: String) {
        let safe = catalog.pluralSafeText(
            "freePeriod.active", locale: "nl", count: days, arguments: ["days": "\(days)"])
        #expect(safe == expected)
        #expect(
            catalog.text("freePeriod.active", locale: "nl", arguments: ["days": "1"])
                == "Nog 1 dagen gratis")
    }

    @Test("OL-05 OL-06 OL-07 The capability matrix is the feature list, not the review note (T31)")
    func capabilities() throws {
        let free = catalog.features.filter(\.isFree).map(\.name)
        #expect(free == ["viewHistory", "timeline", "dayNavigation"])
        let period = try #require(catalog.freePeriods.first)
        #expect(period.features == ["logEvent", "quickLog", "basicStats"])
        let premium = try #require(catalog.entitlement("premium"))
        for feature in [
            "logEvent", "fullStats", "pottyPredictions", "mediaAttachments", "export", "later",
        ] {
            #expect(premium.opens(feature))
        }
        #expect(
            catalog.features.allSatisfy { $0.isFree || ($0.recordsDenials && $0.scope == .profile) }
        )
    }

    @Test("OL-01 OL-08 Every puppy has its own 21 days and its own purchase")
    func perDog() throws {
        let period = try #require(catalog.freePeriod("first_weeks"))
        #expect(period.duration == CivilDuration(days: 21))
        #expect(period.profileKind == "puppy")
        let product = try #require(catalog.products.first)
        #expect(product.scope == .profile)
        #expect(product.profileKind == "puppy")
        #expect(product.referenceName == "Ollie Premium (per dog)")
        #expect(catalog.defaultTimeZone == "Europe/Amsterdam")
    }

    @Test("OL-20 No text says trial or proefperiode, and none may")
    func words() throws {
        let bytes = try CatalogSamples.bytes(ofApp: "ollie")
        let yaml = String(decoding: bytes, as: UTF8.self)
        for word in ["trial", "Proefperiode"] {
            let spoiled = yaml.replacing("en: Status", with: "en: Status of your \(word)")
            #expect(CatalogSamples.problems(yaml).isEmpty)
            #expect(CatalogSamples.problems(spoiled).count == 1)
        }
        for text in catalog.copy.values.flatMap(\.values) {
            #expect(!text.lowercased().contains("trial"))
            #expect(!text.lowercased().contains("proefperiode"))
        }
    }

    @Test("OL-16 OL-18 The statuses show what the document shows")
    func statuses() {
        #expect(
            catalog.statuses.map(\.condition) == [
                .entitled("premium", states: [], product: nil), .freePeriodActive("first_weeks"),
                .freePeriodExpired("first_weeks"), .otherwise,
            ])
        let shown = catalog.statuses.map { rule in
            Dictionary(uniqueKeysWithValues: rule.attributes.map { ($0.slot, $0.key) })
        }
        #expect(shown[0]["cta"] == nil)
        #expect(shown[1]["prominence"] == "subtle")
        #expect(shown[1]["target"] == "upgrade")
        #expect(shown[2]["restore"] == "upgrade.restore")
    }

    @Test("OL-24 OL-31 Sale price and review notes are there, the notes verbatim (T2, T31)")
    func notes() {
        #expect(
            catalog.products.first?.prices.last
                == Price(name: "sale", amountMilli: 14_990, currency: "EUR"))
        #expect(
            catalog.metadata["reviewNotes"]
                == "Explain per-dog model. "
                + "Free period details (21 days full access, then view-only)."
        )
    }

    @Test("OL-27 The free period has a funnel of its own")
    func funnel() {
        #expect(
            catalog.funnel("free_period_to_paid")?.steps.map(\.event)
                == [.profileCreated, .purchaseAssigned])
    }
}
