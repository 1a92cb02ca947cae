public import DaybookEvents

/// A step of a subscription that matters to analytics, derived from the store's facts (NZ-12, NZ-13).
public struct SubscriptionMilestone: Sendable, Equatable {
    /// The milestones there are; catalogs name them by these words.
    public enum Kind: String, Sendable, CaseIterable {
        /// The first subscription of the group, as a trial or paid.
        case purchased
        case trialStarted
        /// The first paid period, directly or after a trial, and each one after an expiry.
        case activated
        /// A further paid period of a subscription that had not expired.
        case renewed
        /// Renewal was switched off; an expiry is none.
        case canceled
    }

    /// What the subscription came to.
    public var kind: Kind
    /// `apple:2000000123`.
    public var lineage: String
    /// Id of the product with the store; of `canceled` that of the last period which had begun.
    public var product: String
    /// The subscription group of the product, as the catalog names it.
    public var group: String
    /// The transaction; none for `canceled`.
    public var transaction: Reference
    /// The store's own date of the period's beginning, or when renewal was switched off.
    public var at: Int64
    /// The event that told it first, of those that count.
    public var position: Int64
    /// The statement that counts now: its price and currency are the transaction's.
    public var statement: Event
}
