public import DaybookEvents

/// What will happen at the end of a subscription's period (`JWSRenewalInfoDecodedPayload`).
///
/// It names no app. Only the transactions of the same lineage tell which app it is of.
public struct AppStoreRenewal: AppStorePayload {
    public let members: JSONObject

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

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

    // MARK: Which

    /// The lineage.
    public var originalID: String? { members.identifier("originalTransactionId") }
    public var appTransactionID: String? { members.identifier("appTransactionId") }
    /// A UUID in lower case, however it came.
    public var appAccountToken: String? {
        members.text("appAccountToken").map(UUIDText.lowercased)
    }
    public var environment: AppStoreWord<AppStoreEnvironment>? {
        members.word("environment", AppStoreEnvironment.self)
    }
    public var productID: String? { members.text("productId") }

    // MARK: What will be

    public var autoRenewStatus: AppStoreWord<AppStoreAutoRenewStatus>? {
        members.word("autoRenewStatus", AppStoreAutoRenewStatus.self)
    }
    /// What it renews as.
    public var autoRenewProductID: String? { members.text("autoRenewProductId") }
    /// Thousandths of the currency.
    public var renewalPrice: Int64? { members.wholeNumber("renewalPrice") }
    /// ISO 4217.
    public var currency: String? { members.text("currency") }
    public var priceIncreaseStatus: AppStoreWord<AppStorePriceIncreaseStatus>? {
        members.word("priceIncreaseStatus", AppStorePriceIncreaseStatus.self)
    }
    public var offerType: AppStoreWord<AppStoreOfferType>? {
        members.word("offerType", AppStoreOfferType.self)
    }
    public var offerDiscount: AppStoreWord<AppStoreOfferDiscount>? {
        members.word("offerDiscountType", AppStoreOfferDiscount.self)
    }
    public var offerID: String? { members.text("offerIdentifier") }
    /// ISO 8601.
    public var offerPeriod: String? { members.text("offerPeriod") }
    /// Best first.
    public var eligibleWinBackOfferIDs: [String]? { members.texts("eligibleWinBackOfferIds") }
    public var billingPlan: AppStoreWord<AppStoreBillingPlan>? {
        members.word("renewalBillingPlanType", AppStoreBillingPlan.self)
    }
    public var commitment: JSONObject? { members.object("commitmentInfo") }
    public var advancedCommerce: JSONObject? { members.object("advancedCommerceInfo") }

    // MARK: What went wrong

    public var expirationIntent: AppStoreWord<AppStoreExpirationIntent>? {
        members.word("expirationIntent", AppStoreExpirationIntent.self)
    }
    /// Also true while there is grace.
    public var isInBillingRetry: Bool? { members.flag("isInBillingRetryPeriod") }

    // MARK: When, milliseconds since 1970 UTC

    public var signedAt: Int64? { members.milliseconds("signedDate") }
    public var renewsAt: Int64? { members.milliseconds("renewalDate") }
    /// Exclusive.
    public var graceExpiresAt: Int64? { members.milliseconds("gracePeriodExpiresDate") }
    /// Lapses of less than 60 days do not count.
    public var continuousSince: Int64? { members.milliseconds("recentSubscriptionStartDate") }
}
