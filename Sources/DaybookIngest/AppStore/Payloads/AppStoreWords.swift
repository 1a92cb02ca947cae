/// Apple's words for environments.
public enum AppStoreEnvironment: String, Sendable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode.
    case xcode = "Xcode"
    /// StoreKit testing in unit tests; the sandbox authority uses it too.
    case localTesting = "LocalTesting"
}

/// What happened; App Store Server Notifications V2.
public enum AppStoreNotificationType: String, Sendable, CaseIterable {
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case didRenew = "DID_RENEW"
    case expired = "EXPIRED"
    case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
    case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
    case metadataUpdate = "METADATA_UPDATE"
    case migration = "MIGRATION"
    case offerRedeemed = "OFFER_REDEEMED"
    case oneTimeCharge = "ONE_TIME_CHARGE"
    case priceChange = "PRICE_CHANGE"
    case priceIncrease = "PRICE_INCREASE"
    case refund = "REFUND"
    case refundDeclined = "REFUND_DECLINED"
    case refundReversed = "REFUND_REVERSED"
    case renewalExtended = "RENEWAL_EXTENDED"
    case renewalExtension = "RENEWAL_EXTENSION"
    case rescindConsent = "RESCIND_CONSENT"
    case revoke = "REVOKE"
    case subscribed = "SUBSCRIBED"
    case test = "TEST"
}

/// What more is said of what happened.
public enum AppStoreNotificationSubtype: String, Sendable, CaseIterable {
    case accepted = "ACCEPTED"
    case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
    case autoRenewDisabled = "AUTO_RENEW_DISABLED"
    case autoRenewEnabled = "AUTO_RENEW_ENABLED"
    case billingRecovery = "BILLING_RECOVERY"
    case billingRetry = "BILLING_RETRY"
    case created = "CREATED"
    case downgrade = "DOWNGRADE"
    case failure = "FAILURE"
    case gracePeriod = "GRACE_PERIOD"
    case initialBuy = "INITIAL_BUY"
    case pending = "PENDING"
    case priceIncrease = "PRICE_INCREASE"
    case productNotForSale = "PRODUCT_NOT_FOR_SALE"
    case resubscribe = "RESUBSCRIBE"
    case summary = "SUMMARY"
    case unreported = "UNREPORTED"
    case upgrade = "UPGRADE"
    case voluntary = "VOLUNTARY"
}

/// The state of a subscription as the store sees it when it signs.
public enum AppStoreStatus: Int64, Sendable, CaseIterable {
    case active = 1
    case expired, billingRetry, billingGracePeriod, revoked
}

/// Why a customer asks for a refund.
public enum AppStoreConsumptionRequestReason: String, Sendable, CaseIterable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
}

/// What kind of product was bought.
public enum AppStoreProductType: String, Sendable, CaseIterable {
    case autoRenewable = "Auto-Renewable Subscription"
    case nonConsumable = "Non-Consumable"
    case consumable = "Consumable"
    case nonRenewing = "Non-Renewing Subscription"
}

/// How the customer came to the purchase.
public enum AppStoreOwnership: String, Sendable, CaseIterable {
    case purchased = "PURCHASED"
    case familyShared = "FAMILY_SHARED"
}

/// Why the store refunded or revoked.
public enum AppStoreRevocationReason: Int64, Sendable, CaseIterable {
    case other = 0
    /// There was an issue with the app, or the customer said so.
    case appIssue = 1
}

/// How much of a purchase was taken back.
public enum AppStoreRevocationType: String, Sendable, CaseIterable {
    case refundFull = "REFUND_FULL"
    case refundProrated = "REFUND_PRORATED"
    case familyRevoke = "FAMILY_REVOKE"
}

/// Which offer a period was bought with.
public enum AppStoreOfferType: Int64, Sendable, CaseIterable {
    case introductory = 1
    case promotional, offerCode, winBack
}

/// How an offer is paid.
public enum AppStoreOfferDiscount: String, Sendable, CaseIterable {
    case freeTrial = "FREE_TRIAL"
    case payAsYouGo = "PAY_AS_YOU_GO"
    case payUpFront = "PAY_UP_FRONT"
    case oneTime = "ONE_TIME"
}

/// Whether the customer bought or the store renewed.
public enum AppStoreTransactionReason: String, Sendable, CaseIterable {
    case purchase = "PURCHASE"
    case renewal = "RENEWAL"
}

/// How a year is billed.
public enum AppStoreBillingPlan: String, Sendable, CaseIterable {
    case billedUpfront = "BILLED_UPFRONT"
    case monthly = "MONTHLY"
}

/// Why a subscription ended.
public enum AppStoreExpirationIntent: Int64, Sendable, CaseIterable {
    case customerCanceled = 1
    case billingError, priceIncreaseDeclined, productUnavailable, other
}

/// Whether a subscription renews at the end of its period.
public enum AppStoreAutoRenewStatus: Int64, Sendable, CaseIterable {
    case off = 0
    case on = 1
}

/// Whether the customer agreed to a higher price.
public enum AppStorePriceIncreaseStatus: Int64, Sendable, CaseIterable {
    case notAnswered = 0
    /// The customer agreed, or was told where agreement is not needed.
    case agreed = 1
}
