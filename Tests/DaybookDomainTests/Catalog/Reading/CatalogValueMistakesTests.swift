import DaybookDomain
import Testing

@Suite("Values in a catalog")
struct CatalogValueMistakesTests {
    /// A product with these fields, on line 4 after four spaces.
    private static func product(_ fields: String, kind: String = "consumable") -> String {
        "app: x\ngroups: [G]\nproducts:\n  p: { kind: \(kind), \(fields) }"
    }
    private static func meter(_ fields: String) -> String {
        "app: x\nmeters:\n  m: { \(fields) }"
    }
    private static func kpi(_ fields: String) -> String { "app: x\nkpis:\n  k: { \(fields) }" }
    private static func statuses(_ list: String) -> String { "app: x\nstatuses:\n\(list)" }

    static let products: [Mistake] = [
        Mistake("no kind", 3, 6, ["`kind` is missing"], "app: x\nproducts:\n  p: { level: 1 }"),
        Mistake(
            "a price with a comma", 4, 39, ["`2,99` is no amount"],
            product("prices: { a: '2,99 USD' }")),
        Mistake(
            "a price of four decimals", 4, 39, ["`2.9999` is no amount"],
            product("prices: { a: 2.9999 USD }")),
        Mistake(
            "a negative price", 4, 39, ["`-1` is no amount"],
            product("prices: { a: -1 USD }")),
        Mistake(
            "a price beyond all bounds", 4, 39, ["is no amount"],
            product("prices: { a: 1000000000000.001 USD }")),
        Mistake(
            "a price without currency", 4, 39, ["`2.99` is no price"],
            product("prices: { a: 2.99 }")),
        Mistake(
            "a currency in small letters", 4, 39, ["`usd` is no currency"],
            product("prices: { a: 2.99 usd }")),
        Mistake(
            "a currency of four letters in a map", 4, 65, ["`EURO` is no currency"],
            product("prices: { a: { amount: 2.99, currency: EURO } }")),
        Mistake(
            "a price until no time", 4, 77, ["`soon` is no time", "2027-01-01T00:00:00Z"],
            product("prices: { a: { amount: 2.99, currency: EUR, until: soon } }")),
        Mistake(
            "a price that ends as it begins", 4, 105, ["`a` ends before it begins"],
            product(
                "prices: { a: { amount: 2.99, currency: EUR, from: 2026-01-01T00:00:00Z, "
                    + "until: 2026-01-01T01:00:00+01:00 } }")),
        Mistake(
            "a subscription without group", 4, 6, ["`group` is missing"],
            product("period: P1M", kind: "autoRenewable")),
        Mistake(
            "a subscription without period", 4, 6, ["`period` is missing"],
            product("group: G", kind: "autoRenewable")),
        Mistake(
            "a non-renewing product without duration", 4, 6, ["`duration` is missing"],
            product("level:", kind: "nonRenewing")),
        Mistake(
            "a consumable with a period", 4, 34, ["`period` has no meaning here"],
            product("period: P1M")),
        Mistake(
            "a trial without duration", 4, 64, ["`duration` is missing"],
            product("group: G, period: P1M, introOffer: { kind: freeTrial }", kind: "autoRenewable")
        ),
        Mistake(
            "a duration in words", 4, 47, ["`monthly` is no duration"],
            product("group: G, period: monthly", kind: "autoRenewable")),
        Mistake(
            "a profile product without kind", 4, 6, ["`profileKind` is missing"],
            product("scope: profile")),
        Mistake(
            "a flag in words", 4, 43, ["is no flag", "true or false"],
            product("familyShareable: yes")),
        Mistake(
            "a level of zero", 4, 46, ["no whole number", "from 1"],
            product("group: G, level: 0, period: P1M", kind: "autoRenewable")),
        Mistake(
            "credits for a gauge", 6, 44, ["is a gauge"],
            "app: x\nmeters:\n  m: { kind: gauge, limit: 1 }\nproducts:\n\n"
                + "  p: { kind: consumable, credits: { meter: m, amount: 1 } }"),
    ]

    static let meters: [Mistake] = [
        Mistake("no kind", 3, 6, ["`kind` is missing"], meter("limit: 1")),
        Mistake("no limit", 3, 6, ["`limit` is missing", "unlimited"], meter("kind: gauge")),
        Mistake("a limit in quotes", 3, 30, ["no limit"], meter("kind: counter, limit: '2'")),
        Mistake("a limit below zero", 3, 30, ["no limit"], meter("kind: counter, limit: -1")),
        Mistake(
            "a gauge with a period", 3, 39, ["`period` has no meaning"],
            meter("kind: gauge, limit: 1, period: lifetime")),
        Mistake(
            "a counter of profiles", 3, 49, ["`countsProfiles` has no meaning"],
            meter("kind: counter, limit: 1, countsProfiles: child")),
        Mistake(
            "a reservation of a month", 3, 53, ["length varies"],
            meter("kind: counter, limit: 1, reservationTimeout: P1M")),
        Mistake(
            "a cost without currency", 3, 43, ["`0.012` is no cost"],
            meter("kind: counter, limit: 1, unitCost: 0.012")),
        Mistake(
            "a missing paywall", 3, 49, ["no paywall named `nowhere`"],
            meter("kind: counter, limit: 1, paywallContext: nowhere")),
    ]

