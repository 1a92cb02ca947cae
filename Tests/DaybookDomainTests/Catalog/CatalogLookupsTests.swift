import DaybookDomain
import Testing

@Suite("Looking things up in a catalog")
struct CatalogLookupsTests {
    static let yaml = """
        app: x
        defaultLocale: nl
        products:
          p: { kind: nonConsumable, entitlements: [all, one] }
        entitlements:
          all: ["*"]
          one: { features: [f] }
        features:
          f: { aliases: [old], previewUses: 2 }
          g: {}
        meters:
          m: { kind: counter, limit: 2, aliases: [n] }
        paywalls:
          default: {}
          featureRestricted: {}
          featureRestricted(g): {}
        copy:
          left:
            nl: Nog {remaining} over
            en: "{remaining} left"
            en-GB: "{remaining} left, dear"
          left.one:
            en: "{remaining} last one"
          only: { fr: seulement }
        """

    private func catalog() throws -> Catalog { try CatalogReader.read(Array(Self.yaml.utf8)) }

    @Test("Names and aliases lead to the same feature and meter")
    func names() throws {
        let catalog = try catalog()
        #expect(catalog.feature(named: "old")?.name == "f")
        #expect(catalog.feature(named: "f")?.aliases == ["old"])
        #expect(catalog.feature(named: "F") == nil)
        #expect(catalog.meter(named: "n")?.name == "m")
        #expect(catalog.meter(named: "preview.f")?.limit == 2)
        #expect(catalog.meter(named: "preview.old")?.name == "preview.f")
        #expect(catalog.meter(named: "preview.g") == nil)
        #expect(catalog.product("p")?.kind == .nonConsumable)
        #expect(catalog.product("q") == nil)
        #expect(catalog.entitlement("all")?.opens("later") == true)
        #expect(catalog.entitlement("one")?.opens("f") == true)
        #expect(catalog.entitlement("one")?.opens("g") == false)
    }

    @Test(
        "A paywall context falls back to the general one and then to the default",
        arguments: [
            ("featureRestricted(g)", "featureRestricted(g)"),
            ("featureRestricted(f)", "featureRestricted"), ("settings", "default"),
        ])
    func paywalls(_ context: String, _ expected: String) throws {
        #expect(try catalog().paywall(context: context)?.context == expected)
    }

    @Test(
        "A locale falls back to its language and then to the default",
        arguments: [
            ("en-GB", "3 left, dear"), ("en-US", "3 left"), ("en", "3 left"),
            ("nl-BE", "Nog 3 over"),
            ("de", "Nog 3 over"), ("zh-Hans-CN", "Nog 3 over"),
        ])
    func locales(_ locale: String, _ expected: String) throws {
        let text = try catalog().text("left", locale: locale, arguments: ["remaining": "3"])
        #expect(text == expected)
    }

    @Test("A text that exists in neither locale is nothing, and an unknown key too")
    func nothing() throws {
        #expect(try catalog().text("only", locale: "en") == nil)
        #expect(try catalog().text("only", locale: "fr-CA") == "seulement")
        #expect(try catalog().text("none", locale: "en") == nil)
    }

    @Test(
        "The singular is used for one, in a language that has it (T5)",
        arguments: [
            ("en", 1, "1 last one"), ("en", 0, "0 left"), ("en", 2, "2 left"),
            ("nl", 1, "Nog 1 over"),
            ("de", 1, "Nog 1 over"), ("en-GB", 1, "1 left, dear"),
        ])
    func plural(_ locale: String, _ count: Int64, _ expected: String) throws {
        let text = try catalog().pluralSafeText(
            "left", locale: locale, count: count, arguments: ["remaining": "\(count)"])
        #expect(text == expected)
    }

    @Test("Arguments fill placeholders once; brackets and unknown placeholders stay")
    func filling() throws {
        var catalog = Catalog(app: "x")
        catalog.copy = ["a": ["en": "{used}{limit} {x} [puppyname] {} {{used}} {used"]]
        let text = catalog.text("a", locale: "en", arguments: ["used": "{limit}", "limit": "3"])
        #expect(text == "{limit}3 {x} [puppyname] {} {{limit}} {used")
    }

    @Test("What shares its parts is equal by what it says, and changes alone")
    func shared() {
        let meter = Meter(name: "stories", kind: .counter)
        var other = meter
        #expect(other == meter)
        other.limit = 3
        #expect(meter.limit == nil)
        #expect(other.limit == 3)
        #expect(other != meter)
        // Made by itself, part by part.
        var third = Meter(name: "stories", kind: .counter)
        #expect(third == meter)
        third.limit = 3
        #expect(third == other)
        var catalog = Catalog(app: "dozzi")
        let empty = catalog
        catalog.meters = [third]
        #expect(empty.meters.isEmpty)
        #expect(empty == Catalog(app: "dozzi"))
        #expect(catalog != empty)
    }
}
