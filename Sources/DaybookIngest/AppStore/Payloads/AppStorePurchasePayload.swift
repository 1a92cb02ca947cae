public import DaybookEvents

/// What was stated of a purchase: a transaction, or how its subscription goes on.
public protocol AppStorePurchasePayload: AppStorePayload {}

extension AppStorePurchasePayload {
    // MARK: Which

    /// The lineage: one subscription of one purchaser in one group, or one purchase.
    public var originalID: String? { members.identifier("originalTransactionId") }
    /// The download of the app, one for an Apple Account and an app.
    public var appTransactionID: String? { members.identifier("appTransactionId") }
    /// The app's own id of its customer; a UUID in lower case, however it came.
    public var appAccountToken: String? {
        members.text("appAccountToken").map(UUIDText.lowercased)
    }
    /// The environment of the purchase.
    public var environment: AppStoreWord<AppStoreEnvironment>? { members.word("environment") }
    /// The product's id at the store; of a renewal that of the period that runs, or that ended last.
    public var productID: String? { members.text("productId") }
    /// When the store signed this payload.
    public var signedAt: Int64? { members.milliseconds("signedDate") }

    // MARK: For how much

    /// ISO 4217.
    public var currency: String? { members.text("currency") }
    /// The kind of the offer that it was bought with; of a renewal that of the next period.
    public var offerType: AppStoreWord<AppStoreOfferType>? { members.word("offerType") }
    /// How that offer is paid.
    public var offerDiscount: AppStoreWord<AppStoreOfferDiscount>? {
        members.word("offerDiscountType")
    }
    /// The id of that offer.
    public var offerID: String? { members.text("offerIdentifier") }
    /// ISO 8601.
    public var offerPeriod: String? { members.text("offerPeriod") }
    /// The 12-month commitment, as it came.
    public var commitment: JSONObject? { members.object("commitmentInfo") }
    /// What Advanced Commerce adds, as it came.
    public var advancedCommerce: JSONObject? { members.object("advancedCommerceInfo") }
}

/// What was stated of an app.
public protocol AppStoreAppPayload: AppStorePayload {}

extension AppStoreAppPayload {
    /// The app's number in App Store Connect; the sandbox leaves it out.
    public var appAppleID: Int64? { members.wholeNumber("appAppleId") }
    /// The app's bundle identifier.
    public var bundleID: String? { members.text("bundleId") }
}