    static let others: [Mistake] = [
        Mistake("an app name with capitals", 1, 6, ["no app name"], "app: Dozzi"),
        Mistake("no app name", 1, 1, ["`app` is missing"], "title: x"),
        Mistake("a locale with underscore", 2, 16, ["no locale"], "app: x\ndefaultLocale: nl_NL"),
        Mistake("a zone abbreviation", 2, 18, ["no time zone"], "app: x\ndefaultTimeZone: CEST"),
        Mistake(
            "a free feature with a meter", 3, 35, ["`previewUses` has no meaning"],
            "app: x\nfeatures:\n  f: { isFree: true, previewUses: 1 }"),
        Mistake("copy without text", 3, 3, ["`a` has no text"], "app: x\ncopy:\n  a:\n"),
        Mistake(
            "copy in a list", 3, 6, ["Expected a map, found a list"], "app: x\ncopy:\n  a: [b]\n"),
        Mistake(
            "a list where text belongs", 2, 8, ["Expected a single value"], "app: x\ntitle: [a]"),
        Mistake(
            "an ad of an unknown format", 3, 16, ["`baner` is no format", "`banner`"],
            "app: x\nads:\n  a: { format: baner }"),
        Mistake(
            "a repeating banner", 3, 38, ["`everyNthItem` has no meaning"],
            "app: x\nads:\n  a: { format: banner, everyNthItem: 5 }"),
        Mistake(
            "no status for the rest", 3, 1, ["some customers have no status"],
            statuses(
                "- { status: a, when: { meterExhausted: m } }\n"
                    + "meters: { m: { kind: gauge, limit: 1 } }"
            )),
        Mistake(
            "a status behind the last", 4, 3, ["No customer gets this far"],
            statuses("- { status: a, when: otherwise }\n- { status: b, when: otherwise }")),
        Mistake(
            "two questions in one condition", 3, 22, ["exactly one question"],
            statuses(
                "- { status: a, when: { meterExhausted: m, freePeriodActive: p } }\n"
                    + "- { status: b, when: otherwise }\nmeters: { m: { kind: gauge, limit: 1 } }\n"
                    + "freePeriods: { p: { profileKind: k, duration: P1D } }")),
        Mistake(
            "a condition in a word", 3, 22, ["exactly one question"],
            statuses("- { status: a, when: always }\n- { status: b, when: otherwise }")),
        Mistake(
            "a funnel of one step", 2, 36, ["1 usable steps"],
            "app: x\nfunnels: { f: {window: P1D, steps: [{ event: a }]}}"),
        Mistake(
            "a funnel over months", 2, 25, ["length varies"],
            "app: x\nfunnels: { f: { window: P1M, steps: [{ event: a }, { event: b }] } }"),
        Mistake("no target", 3, 6, ["target is missing"], kpi("metric: m")),
        Mistake("two targets", 3, 6, ["more than once"], kpi("metric: m, atLeast: 1, atMost: 2")),
        Mistake(
            "a target with a percent sign", 3, 28, ["no target"], kpi("metric: m, atLeast: 5%")),
        Mistake("a falling range", 3, 28, ["rising"], kpi("metric: m, between: [2, 1]")),
        Mistake(
            "hours in words", 2, 34, ["no whole number"],
            "app: x\npolicies: { clientAssertedHours: three }"),
    ]

    @Test("A mistake in a product is refused at its place", arguments: products)
    func product(_ row: Mistake) { expect(row) }

    @Test("A mistake in a meter is refused at its place", arguments: meters)
    func meter(_ row: Mistake) { expect(row) }

    @Test("A mistake elsewhere is refused at its place", arguments: others)
    func other(_ row: Mistake) { expect(row) }

    @Test(
        "A price is read exactly to thousandths",
        arguments: [
            ("2.99 USD", 2990), ("10 USD", 10_000), ("19.00 EUR", 19_000), ("0 USD", 0),
            ("0.001 BHD", 1), ("\"89.99 USD\"", 89_990),
            ("1000000000000 IRR", 1_000_000_000_000_000),
            ("{ amount: 2.990, currency: USD }", 2990),
        ])
    func price(_ text: String, _ milli: Int64) throws {
        let catalog = try CatalogReader.read(Array(Self.product("prices: { a: \(text) }").utf8))
        #expect(catalog.products.first?.prices.map(\.amountMilli) == [milli])
    }

    @Test(
        "An ISO 8601 duration is read",
        arguments: [
            ("P21D", CivilDuration(days: 21)), ("P1M", CivilDuration(months: 1)),
            ("P1Y", CivilDuration(years: 1)), ("P2W", CivilDuration(days: 14)),
            ("P1W2D", CivilDuration(days: 9)), ("PT10M", CivilDuration(milliseconds: 600_000)),
            (
                "P1Y2M3DT4H5M6S",
                CivilDuration(years: 1, months: 2, days: 3, milliseconds: 14_706_000)
            ),
            ("P0D", CivilDuration()), ("P1000000D", CivilDuration(days: 1_000_000)),
        ])
    func duration(_ text: String, _ expected: CivilDuration) {
        #expect(CivilDuration(iso8601: text) == expected)
    }

    @Test(
        "What is no ISO 8601 duration is not read",
        arguments: [
            "", "P", "PT", "21D", "p21d", "P21", "P-1D", "P1.5D", "P1D1M", "P1D1D", "P1H", "PT1D",
            "P1DT",
            "PT1MT1S", "P1000001D", "P99999999999999999999D", " P1D", "P1D ",
        ])
    func noDuration(_ text: String) {
        #expect(CivilDuration(iso8601: text) == nil)
    }
}
