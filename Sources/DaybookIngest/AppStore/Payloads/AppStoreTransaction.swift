public import DaybookEvents

/// One charge or one period (`JWSTransactionDecodedPayload`).
public struct AppStoreTransaction: AppStorePurchasePayload {
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
    /// One period's purchase, the same on all devices.
    public var webOrderLineItemID: String? { members.identifier("webOrderLineItemId") }
    /// The app's bundle identifier.
    public var bundleID: String? { members.text("bundleId") }

    // MARK: What

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
    /// When the store took it back, by refund or from the family.
    public var revokedAt: Int64? { members.milliseconds("revocationDate") }

    // MARK: For how much

    /// Thousandths of the currency, for the whole quantity as the store states it.
    public var price: Int64? { members.wholeNumber("price") }
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
}
