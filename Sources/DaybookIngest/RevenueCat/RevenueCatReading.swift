public import DaybookEvents

/// What one webhook of RevenueCat came to.
public struct RevenueCatReading: Sendable, Equatable {
    /// RevenueCat's own id of the webhook; a retry has the same one.
    public var id: String
    /// The type as it was sent, also one that is not known here.
    public var type: String
    /// What it tells, in canonical form: the fact or notice that it is about first.
    public var events: [EventDraft]
    /// Aliases: which IDs are one customer by its word. Every webhook says it again, so a caller may leave out what the
    /// ledger knows.
    public var aliases: [EventDraft]
    /// The paths of what must not be kept (names, addresses, free text) and is in none of the events.
    public var leftOut: [String]
    /// How many attributes and values that were.
    public var leftOutCount: Int
    /// Whether the type is one that has a meaning here; the others are stored raw.
    public var isKnown: Bool

    /// Everything that there is to append, in order.
    public var drafts: [EventDraft] { events + aliases }
}

/// The types of webhooks that have a meaning here (docs/revenuecat.md).
public enum RevenueCatType: String, Sendable, CaseIterable {
    case initialPurchase = "INITIAL_PURCHASE"
    case renewal = "RENEWAL"
    case cancellation = "CANCELLATION"
    case uncancellation = "UNCANCELLATION"
    case billingIssue = "BILLING_ISSUE"
    case expiration = "EXPIRATION"
    case productChange = "PRODUCT_CHANGE"
    case nonRenewingPurchase = "NON_RENEWING_PURCHASE"
    case transfer = "TRANSFER"
    case subscriptionExtended = "SUBSCRIPTION_EXTENDED"
    case temporaryEntitlementGrant = "TEMPORARY_ENTITLEMENT_GRANT"
    case refundReversed = "REFUND_REVERSED"
    case subscriptionPaused = "SUBSCRIPTION_PAUSED"
    case virtualCurrencyTransaction = "VIRTUAL_CURRENCY_TRANSACTION"
    case experimentEnrollment = "EXPERIMENT_ENROLLMENT"
    case subscriberAlias = "SUBSCRIBER_ALIAS"
    case test = "TEST"
    case invoiceIssuance = "INVOICE_ISSUANCE"
}
