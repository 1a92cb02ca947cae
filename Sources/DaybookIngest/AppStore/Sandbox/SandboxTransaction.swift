public import DaybookEvents

/// A short description of a transaction to sign.
///
/// What is not given is derived: a first purchase of one piece at its own time, by the buyer, in the United States.
public struct SandboxTransaction: Sendable, Equatable {
    /// The app's bundle identifier.
    public var bundleID: String
    /// The product's id at the store.
    public var productID: String
    /// The kind of the product.
    public var type: AppStoreProductType
    /// The transaction's id.
    public var transactionID: String
    /// The lineage; the transaction itself unless given.
    public var originalTransactionID: String?
    /// Milliseconds since 1970 UTC, like every time here.
    public var purchasedAt: Int64
    /// The first purchase of the lineage; `purchasedAt` unless given.
    public var originallyPurchasedAt: Int64?
    /// Exclusive; subscriptions have one.
    public var expiresAt: Int64?
    /// When the store says so; `purchasedAt` unless given.
    public var signedAt: Int64?
    /// How many pieces were bought.
    public var quantity: Int64 = 1
    /// Thousandths of the currency.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    /// The subscription group; `nil`: it is left out.
    public var groupID: String?
    /// The app's own id of its customer, a UUID; `nil`: it is left out.
    public var appAccountToken: String?
    /// The id of the app's download; `nil`: it is left out.
    public var appTransactionID: String?
    /// Whether the customer bought it or has it by family sharing.
    public var ownership: AppStoreOwnership = .purchased
    /// A renewal where the lineage is another than the transaction, unless given, or unless the notification around it
    /// tells of a purchase.
    public var reason: AppStoreTransactionReason?
    /// Whether an upgrade replaced it; `false` leaves the member out.
    public var isUpgraded = false
    /// The kind of the offer that it was bought with; `nil`: none.
    public var offerType: AppStoreOfferType?
    /// How that offer is paid; `nil`: it is left out.
    public var offerDiscount: AppStoreOfferDiscount?
    /// The id of that offer; `nil`: it is left out.
    public var offerID: String?
    /// ISO 8601.
    public var offerPeriod: String?
    /// When the store took it back; `nil`: it did not.
    public var revokedAt: Int64?
    /// Why the store took it back; `nil`: it is left out.
    public var revocationReason: AppStoreRevocationReason?
    /// Whether all or a part of it was refunded, or family sharing ended; `nil`: it is left out.
    public var revocationType: AppStoreRevocationType?
    /// Thousandths of a percent.
    public var revocationPercentage: Int64?
    /// The country of the customer's storefront, ISO 3166-1 alpha-3.
    public var storefront = "USA"
    /// Apple's number for the storefront; the default is that of the United States.
    public var storefrontID = "143441"
    /// What the payload says of its environment.
    public var environment: AppStoreEnvironment = .localTesting
    /// Members that this description has no word for; they win over those that it has, and null takes a member away.
    public var others = JSONObject()

    /// A transaction of one piece, bought by the customer; nothing is checked.
    public init(
        bundleID: String, productID: String, type: AppStoreProductType, transactionID: String,
        purchasedAt: Int64
    ) {
        self.bundleID = bundleID
        self.productID = productID
        self.type = type
        self.transactionID = transactionID
        self.purchasedAt = purchasedAt
    }

    /// As it is signed.
    public var payload: JSONObject {
        let lineage = originalTransactionID ?? transactionID
        let payload: JSONObject = [
            "bundleId": .string(bundleID), "productId": .string(productID),
            "type": .string(type.rawValue), "transactionId": .string(transactionID),
            "originalTransactionId": .string(lineage), "purchaseDate": .integer(purchasedAt),
            "originalPurchaseDate": .integer(originallyPurchasedAt ?? purchasedAt),
            "signedDate": .integer(signedAt ?? purchasedAt), "quantity": .integer(quantity),
            "inAppOwnershipType": .string(ownership.rawValue),
            "transactionReason": .string(
                (reason ?? (lineage == transactionID ? .purchase : .renewal)).rawValue),
            "storefront": .string(storefront), "storefrontId": .string(storefrontID),
            "environment": .string(environment.rawValue),
            "expiresDate": .orNull(expiresAt), "price": .orNull(price),
            "currency": .orNull(currency), "subscriptionGroupIdentifier": .orNull(groupID),
            "appAccountToken": .orNull(appAccountToken),
            "appTransactionId": .orNull(appTransactionID), "isUpgraded": isUpgraded ? true : .null,
            "offerType": .orNull(offerType?.rawValue),
            "offerDiscountType": .orNull(offerDiscount?.rawValue),
            "offerIdentifier": .orNull(offerID), "offerPeriod": .orNull(offerPeriod),
            "revocationDate": .orNull(revokedAt),
            "revocationReason": .orNull(revocationReason?.rawValue),
            "revocationType": .orNull(revocationType?.rawValue),
            "revocationPercentage": .orNull(revocationPercentage),
        ]
        // A null among the others takes a member away.
        return payload.adding(others).withoutNulls
    }
}
