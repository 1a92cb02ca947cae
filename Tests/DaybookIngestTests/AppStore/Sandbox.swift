import DaybookEvents
import DaybookFixtures
import DaybookIngest

/// An authority for the tests, and what it signs when nothing is wrong.
enum Sandbox {
    static let bundleID = "com.example.bedtime"
    static let appAppleID: Int64 = 41_234
    static let now = Fixtures.now
    static let hour: Int64 = 3_600_000
    static let year: Int64 = 365 * 24 * hour
    static let from = now - year
    static let until = now + year

    static func authority(
        _ flaw: SandboxAuthority.Flaw? = nil, seed: String = "bedtime"
    ) throws -> SandboxAuthority {
        try SandboxAuthority(seed: Array(seed.utf8), from: from, until: until, flaw: flaw)
    }

    static func identity(_ environment: Environment = .test) -> AppStoreIdentity {
        AppStoreIdentity(
            bundleIDs: [bundleID], appAppleID: appAppleID, environment: environment)
    }

    /// Believes one authority alone.
    static func verifier(
        _ authority: SandboxAuthority, in environment: Environment = .test
    ) throws -> AppStoreVerifier {
        AppStoreVerifier(
            identity: identity(environment), roots: try AppStoreRoots(der: [authority.root]))
    }

    static func transaction(_ environment: AppStoreEnvironment = .localTesting)
        -> SandboxTransaction
    {
        var transaction = SandboxTransaction(
            bundleID: bundleID, productID: "premium.monthly", type: .autoRenewable,
            transactionID: "2000000001", purchasedAt: now - hour)
        transaction.expiresAt = now + 24 * hour
        transaction.price = 8_990
        transaction.currency = "USD"
        transaction.environment = environment
        return transaction
    }

    static func renewal(_ environment: AppStoreEnvironment = .localTesting) -> SandboxRenewal {
        var renewal = SandboxRenewal(
            originalTransactionID: "2000000001", productID: "premium.monthly",
            signedAt: now - hour)
        renewal.environment = environment
        return renewal
    }

    static func notification(
        _ environment: AppStoreEnvironment = .localTesting
    ) -> SandboxNotification {
        var notification = SandboxNotification(
            type: .subscribed, bundleID: bundleID, signedAt: now - hour)
        notification.subtype = .initialBuy
        notification.appAppleID = appAppleID
        notification.status = .active
        notification.transaction = transaction(environment)
        notification.renewal = renewal(environment)
        notification.environment = environment
        return notification
    }

    /// The three parts of a compact JWS.
    static func parts(_ text: String) -> [String] {
        text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The header's members, for changing them.
    static func header(of text: String) throws -> JSONObject {
        let bytes = Base64.decode(parts(text)[0], .url) ?? []
        return try JSONReader.read(bytes).object ?? JSONObject()
    }
}
