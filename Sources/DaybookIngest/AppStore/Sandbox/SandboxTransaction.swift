public import DaybookEvents

/// A short description of a transaction to sign.
///
/// What is not given is derived: a first purchase of one piece at its own time, by the buyer, in the United States.
public struct SandboxTransaction: Sendable, Equatable {
    public var bundleID: String
    public var productID: String
    public var type: AppStoreProductType
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
    public var quantity: Int64 = 1
    /// Thousandths of the currency.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    public var groupID: String?
    public var appAccountToken: String?
    public var appTransactionID: String?
    public var ownership: AppStoreOwnership = .purchased
    /// A renewal where the lineage is another than the transaction, unless given, or unless the notification around it
    /// tells of a purchase.
    public var reason: AppStoreTransactionReason?
    public var isUpgraded = false
    public var offerType: AppStoreOfferType?
    public var offerDiscount: AppStoreOfferDiscount?
    public var offerID: String?
    /// ISO 8601.
    public var offerPeriod: String?
    public var revokedAt: Int64?
    public var revocationReason: AppStoreRevocationReason?
    public var revocationType: AppStoreRevocationType?
    /// Thousandths of a percent.
    public var revocationPercentage: Int64?
    public var storefront = "USA"
    public var storefrontID = "143441"
    public var environment: AppStoreEnvironment = .localTesting
    /// Members that this description has no word for; they win over those that it has, and null takes a member away.
    public var others = JSONObject()

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
        var payload: JSONObject = [
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
        ]
        payload["expiresDate"] = expiresAt.map(JSONValue.integer)
        payload["price"] = price.map(JSONValue.integer)
        payload["currency"] = currency.map(JSONValue.string)
        payload["subscriptionGroupIdentifier"] = groupID.map(JSONValue.string)
        payload["appAccountToken"] = appAccountToken.map(JSONValue.string)
        payload["appTransactionId"] = appTransactionID.map(JSONValue.string)
        if isUpgraded { payload["isUpgraded"] = true }
        payload["offerType"] = (offerType?.rawValue).map(JSONValue.integer)
        payload["offerDiscountType"] = (offerDiscount?.rawValue).map(JSONValue.string)
        payload["offerIdentifier"] = offerID.map(JSONValue.string)
        payload["offerPeriod"] = offerPeriod.map(JSONValue.string)
        payload["revocationDate"] = revokedAt.map(JSONValue.integer)
        payload["revocationReason"] = (revocationReason?.rawValue).map(JSONValue.integer)
        payload["revocationType"] = (revocationType?.rawValue).map(JSONValue.string)
        payload["revocationPercentage"] = revocationPercentage.map(JSONValue.integer)
        payload.override(with: others)
        return payload
    }
}

extension JSONObject {
    /// Members of another object replace those of this one; null takes a member away.
    mutating func override(with others: JSONObject) {
        for member in others.members {
            // Written out, because in a conditional expression nil would be JSON's null.
            if member.value == .null {
                self[member.name] = nil
            } else {
                self[member.name] = member.value
            }
        }
    }
}
