import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import Foundation
import Testing

/// StoreKit configuration files become catalogs.
@Suite("StoreKit configurations: what becomes a catalog")
struct StoreKitConfigurationTests {
    static func read(_ text: String) throws -> StoreKitImport {
        try StoreKitConfigurationReader.read(Array(text.utf8), app: "lighthouse")
    }

    static func catalog(_ text: String) throws -> Catalog {
        try CatalogReader.read(Array(try read(text).catalog.utf8))
    }

    /// A file of one non-consumable.
    static func file(_ product: String, settings: String = "{}") -> String {
        #"{"version":{"major":3,"minor":0},"settings":\#(settings),"products":[{"productID":"lamp","type":"NonConsumable"\#(product)}]}"#
    }

    private static let small = #"""
        {
          "version": {"major": 5, "minor": 0},
          "identifier": "1", "settings": {"_locale": "nl_NL", "_storefront": "NLD", "_timeRate": 6},
          "products": [
            {"productID": "lamp.oil", "type": "Consumable", "displayPrice": "0.99",
             "referenceName": "Oil: 10 cans", "internalID": "2", "familyShareable": false,
             "localizations": [
               {"locale": "nl_NL", "displayName": "Olie", "description": "Tien \"kannen\""},
               {"locale": "en_US", "displayName": "Oil", "description": ""}]}],
          "nonRenewingSubscriptions": [
            {"productID": "season", "type": "NonRenewingSubscription", "displayPrice": "12"}],
          "subscriptionGroups": [{"id": "3", "name": "Keeper & co", "localizations": [],
            "subscriptions": [
              {"productID": "keeper.yearly", "type": "RecurringSubscription", "groupNumber": 2,
               "displayPrice": "49.990", "familyShareable": true, "subscriptionGroupID": "3",
               "recurringSubscriptionPeriod": "P1Y", "referenceName": "yes",
               "introductoryOffer": {"internalID": "4", "paymentMode": "payAsYouGo",
                 "subscriptionPeriod": "P1M", "numberOfPeriods": 3, "displayPrice": "1.99"},
               "codeOffers": [{"referenceName": "Spring", "subscriptionPeriod": "P1W"}],
               "localizations": [{"locale": "en_US", "displayName": "Keeper"}]}]}],
          "subscriptionOffersKeyPair": {"id": "5", "privateKey": "a1b2c3"},
          "lighthouses": [1]
        }
        """#

    @Test("A small file gives this catalog, letter by letter")
    func golden() throws {
        let found = try Self.read(Self.small)
        #expect(
            found.catalog == #"""
                # From a StoreKit configuration. Prices are in EUR, the currency of the storefront NLD.
                # Which features a product opens is not in such a file: add entitlements.
                app: lighthouse
                defaultLocale: nl-NL

                groups:
                  - "Keeper \x26 co"

                products:
                  lamp.oil:
                    kind: consumable
                    referenceName: "Oil: 10 cans"
                    displayName: product.lamp.oil.name
                    displayDescription: product.lamp.oil.description
                    prices:
                      regular: 0.99 EUR
                  #season:
                  #  kind: nonRenewing
                  #  duration: P?
                  #  prices:
                  #    regular: 12 EUR
                  keeper.yearly:
                    kind: autoRenewable
                    group: "Keeper \x26 co"
                    level: 2
                    period: P1Y
                    referenceName: "yes"
                    displayName: product.keeper.yearly.name
                    prices:
                      regular: 49.990 EUR
                    introOffer: { kind: payAsYouGo, duration: P3M }
                    familyShareable: true

                copy:
                  product.lamp.oil.name:
                    nl-NL: Olie
                    en-US: Oil
                  product.lamp.oil.description: "Tien \"kannen\""
                  product.keeper.yearly.name:
                    en-US: Keeper

