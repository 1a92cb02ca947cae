import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Third-party files of every format from 1.0 to 5.0.
@Suite(
    "StoreKit configurations: files of others",
    .enabled(if: SharedVectors.areThere, Comment(rawValue: SharedVectors.absence)))
struct StoreKitVectorTests {
    @Test("All eight files become catalogs with every product of theirs and its price")
    func all() throws {
        let names = SharedVectors.names(in: "storekit").filter { $0.hasSuffix(".storekit") }
        #expect(names.count == 8)
        var formats: Set<String> = []
        for name in names {
            let found = try StoreKitConfigurationReader.read(
                try SharedVectors.bytes("storekit/\(name)"), app: "vectors")
            let catalog = try CatalogReader.read(Array(found.catalog.utf8))
            let file = try SharedVectors.object("storekit/\(name)")
            var products = (file["products"]?.array ?? []).compactMap(\.object)
            for group in file["subscriptionGroups"]?.array ?? [] {
                products += (group.object?["subscriptions"]?.array ?? []).compactMap(\.object)
            }
            let commented = file["nonRenewingSubscriptions"]?.array ?? []
            #expect(found.productCount == products.count + commented.count, "\(name)")
            #expect(catalog.products.count == products.count, "\(name)")
            for product in products {
                let id = product["productID"]?.text ?? ""
                let made = try #require(catalog.product(id), "\(name): \(id)")
                let price = product["displayPrice"]?.text ?? ""
                #expect(made.prices.map(\.amountMilli) == [Self.milli(price)], "\(name): \(id)")
                #expect(made.familyShareable == product["familyShareable"]?.bool)
                let period = product["recurringSubscriptionPeriod"]?.text
                #expect(made.period == period.flatMap { CivilDuration(iso8601: $0) })
                let mode = product["introductoryOffer"]?.object?["paymentMode"]?.text
                #expect((made.introOffer != nil) == (mode != nil))
            }
            formats.insert(found.format)
        }
        #expect(formats.isSuperset(of: ["1.0", "1.1", "1.2", "2.0", "3.0", "4.0", "5.0"]))
    }

    /// Counted out by hand, beside the code that is tested.
    private static func milli(_ price: String) -> Int64? {
        let parts = price.split(separator: ".")
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        return Int64(parts[0] + fraction + String(repeating: "0", count: 3 - fraction.count))
    }

    @Test("Format 5.0: offers, codes and billing plans are listed with their places")
    func listed() throws {
        let name = "storekit/RevenueCat_purchases-ios__UnitTestsConfiguration.storekit"
        let found = try StoreKitConfigurationReader.read(
            try SharedVectors.bytes(name), app: "vectors")
        let group = "subscriptionGroups[0].subscriptions"
        let paths = found.notCarried.map(\.path)
        #expect(
            paths.filter { $0.hasPrefix("\(group)[0]") } == [
                "\(group)[0].adHocOffers[0]", "\(group)[0].adHocOffers[1]",
            ])
        #expect(
            paths.filter { $0.hasPrefix("\(group)[2]") } == [
                "\(group)[2].billingPlans[0]", "\(group)[2].billingPlans[1]",
            ])
        #expect(paths.contains("nonRenewingSubscriptions[0]"))
    }

    @Test("A key that signs offers never reaches the catalog")
    func secrets() throws {
        let found = try StoreKitConfigurationReader.read(
            try SharedVectors.bytes("storekit/RevenueCat_purchases-ios__v2.0__7138c59a5b.storekit"),
            app: "vectors")
        #expect(found.notCarried.contains { $0.path == "subscriptionOffersKeyPair" })
        #expect(!found.catalog.contains("REDACTED"))
        #expect(!found.notCarried.contains { $0.reason.contains("REDACTED") })
    }
}
