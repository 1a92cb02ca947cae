public import DaybookEvents

/// One charge or one period (`JWSTransactionDecodedPayload`).
public struct AppStoreTransaction: AppStorePayload {
    /// The payload as it was signed; a property whose member is missing or unreadable is `nil`.
    public let members: JSONObject

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

    /// The documented members of `JWSTransactionDecodedPayload`.
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

    /// The transaction's id; each renewal has one of its own.
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
    /// The app's bundle identifier.
    public var bundleID: String? { members.text("bundleId") }
    /// The environment of the purchase.
    public var environment: AppStoreWord<AppStoreEnvironment>? { members.word("environment") }

    // MARK: What

    /// The product's id at the store.
    public var productID: String? { members.text("productId") }
    /// The subscription group; other products have none.
    public var groupID: String? { members.identifier("subscriptionGroupIdentifier") }
    /// The kind of the product.
    public var type: AppStoreWord<AppStoreProductType>? { members.word("type") }
    /// How many pieces were bought.
    public var quantity: Int64? { members.wholeNumber("quantity") }
    /// Whether the customer bought it or has it by family sharing.
    public var ownership: AppStoreWord<AppStoreOwnership>? { members.word("inAppOwnershipType") }
    /// Whether the customer bought it or the store renewed it.
    public var reason: AppStoreWord<AppStoreTransactionReason>? {
        members.word("transactionReason")
    }
    /// Whether an upgrade replaced it.
    public var isUpgraded: Bool? { members.flag("isUpgraded") }
    /// The country of the customer's storefront, ISO 3166-1 alpha-3.
    public var storefront: String? { members.text("storefront") }
    /// Apple's number for the storefront.
    public var storefrontID: String? { members.identifier("storefrontId") }

    // MARK: When, milliseconds since 1970 UTC

    /// When the store charged for it; a renewal may be signed up to a day before.
    public var purchasedAt: Int64? { members.milliseconds("purchaseDate") }
    /// When the lineage's first transaction was bought.
    public var originallyPurchasedAt: Int64? { members.milliseconds("originalPurchaseDate") }
    /// Exclusive.
    public var expiresAt: Int64? { members.milliseconds("expiresDate") }
    /// When the store signed this payload.
    public var signedAt: Int64? { members.milliseconds("signedDate") }
    /// When the store took it back, by refund or from the family.
    public var revokedAt: Int64? { members.milliseconds("revocationDate") }

    // MARK: For how much

    /// Thousandths of the currency, for the whole quantity as the store states it.
    public var price: Int64? { members.wholeNumber("price") }
    /// ISO 4217.
    public var currency: String? { members.text("currency") }
    /// The kind of the offer that it was bought with.
    public var offerType: AppStoreWord<AppStoreOfferType>? { members.word("offerType") }
    /// How that offer is paid.
    public var offerDiscount: AppStoreWord<AppStoreOfferDiscount>? {
        members.word("offerDiscountType")
    }
    /// The id of that offer.
    public var offerID: String? { members.text("offerIdentifier") }
    /// ISO 8601.
    public var offerPeriod: String? { members.text("offerPeriod") }
    /// Why the store took it back.
    public var revocationReason: AppStoreWord<AppStoreRevocationReason>? {
        members.word("revocationReason")
    }
    /// Whether all or a part of it was refunded, or family sharing ended.
    public var revocationType: AppStoreWord<AppStoreRevocationType>? {
        members.word("revocationType")
    }
    /// Thousandths of a percent: 100,000 is all of it.
    public var revocationPercentage: Int64? { members.wholeNumber("revocationPercentage") }
    /// How the year is billed.
    public var billingPlan: AppStoreWord<AppStoreBillingPlan>? { members.word("billingPlanType") }
    /// The 12-month commitment, as it came.
    public var commitment: JSONObject? { members.object("commitmentInfo") }
    /// What Advanced Commerce adds, as it came.
    public var advancedCommerce: JSONObject? { members.object("advancedCommerceInfo") }
}
