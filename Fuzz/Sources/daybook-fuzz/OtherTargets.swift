import DaybookDomain
import DaybookEvents
import DaybookIngest
import Foundation

/// StoreKit configuration files of Xcode's: what is read becomes a catalog that Daybook itself accepts.
struct StoreKitTarget: FuzzTarget {
    func take(_ bytes: [UInt8]) {
        guard let found = try? StoreKitConfigurationReader.read(bytes, app: "fuzz") else { return }
        do throws(CatalogProblems) {
            _ = try CatalogReader.read(Array(found.catalog.utf8))
        } catch {
            preconditionFailure("the catalog has mistakes: \(error)\n\(found.catalog)")
        }
    }

    /// The project's own file, and those of the folder in `FUZZ_STOREKIT`.
    func seeds() throws -> [[UInt8]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        var files = [root.appending(path: "events/nuzzle/Nuzzle.storekit")]
        if let folder = ProcessInfo.processInfo.environment["FUZZ_STOREKIT"] {
            let names = FileManager.default.enumerator(atPath: folder)
            while let name = names?.nextObject() as? String {
                if name.hasSuffix(".storekit") { files.append(URL(filePath: "\(folder)/\(name)")) }
            }
        }
        return try files.map { Array(try Data(contentsOf: $0)) }
    }
}

/// RevenueCat's webhooks: what is read is canonical.
struct RevenueCatTarget: FuzzTarget {
    private let reader = RevenueCatReader()

    func take(_ bytes: [UInt8]) {
        guard let reading = try? reader.read(bytes) else { return }
        for draft in reading.events + reading.aliases {
            let canonical = try? EventValidator.canonical(draft)
            precondition(canonical == draft, "an event is not canonical")
        }
    }

    func seeds() throws -> [[UInt8]] {
        [
            "INITIAL_PURCHASE", "RENEWAL", "CANCELLATION", "UNCANCELLATION", "EXPIRATION",
            "NON_RENEWING_PURCHASE", "PRODUCT_CHANGE", "BILLING_ISSUE", "TRANSFER",
            "SUBSCRIPTION_EXTENDED", "SUBSCRIPTION_PAUSED", "TEST",
        ].map { type in
            Array(
                """
                {"api_version":"1.0","event":{"id":"\(type)-1","type":"\(type)",\
                "event_timestamp_ms":1772366400000,"app_user_id":"u_1",\
                "original_app_user_id":"$RCAnonymousID:8","aliases":["u_1"],\
                "product_id":"premium.monthly","period_type":"NORMAL",\
                "purchased_at_ms":1772366400000,"expiration_at_ms":1775044800000,\
                "environment":"PRODUCTION","store":"APP_STORE","transaction_id":"2000000001",\
                "original_transaction_id":"2000000001","price":8.99,\
                "price_in_purchased_currency":8.99,"currency":"USD","country_code":"US",\
                "cancel_reason":"UNSUBSCRIBE","expiration_reason":"UNSUBSCRIBE",\
                "transferred_from":["u_1"],"transferred_to":["u_2"]}}
                """.utf8)
        }
    }
}
