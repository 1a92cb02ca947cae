import DaybookDomain
import DaybookEvents
import Testing

@Suite("Warnings about a catalog")
struct CatalogWarningsTests {
    static let clean = """
        app: x
        products:
          p: { kind: nonConsumable, entitlements: [e] }
        entitlements:
          e: [f]
        features:
          f: { displayName: title }
        copy:
          title: "{remaining} of {limit}, {used}, {days}, {expires}, {price} for [puppyname]"
        paywalls:
          a: { slots: { title: title } }

        """

    @Test("A catalog without doubts has no warnings")
    func none() throws {
        #expect(try CatalogSamples.warnings(Self.clean).isEmpty)
    }

    @Test("Stores sell a non-consumable once, so a second profile needs a second product (T1)")
    func perProfile() throws {
        let head = "app: x\nproducts:\n"
        let tail = "\nentitlements: { e: [f] }\nfeatures: { f: {} }\n"
        func product(_ id: String, _ kind: String, _ profile: String) -> String {
            "  \(id): { kind: \(kind), scope: profile, profileKind: \(profile), "
                + "entitlements: [e] }\n"
        }
        let one = product("p", "nonConsumable", "puppy")
        let warnings = try CatalogSamples.warnings(head + one + tail)
        #expect(warnings.map(\.line) == [3])
        #expect(warnings.map(\.column) == [3])
        #expect(warnings.first?.sentence.contains("once per customer") == true)
        let second = one + product("p.2", "nonConsumable", "puppy")
        #expect(try CatalogSamples.warnings(head + second + tail).isEmpty)
        let other = one + product("c", "nonConsumable", "child")
        #expect(try CatalogSamples.warnings(head + other + tail).count == 2)
        let consumable = product("p", "consumable", "puppy")
        #expect(try CatalogSamples.warnings(head + consumable + tail).isEmpty)
    }

    static let doubts: [Mistake] = [
        Mistake(
            "a product that grants nothing", 3, 3, ["`q` grants nothing"],
            "app: x\nproducts:\n  q: { kind: nonConsumable }\n"),
        Mistake(
            "a trial with a forbidden name", 5, 3, ["free trial", "`Trial` is forbidden"],
            "app: x\nforbiddenWords: [Trial]\ngroups: [g]\nproducts:\n  q:\n"
                + "    kind: autoRenewable\n"
                + "    group: g\n    period: P1Y\n    entitlements: [e]\n"
                + "    introOffer: { kind: freeTrial, duration: P7D }\n"
                + "features: { f: {} }\nentitlements: { e: [f] }\n"),
        Mistake(
            "an experiment of a funnel that the catalog does not share out", 5, 33,
            ["no variants of the experiment `prize`", "`price`"],
            "app: x\nexperiments:\n  price: { variants: { a: 1, b: 0 } }\nfunnels:\n"
                + "  f: { window: P1D, experiment: prize, steps: [{ event: paywall.shown }, "
                + "{ event: checkout.completed }] }\n"),
        Mistake(
            "an entitlement that no product sells", 3, 3, ["No product sells", "`e`"],
            "app: x\nentitlements:\n  e: []\n"),
        Mistake(
            "a feature that nothing opens", 3, 3, ["Nothing opens the feature `f`"],
            "app: x\nfeatures:\n  f: { previewUses: 1 }\n"),
        Mistake(
            "copy that nothing uses", 3, 3, ["Nothing uses the copy key `a`"],
            "app: x\ncopy:\n  a: text\n"),
        Mistake(
            "a singular without its plural", 3, 3, ["Nothing uses the copy key `a.one`"],
            "app: x\ncopy:\n  a.one: text\n"),
        Mistake(
            "an unknown placeholder", 3, 6, ["`{remaning}`", "`{remaining}`"],
            "app: x\ncopy:\n  a: one of {remaning}\nmetadata: { note: a }\n"),
        Mistake(
            "a text without the default locale", 3, 3, ["no text in the default locale `en`"],
            "app: x\ncopy:\n  a: { nl: tekst }\nmetadata: { note: a }\n"),
    ]

    @Test("A doubt is a warning with its place, not a mistake", arguments: doubts)
    func doubt(_ row: Mistake) throws {
        let warnings = try CatalogSamples.warnings(row.yaml)
        #expect(warnings.count == 1, "\(warnings)")
        #expect(warnings.first?.line == row.line, "\(warnings)")
        #expect(warnings.first?.column == row.column, "\(warnings)")
        for part in row.says {
            #expect(warnings.first?.description.contains(part) == true, "\(warnings)")
        }
    }

    @Test(
        "A feature that is free or has a free quota is open",
        arguments: ["isFree: true", "meter: m"])
    func opened(_ field: String) throws {
        let yaml =
            "app: x\nfeatures:\n  f: { \(field) }\nmeters: { m: { kind: counter, limit: 3 } }\n"
        #expect(try CatalogSamples.warnings(yaml).isEmpty)
    }

