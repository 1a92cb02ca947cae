public import DaybookEvents

/// A short description of a renewal info to sign.
public struct SandboxRenewal: Sendable, Equatable {
    /// The lineage.
    public var originalTransactionID: String
    /// The product of the period that runs.
    public var productID: String
    /// What it renews as; the same product unless given.
    public var autoRenewProductID: String?
    /// Whether it renews at the end of the period.
    public var willRenew = true
    /// When the store says so, milliseconds since 1970 UTC, like every time here.
    public var signedAt: Int64
    /// When the next period begins; `nil`: it is left out.
    public var renewsAt: Int64?
    /// Since when it has run without a lapse; `nil`: it is left out.
    public var continuousSince: Int64?
    /// Whether the store is trying a failed charge again.
    public var isInBillingRetry = false
    /// Exclusive.
    public var graceExpiresAt: Int64?
    /// Why it ended, or is about to; `nil`: it is left out.
    public var expirationIntent: AppStoreExpirationIntent?
    /// Whether the customer agreed to a higher price; `nil`: it is left out.
    public var priceIncreaseStatus: AppStorePriceIncreaseStatus?
    /// Thousandths of the currency.
    public var renewalPrice: Int64?
    /// ISO 4217.
    public var currency: String?
    /// The kind of the next period's offer; `nil`: none.
    public var offerType: AppStoreOfferType?
    /// How that offer is paid; `nil`: it is left out.
    public var offerDiscount: AppStoreOfferDiscount?
    /// The id of that offer; `nil`: it is left out.
    public var offerID: String?
    /// The app's own id of its customer, a UUID; `nil`: it is left out.
    public var appAccountToken: String?
    /// What the payload says of its environment.
    public var environment: AppStoreEnvironment = .localTesting
    /// Members that this description has no word for; they win over those that it has, and null takes a member away.
    public var others = JSONObject()

    /// A subscription that will renew as the same product; nothing is checked.
    public init(originalTransactionID: String, productID: String, signedAt: Int64) {
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.signedAt = signedAt
    }

    /// As it is signed.
    public var payload: JSONObject {
        let payload: JSONObject = [
            "originalTransactionId": .string(originalTransactionID),
            "productId": .string(productID),
            "autoRenewProductId": .string(autoRenewProductID ?? productID),
            "autoRenewStatus": .integer(
                (willRenew ? AppStoreAutoRenewStatus.on : .off).rawValue),
            "isInBillingRetryPeriod": .bool(isInBillingRetry),
            "signedDate": .integer(signedAt), "environment": .string(environment.rawValue),
            "renewalDate": .orNull(renewsAt),
            "recentSubscriptionStartDate": .orNull(continuousSince),
            "gracePeriodExpiresDate": .orNull(graceExpiresAt),
            "expirationIntent": .orNull(expirationIntent?.rawValue),
            "priceIncreaseStatus": .orNull(priceIncreaseStatus?.rawValue),
            "renewalPrice": .orNull(renewalPrice), "currency": .orNull(currency),
            "offerType": .orNull(offerType?.rawValue),
            "offerDiscountType": .orNull(offerDiscount?.rawValue),
            "offerIdentifier": .orNull(offerID), "appAccountToken": .orNull(appAccountToken),
        ]
        // A null among the others takes a member away.
        return payload.adding(others).withoutNulls
    }
}
