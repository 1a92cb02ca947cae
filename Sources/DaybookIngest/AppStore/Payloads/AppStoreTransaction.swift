public import DaybookEvents

/// One charge or one period (`JWSTransactionDecodedPayload`).
public struct AppStoreTransaction: AppStorePayload {
    public let members: JSONObject

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

    public static let fields: [AppStoreField] = [
        .init("originalTransactionId", .identifier), .init("transactionId", .identifier),
        .init("webOrderLineItemId", .identifier), .init("bundleId", .text),
        .init("productId", .text), .init("subscriptionGroupIdentifier", .identifier),
        .init("purchaseDate", .milliseconds), .init("originalPurchaseDate", .milliseconds),
        .init("expiresDate", .milliseconds), .init("quantity", .number), .init("type", .text),
        .init("appAccountToken", .text), .init("inAppOwnershipType", .text),
        .init("signedDate", .milliseconds), .init("revocationReason", .number),
        .init("revocationDate", .milliseconds), .init("isUpgraded", .flag),
        .init("offerType", .number), .init("offerIdentifier", .text), .init("environment", .text),
        .init("storefront", .text), .init("storefrontId", .identifier),
        .init("transactionReason", .text), .init("currency", .text), .init("price", .money),
        .init("offerDiscountType", .text), .init("appTransactionId", .identifier),
        .init("offerPeriod", .text), .init("revocationType", .text),
        .init("revocationPercentage", .number), .init("advancedCommerceInfo", .object),
        .init("billingPlanType", .text), .init("commitmentInfo", .object),
        .init("deviceVerification", .text), .init("deviceVerificationNonce", .text),
    ]

    // MARK: Which

    public var id: String? { members.identifier("transactionId") }
    /// The lineage: one subscription of one purchaser in one group, or one purchase.
    public var originalID: String? { members.identifier("originalTransactionId") }
    /// One period's purchase, the same on all devices.
    public var webOrderLineItemID: String? { members.identifier("webOrderLineItemId") }
    /// The download of the app, one for an Apple Account and an app.
    public var appTransactionID: String? { members.identifier("appTransactionId") }
    /// The app's own id of its customer; a UUID in lower case, however it came.
    public var appAccountToken: String? {
        members.text("appAccountToken").map(UUIDText.lowercased)
    }
    public var bundleID: String? { members.text("bundleId") }
    public var environment: AppStoreWord<AppStoreEnvironment>? {
        members.word("environment", AppStoreEnvironment.self)
    }

    // MARK: What

    public var productID: String? { members.text("productId") }
    public var groupID: String? { members.identifier("subscriptionGroupIdentifier") }
    public var type: AppStoreWord<AppStoreProductType>? {
        members.word("type", AppStoreProductType.self)
    }
    public var quantity: Int64? { members.wholeNumber("quantity") }
    public var ownership: AppStoreWord<AppStoreOwnership>? {
        members.word("inAppOwnershipType", AppStoreOwnership.self)
    }
    public var reason: AppStoreWord<AppStoreTransactionReason>? {
        members.word("transactionReason", AppStoreTransactionReason.self)
    }
    public var isUpgraded: Bool? { members.flag("isUpgraded") }
    public var storefront: String? { members.text("storefront") }
    public var storefrontID: String? { members.identifier("storefrontId") }

    // MARK: When, milliseconds since 1970 UTC

    public var purchasedAt: Int64? { members.milliseconds("purchaseDate") }
    public var originallyPurchasedAt: Int64? { members.milliseconds("originalPurchaseDate") }
    /// Exclusive.
    public var expiresAt: Int64? { members.milliseconds("expiresDate") }
    public var signedAt: Int64? { members.milliseconds("signedDate") }
    public var revokedAt: Int64? { members.milliseconds("revocationDate") }

    // MARK: For how much

    /// Thousandths of the currency, for the whole quantity as the store states it.
    public var price: Int64? { members.wholeNumber("price") }
    /// ISO 4217.
    public var currency: String? { members.text("currency") }
    public var offerType: AppStoreWord<AppStoreOfferType>? {
        members.word("offerType", AppStoreOfferType.self)
    }
    public var offerDiscount: AppStoreWord<AppStoreOfferDiscount>? {
        members.word("offerDiscountType", AppStoreOfferDiscount.self)
    }
    public var offerID: String? { members.text("offerIdentifier") }
    /// ISO 8601.
    public var offerPeriod: String? { members.text("offerPeriod") }
    public var revocationReason: AppStoreWord<AppStoreRevocationReason>? {
        members.word("revocationReason", AppStoreRevocationReason.self)
    }
    public var revocationType: AppStoreWord<AppStoreRevocationType>? {
        members.word("revocationType", AppStoreRevocationType.self)
    }
    /// Thousandths of a percent: 100,000 is all of it.
    public var revocationPercentage: Int64? { members.wholeNumber("revocationPercentage") }
    public var billingPlan: AppStoreWord<AppStoreBillingPlan>? {
        members.word("billingPlanType", AppStoreBillingPlan.self)
    }
    public var commitment: JSONObject? { members.object("commitmentInfo") }
    public var advancedCommerce: JSONObject? { members.object("advancedCommerceInfo") }
}
