public import DaybookEvents

/// What will happen at the end of a subscription's period (`JWSRenewalInfoDecodedPayload`).
///
/// It names no app. Only the transactions of the same lineage tell which app it is of.
public struct AppStoreRenewal: AppStorePurchasePayload {
    /// The payload as it was signed; a property whose member is missing or unreadable is `nil`.
    public let members: JSONObject

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

    /// The documented members of `JWSRenewalInfoDecodedPayload`.
    public static let fields: [AppStoreField] = [
        .init("expirationIntent", .number), .init("originalTransactionId", .identifier),
        .init("autoRenewProductId", .text), .init("productId", .text),
        .init("autoRenewStatus", .number), .init("isInBillingRetryPeriod", .flag),
        .init("priceIncreaseStatus", .number), .init("gracePeriodExpiresDate", .milliseconds),
        .init("offerType", .number), .init("offerIdentifier", .text),
        .init("signedDate", .milliseconds), .init("environment", .text),
        .init("recentSubscriptionStartDate", .milliseconds), .init("renewalDate", .milliseconds),
        .init("currency", .text), .init("renewalPrice", .money), .init("offerDiscountType", .text),
        .init("eligibleWinBackOfferIds", .texts), .init("appAccountToken", .text),
        .init("appTransactionId", .identifier), .init("offerPeriod", .text),
        .init("advancedCommerceInfo", .object), .init("commitmentInfo", .object),
        .init("renewalBillingPlanType", .text),
        .init("deviceVerification", .text), .init("deviceVerificationNonce", .text),
    ]

    // MARK: What will be

    /// Whether it renews at the end of the period.
    public var autoRenewStatus: AppStoreWord<AppStoreAutoRenewStatus>? {
        members.word("autoRenewStatus")
    }
    /// What it renews as.
    public var autoRenewProductID: String? { members.text("autoRenewProductId") }
    /// Thousandths of the currency.
    public var renewalPrice: Int64? { members.wholeNumber("renewalPrice") }
    /// Whether the customer agreed to a higher price.
    public var priceIncreaseStatus: AppStoreWord<AppStorePriceIncreaseStatus>? {
        members.word("priceIncreaseStatus")
    }
    /// Best first.
    public var eligibleWinBackOfferIDs: [String]? { members.texts("eligibleWinBackOfferIds") }
    /// How the next year is billed.
    public var billingPlan: AppStoreWord<AppStoreBillingPlan>? {
        members.word("renewalBillingPlanType")
    }

    // MARK: What went wrong

    /// Why the subscription ended; also there while a failed charge is tried again.
    public var expirationIntent: AppStoreWord<AppStoreExpirationIntent>? {
        members.word("expirationIntent")
    }
    /// Also true while there is grace.
    public var isInBillingRetry: Bool? { members.flag("isInBillingRetryPeriod") }

    // MARK: When, milliseconds since 1970 UTC

    /// When the next period begins.
    public var renewsAt: Int64? { members.milliseconds("renewalDate") }
    /// Exclusive.
    public var graceExpiresAt: Int64? { members.milliseconds("gracePeriodExpiresDate") }
    /// Lapses of less than 60 days do not count.
    public var continuousSince: Int64? { members.milliseconds("recentSubscriptionStartDate") }
}
