public import DaybookEvents

/// What one subscriber document of RevenueCat's came to.
public struct RevenueCatSubscriberReading: Sendable, Equatable {
    /// The customer of all events but the aliases.
    public var subject: String
    /// When RevenueCat wrote the document, in milliseconds since 1970.
    public var signedAt: Int64
    /// What it tells of the asked environment, in canonical form: the customer first, then the purchases by product in
    /// byte order, each with what is told of it. Empty where the document has nothing of a sandbox.
    public var events: [EventDraft]
    /// Aliases: which IDs are one customer by its word. Every document says it again, so a caller may leave out what
    /// the ledger knows.
    public var aliases: [EventDraft]
    /// What the document cannot say of this customer, or what it says that became no event.
    public var gaps: [RevenueCatSubscriberGap]
    /// The paths of what must not be kept (names, addresses, free text) and is in none of the events.
    public var leftOut: [String]
    /// How many attributes and values that were.
    public var leftOutCount: Int

    /// Everything that there is to append, in order.
    public var drafts: [EventDraft] { events + aliases }
}

/// Something that a subscriber document cannot say, or that it says and no event holds.
public struct RevenueCatSubscriberGap: Sendable, Hashable {
    /// What the document cannot say, or which part of it no event holds.
    public enum Code: String, Sendable, CaseIterable {
        /// The periods of a subscription before the one that the document has.
        case earlierPeriods = "earlier_periods"
        /// The original transaction of a purchase; its lineage is named after the transaction at hand.
        case originalTransaction = "original_transaction"
        /// The store's transaction; a name made of customer, product and date stands in for it.
        case transaction
        /// What kind a one-time purchase is; it was guessed.
        case kind
        /// Purchases of the environment that was not asked for.
        case otherEnvironment = "other_environment"
        /// Purchases of which nothing says whether they are of the sandbox; they are left out.
        case unknownEnvironment = "unknown_environment"
        /// Another id of the customer's own; it is not joined with the one that was asked for.
        case otherID = "other_id"
        /// An entitlement of a product that is not among the purchases.
        case unexplainedEntitlement = "unexplained_entitlement"
        /// An entitlement that the newest catalog does not give for the product.
        case entitlementDiffers = "entitlement_differs"
        /// Which entitlement a promotion gives; it was read from the product's name, or not at all.
        case promotion
        /// A time that is finer than milliseconds was cut.
        case cutTime = "cut_time"
        /// The ledger has the transaction from another source, in this lineage or another, or of another customer; what
        /// is told there stays.
        case knownElsewhere = "known_elsewhere"
        /// Another source says otherwise, and stays.
        case contradicted
        /// The ledger has a newer document of the customer, which says how things stand.
        case olderDocument = "older_document"
    }

    /// What kind of gap it is.
    public var code: Code
    /// The product, the entitlement or the member that it is about; `nil`: the whole document.
    public var name: String?
    /// A sentence for people.
    public var sentence: String

    /// Creates a gap; nothing is checked.
    public init(code: Code, name: String?, sentence: String) {
        self.code = code
        self.name = name
        self.sentence = sentence
    }
}
