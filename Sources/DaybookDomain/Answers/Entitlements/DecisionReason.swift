/// Why a feature or a meter is open, or why not: the word after `granted.` or `denied.`.
public enum DecisionReason: String, Sendable, CaseIterable, CustomStringConvertible {
    // What opens it.
    case debug, lifetime, subscription, trial, grace, family, grant
    case freePeriod = "intro_period"
    case freeFeature = "free_feature"
    case freeQuota = "free_quota"

    // What refuses it.
    case notEntitled = "not_entitled"
    case limitReached = "limit_reached"
    case windowExceeded = "window_exceeded"
    case consentRescinded = "consent_rescinded"
    case refunded, revoked, paused, unverified, expired
    case billingRetry = "billing_retry"
    case freePeriodExpired = "intro_expired"
    /// Something is known of a subscription, but not its periods (NZ-08).
    case unknownState = "unknown_state_fallback_free"
    /// Nothing is published that could open it.
    case noCatalog = "no_catalog"
    /// The catalog in force does not have it.
    case notInCatalog = "not_in_catalog"

    /// The raw value, as answers and events have it: `limit_reached`.
    public var description: String { rawValue }
}