    @Test("A feature is open through a free period, and through a star")
    func openedElsewhere() throws {
        let period =
            "app: x\nfeatures: { f: {} }\nfreePeriods:\n"
            + "  w: { profileKind: p, duration: P21D, features: [f] }\n"
        #expect(try CatalogSamples.warnings(period).isEmpty)
        let star =
            "app: x\nfeatures: { f: {} }\nentitlements: { e: [\"*\"] }\n"
            + "products: { p: { kind: nonConsumable, entitlements: [e] } }\n"
        #expect(try CatalogSamples.warnings(star).isEmpty)
    }

    static let forbidden: [Mistake] = [
        Mistake(
            "in a text", 4, 6, ["forbidden word `trial`"],
            "app: x\nforbiddenWords: [trial]\ncopy:\n  a: Your Trial ends\n"
                + "metadata: { note: a }\n"),
        Mistake(
            "in a translation", 5, 9, ["forbidden word `proefperiode`"],
            "app: x\nforbiddenWords: [trial, proefperiode]\ncopy:\n  a:\n"
                + "    nl: Gratis proefperiode\n"
        ),
        Mistake(
            "in the review notes", 3, 20, ["forbidden word `trial`"],
            "app: x\nforbiddenWords: [trial]\nmetadata: { notes: no trial }\n"),
        Mistake(
            "in the title", 3, 8, ["forbidden word `trial`"],
            "app: x\nforbiddenWords: [trial]\ntitle: Trials\n"),
    ]

    @Test("A forbidden word is a mistake wherever people read it (OL-20, T3)", arguments: forbidden)
    func forbiddenWord(_ row: Mistake) { expect(row) }

    @Test("A funnel step that is never reached is told with its place")
    func funnels() throws {
        func catalog(_ first: String, _ second: String, _ exclusion: String) -> String {
            "app: x\nfunnels:\n  f:\n    window: P7D\n    steps:\n      - event: \(first)\n"
                + "      - { name: n, event: \(second) }\n    exclusions:\n"
                + "      - event: \(exclusion)\n"
        }
        let kept = catalog("paywall.shown", "purchase.completed", "usage.recorded")
        #expect(try CatalogSamples.warnings(kept).isEmpty)
        let warnings = try CatalogSamples.warnings(
            catalog("usage.reset", "grant.issued", "catalog.published"))
        #expect(warnings.map { [$0.line, $0.column] } == [[6, 16], [7, 27], [9, 16]])
        #expect(
            warnings.map(\.path) == [
                "funnels/f/steps/0/event", "funnels/f/steps/1/event",
                "funnels/f/exclusions/0/event",
            ])
        #expect(warnings[0].sentence.contains("`usage.reset`"))
        #expect(warnings[0].remedy.contains("`usage.recorded`"))
    }

    @Test("Every type is either kept for funnels or warned of in one")
    func everyType() throws {
        for name in Vocabulary.names.sorted() {
            let text =
                "app: x\nfunnels:\n  f:\n    window: P7D\n    steps:\n      - event: \(name)\n"
                + "      - event: app.launched\n"
            let type = EventType.allCases.first {
                $0 != .unknown && Vocabulary.name(of: $0) == name
            }
            let isKept = FunnelState.isTracked(try #require(type))
            #expect(try CatalogSamples.warnings(text).isEmpty == isKept, "\(name)")
        }
    }

    @Test("A limit with a number that a feature of the same meter undoes is told")
    func undoneLimits() throws {
        func catalog(_ limit: String, _ features: String) -> String {
            "app: x\nproducts:\n  p: { kind: nonConsumable, entitlements: [e] }\nentitlements:\n"
                + "  e: [\(features)]\nfeatures:\n  f: { meter: m }\n  g: {}\nmeters:\n  m:\n"
                + "    kind: counter\n    limit: 3\n    limitsWith: { e: \(limit) }\n"
        }
        let warnings = try CatalogSamples.warnings(catalog("20", "f, g"))
        #expect(warnings.map { [$0.line, $0.column] } == [[10, 3]])
        #expect(warnings.first?.sentence.contains("limit of 20 never counts") == true)
        #expect(try CatalogSamples.warnings(catalog("unlimited", "f, g")).isEmpty)
        #expect(try CatalogSamples.warnings(catalog("20", "g")).isEmpty)
        #expect(try CatalogSamples.warnings(catalog("20", "\"*\"")).count == 1)
    }

    @Test("A zone that does not exist is a mistake with its place, where zones are known")
    func zones() throws {
        let text = "app: x\ndefaultTimeZone: Europe/Amsterdan\n"
        let directory = ZoneDirectory(
            exists: { $0 == "Europe/Amsterdam" }, names: { ["Europe/Amsterdam", "Asia/Kolkata"] })
        #expect(try CatalogReader.read(Array(text.utf8)).defaultTimeZone == "Europe/Amsterdan")
        let problems = #expect(throws: CatalogProblems.self) {
            try CatalogReader.read(Array(text.utf8), zones: directory)
        }
        let problem = try #require(problems?.problems.first)
        #expect([problem.line, problem.column] == [2, 18])
        #expect(problem.remedy == "Did you mean `Europe/Amsterdam`?")
        let right = text.replacing("Amsterdan", with: "Amsterdam")
        #expect(throws: Never.self) {
            try CatalogReader.read(Array(right.utf8), zones: directory)
        }
    }
}
