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

/// RevenueCat's subscriber documents: what is read is canonical.
struct SubscriberTarget: FuzzTarget {
    private let reader = RevenueCatSubscriberReader()

    func take(_ bytes: [UInt8]) {
        guard let reading = try? reader.read(bytes) else { return }
        for draft in reading.drafts {
            let canonical = try? EventValidator.canonical(draft)
            precondition(canonical == draft, "an event is not canonical")
        }
    }

    func seeds() throws -> [[UInt8]] {
        ["app_store", "play_store", "promotional"].map { store in
            Array(
                """
                {"request_date":"2026-02-01T00:00:05Z","request_date_ms":1769904005250,\
                "app_user_id":"u_1","subscriber":{"original_app_user_id":"$RCAnonymousID:8",\
                "first_seen":"2025-12-01T00:00:00Z","subscriber_attributes":{"$email":{}},\
                "subscriptions":{"pro.monthly":{"purchase_date":"2026-01-15T00:00:00.1234Z",\
                "original_purchase_date":"2025-06-15T00:00:00Z","is_sandbox":false,\
                "expires_date":"2026-02-15T00:00:00Z","store":"\(store)",\
                "store_transaction_id":"GPA.1-2..3","ownership_type":"PURCHASED",\
                "period_type":"trial","price":{"amount":5.99,"currency":"USD"},\
                "unsubscribe_detected_at":"2026-01-20T00:00:00Z",\
                "billing_issues_detected_at":"2026-01-20T00:00:00Z",\
                "grace_period_expires_date":"2026-02-20T00:00:00Z",\
                "refunded_at":"2026-01-20T00:00:00Z","auto_resume_date":null}},\
                "non_subscriptions":{"coins":[{"id":"a","is_sandbox":false,"store":"\(store)",\
                "purchase_date":"2026-01-15T00:00:00Z","store_transaction_id":7}]},\
                "entitlements":{"pro":{"product_identifier":"pro.monthly"}}}}
                """.utf8)
        }
    }
}
