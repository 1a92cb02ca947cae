public import DaybookEvents

/// A short description of a renewal info to sign.
public struct SandboxRenewal: Sendable, Equatable {
    /// The lineage.
    public var originalTransactionID: String
    public var productID: String
    /// What it renews as; the same product unless given.
    public var autoRenewProductID: String?
    public var willRenew = true
    /// When the store says so, milliseconds since 1970 UTC, like every time here.
    public var signedAt: Int64
    public var renewsAt: Int64?
    public var continuousSince: Int64?
    public var isInBillingRetry = false
    /// Exclusive.
    public var graceExpiresAt: Int64?
    public var expirationIntent: AppStoreExpirationIntent?
    public var priceIncreaseStatus: AppStorePriceIncreaseStatus?
    /// Thousandths of the currency.
    public var renewalPrice: Int64?
    /// ISO 4217.
    public var currency: String?
    public var offerType: AppStoreOfferType?
    public var offerDiscount: AppStoreOfferDiscount?
    public var offerID: String?
    public var appAccountToken: String?
    public var environment: AppStoreEnvironment = .localTesting
    /// Members that this description has no word for; they win over those that it has, and null takes a member away.
    public var others = JSONObject()

    public init(originalTransactionID: String, productID: String, signedAt: Int64) {
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.signedAt = signedAt
    }

    /// As it is signed.
    public var payload: JSONObject {
        var payload: JSONObject = [
            "originalTransactionId": .string(originalTransactionID),
            "productId": .string(productID),
            "autoRenewProductId": .string(autoRenewProductID ?? productID),
            "autoRenewStatus": .integer(
                (willRenew ? AppStoreAutoRenewStatus.on : .off).rawValue),
            "isInBillingRetryPeriod": .bool(isInBillingRetry),
            "signedDate": .integer(signedAt), "environment": .string(environment.rawValue),
        ]
        payload["renewalDate"] = renewsAt.map(JSONValue.integer)
        payload["recentSubscriptionStartDate"] = continuousSince.map(JSONValue.integer)
        payload["gracePeriodExpiresDate"] = graceExpiresAt.map(JSONValue.integer)
        payload["expirationIntent"] = (expirationIntent?.rawValue).map(JSONValue.integer)
        payload["priceIncreaseStatus"] = (priceIncreaseStatus?.rawValue).map(JSONValue.integer)
        payload["renewalPrice"] = renewalPrice.map(JSONValue.integer)
        payload["currency"] = currency.map(JSONValue.string)
        payload["offerType"] = (offerType?.rawValue).map(JSONValue.integer)
        payload["offerDiscountType"] = (offerDiscount?.rawValue).map(JSONValue.string)
        payload["offerIdentifier"] = offerID.map(JSONValue.string)
        payload["appAccountToken"] = appAccountToken.map(JSONValue.string)
        payload.override(with: others)
        return payload
    }
}