                """#)
        #expect(found.format == "5.0")
        #expect(found.productCount == 3)
        #expect(!found.catalog.contains("a1b2c3"))
        #expect(
            found.notCarried.map(\.path) == [
                "settings._timeRate", "nonRenewingSubscriptions[0]",
                "subscriptionGroups[0].subscriptions[0].introductoryOffer.displayPrice",
                "subscriptionGroups[0].subscriptions[0].codeOffers[0]",
                "subscriptionOffersKeyPair", "lighthouses",
            ])
        #expect(!found.notCarried.contains { $0.reason.contains("a1b2c3") })
    }

    @Test("What the catalog says is what the file says")
    func meaning() throws {
        let catalog = try Self.catalog(Self.small)
        #expect(catalog.groups.map(\.name) == ["Keeper & co"])
        let yearly = try #require(catalog.product("keeper.yearly"))
        #expect(yearly.level == 2)
        #expect(yearly.familyShareable)
        #expect(yearly.prices == [Price(name: "regular", amountMilli: 49_990, currency: "EUR")])
        #expect(yearly.introOffer?.kind == .payAsYouGo)
        #expect(yearly.introOffer?.duration == CivilDuration(iso8601: "P3M"))
        #expect(yearly.referenceName == "yes")
        #expect(catalog.copy["product.lamp.oil.description"] == ["nl-NL": "Tien \"kannen\""])
    }

    @Test("NZ-22 Nuzzle's file gives what Nuzzle's catalog says of the store")
    func nuzzle() throws {
        let url = Fixtures.root.appending(path: "events/nuzzle/Nuzzle.storekit")
        let bytes = Array(try Foundation.Data(contentsOf: url))
        let found = try StoreKitConfigurationReader.read(bytes, app: "nuzzle")
        let made = try CatalogReader.read(Array(found.catalog.utf8))
        let real = try Fixtures.catalog("nuzzle")
        #expect(made.products.map(\.id) == real.products.map(\.id))
        for (ours, theirs) in zip(made.products, real.products) {
            #expect(ours.prices == theirs.prices)
            #expect(ours.period == theirs.period)
            #expect(ours.group == theirs.group)
            #expect(ours.introOffer == theirs.introOffer)
            #expect(ours.referenceName == theirs.referenceName)
        }
        #expect(found.notCarried.contains { $0.path.hasSuffix("codeOffers[0]") })
    }

    @Test(
        "A price is carried over digit by digit, or said not to be",
        arguments: [
            (#""1.99""#, 1_990), (#""0.5""#, 500), (#""120""#, 120_000), (#""1.234""#, 1_234),
            ("1.99", 1_990), ("4", 4_000), (#""1,99""#, nil), (#""1.9999""#, nil),
            (#""-1""#, nil), (#""1e3""#, nil), (#""$4.99""#, nil), (#""1.""#, nil),
            (#""9999999999999999""#, nil), (#""""#, nil),
        ] as [(String, Int64?)])
    func prices(text: String, milli: Int64?) throws {
        let found = try Self.read(Self.file(#","displayPrice":\#(text)"#))
        let product = try CatalogReader.read(Array(found.catalog.utf8)).product("lamp")
        #expect(product?.prices.first?.amountMilli == milli)
        let isTold = found.notCarried.contains { $0.path == "products[0].displayPrice" }
        #expect(isTold == (milli == nil && text != #""""#))
    }

    @Test("The currency is that of the storefront; of an unknown one dollars are written and told")
    func storefronts() throws {
        for (settings, currency, isTold) in [
            ("{}", "USD", false), (#"{"_storefront":"JPN"}"#, "JPY", false),
            (#"{"_storefront":"DEU"}"#, "EUR", false), (#"{"_storefront":"ATL"}"#, "USD", true),
        ] {
            let text = Self.file(#","displayPrice":"3.00""#, settings: settings)
            let found = try Self.read(text)
            let product = try CatalogReader.read(Array(found.catalog.utf8)).product("lamp")
            #expect(product?.prices.first?.currency == currency)
            #expect(found.notCarried.contains { $0.path == "settings._storefront" } == isTold)
        }
    }

    @Test("Whatever a text holds, the catalog says the same")
    func texts() throws {
        for text in [
            "a: b", "# no", "true", "12", "- x", "&a *b &c *d", "{x}", "[x]", "'", "\"", "\\",
            "line\nline", "tab\t", " space ", "ünïcödé 🙂", "\u{85}\u{2028}\u{FEFF}\u{7F}", "~", "@",
            "%", "null",
        ] {
            var quoted = JSONWriter()
            quoted.string(text)
            let json = String(decoding: quoted.bytes, as: UTF8.self)
            let catalog = try Self.catalog(
                Self.file(
                    #","referenceName":\#(json),"localizations":[{"locale":"en","displayName":\#(json)}]"#
                ))
            #expect(catalog.product("lamp")?.referenceName == text)
            #expect(catalog.copy["product.lamp.name"]?["en"] == text)
        }
    }

    @Test("What cannot be a product, or is one twice, is listed and the others are carried over")
    func odd() throws {
        let text = #"""
            {"version":{"major":2},"products":[
              {"productID":"a","type":"NonConsumable"},{"productID":"a","type":"Consumable"},
              {"productID":"b","type":"Hologram"},{"productID":"c","type":"RecurringSubscription"},
              {"productID":"d","type":"Consumable","localizations":[{"locale":"klingon","displayName":"x"}]}],
             "subscriptionGroups":[{"name":"G","subscriptions":[
              {"productID":"e","type":"RecurringSubscription","recurringSubscriptionPeriod":"monthly"},
              {"productID":"f","type":"RecurringSubscription","recurringSubscriptionPeriod":"P1M",
               "groupNumber":5000,"introductoryOffer":{"paymentMode":"barter","subscriptionPeriod":"P1W"},
               "winbackOffers":[{"offerID":"back"}],"adHocOffers":[{"referenceName":"now"}]}]},
              {"name":"G","subscriptions":[]}]}
            """#
        let found = try Self.read(text)
        let catalog = try CatalogReader.read(Array(found.catalog.utf8))
        #expect(catalog.products.map(\.id) == ["a", "d", "f"])
        #expect(catalog.product("a")?.kind == .nonConsumable)
        let group = "subscriptionGroups[0].subscriptions"
        #expect(
            found.notCarried.map(\.path) == [
                "products[1]", "products[2]", "products[3]", "products[4].localizations[0]",
                "\(group)[0]", "\(group)[1].groupNumber", "\(group)[1].introductoryOffer",
                "\(group)[1].adHocOffers[0]", "\(group)[1].winbackOffers[0]",
                "subscriptionGroups[1].name", "subscriptionGroups[1]",
            ])
    }

    @Test(
        "A file that is none says where it is wrong",
        arguments: [
            ("", 1, "bad_json"), ("{\n\"version\": }", 2, "bad_json"), ("[]", 1, "wrong_type"),
            ("{}", 1, "missing_field"), (#"{"version":{"major":0}}"#, 1, "out_of_bounds"),
            ("{\"version\":{\"major\":1},\n \"products\": 7}", 2, "wrong_type"),
            ("{\"version\":{\"major\":1},\n\"products\": [{}]}", 2, "missing_field"),
            ("{\"version\":{\"major\":1},\n\"products\": [3]}", 2, "wrong_type"),
            ("{\"version\":{\"major\":1},\n\"settings\": []}", 2, "wrong_type"),
        ])
    func malformed(text: String, line: Int, code: String) throws {
        let problem = #expect(throws: LineProblem.self) { try Self.read(text) }
        #expect(problem?.line == line)
        #expect(problem?.code == code)
    }

    @Test("An app's name that no catalog takes is refused")
    func appName() throws {
        let bytes = Array(Self.file("").utf8)
        let problem = #expect(throws: LineProblem.self) {
            try StoreKitConfigurationReader.read(bytes, app: "My App")
        }
        #expect(problem?.member == "app")
    }

    @Test("A newer format is read as far as it is known, and told to be newer")
    func newer() throws {
        let text = Self.file("").replacing(#""major":3"#, with: #""major":6"#)
        let found = try Self.read(text)
        #expect(found.format == "6.0")
        #expect(found.notCarried.map(\.path) == ["version"])
    }
}
