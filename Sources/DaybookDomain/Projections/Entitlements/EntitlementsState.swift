public import DaybookEvents

// What entitlements are made of. The state of a lineage holds what the store says about it, the state of a customer
// what we say about the customer. Arrays are in canonical order of the events that filled them.

/// One transaction: a register per group of fields, each won by its best statement (rule 3).
public struct TransactionFact: Sendable, Equatable {
    public var id: Reference
    /// Rank of the statement that gave product, dates and price; none: only a refund is known so far (E06).
    public var coreRank = StatementRank.none
    public var product: NameID = 0
    /// Non-renewing and non-consumable purchases have no end of their own: `Event.absent`.
    public var startsAt = Event.absent
    public var expiresAt = Event.absent
    public var quantity: Int64 = 1
    public var isFamilyShared = false
    public var offerType: UInt8 = 0
    public var offerDiscount: UInt8 = 0
    public var isUpgraded = false
    /// Rank of the statement that said of what kind it is: not every statement does.
    public var kindRank = StatementRank.none
    /// Whether it is credits, which give no access (rule 6).
    public var isConsumable = false
    /// Whether what was said with the greatest weight of its kind was that a subscription began with it.
    public var isStart = false
    /// Rank of the statement that said whether customer or store began it: not every statement does.
    public var reasonRank = StatementRank.none
    /// Whether the customer began it by a purchase; else the store by a renewal. Nothing where `reasonRank` is none.
    public var isPurchase = false
    public var revocationRank = StatementRank.none
    /// `Event.absent`: not revoked.
    public var revokedAt = Event.absent
    public var revocation = Revocation.none
    /// Thousandths of a percent.
    public var refundedMilli: Int64 = 100_000
    public var endingRank = StatementRank.none
    public var endedAt = Event.absent
    /// Whether the end was reported because of a refund.
    public var isEndedByRefund = false
    /// When a client first asserted it; `Event.absent`: never (rule 11).
    public var firstAssertedAt = Event.absent

    public init(id: Reference) { self.id = id }

    public enum Revocation: UInt8, Sendable { case none, full, prorated, family, developer }

    public var isTrial: Bool { offerType == 1 && offerDiscount == 1 }
    /// Whether nothing is paid for it, whatever the offer is called and whatever price is told.
    public var isFree: Bool { offerDiscount == 1 }
    public var isProvisional: Bool { coreRank.classRank == 0 }
}

public struct BillingNotice: Sendable, Equatable {
    public var isRetrying = false
    public var graceExpiresAt = Event.absent
}

/// What the store says about one lineage.
public struct LineageState: Sendable, Equatable {
    public var transactions: [TransactionFact] = []
    public var autoRenew = Stated<Bool>(true)
    public var nextProduct = Stated<NameID>(0)
    public var billing = Stated<BillingNotice>(BillingNotice())
    /// What `billing` said before, where that was anything: a time in the past is asked about as it was then (rule 4).
    public var formerNotices: [FormerNotice] = []
    public var expiry = Stated<NameID>(0)
    /// 0 none, 1 pending, 2 accepted, 3 declined, 7 another.
    public var priceIncrease = Stated<UInt8>(0)
    public var extensions: [Extension] = []
    public var switches: [Switch] = []
    /// When billing failed or the end was announced: a gap that contains one is a real gap (E07).
    public var lapses: [Int64] = []
    public var continuities: [Continuity] = []
    /// The customer that owns the lineage before any transfer (rule 7); 0: an orphan.
    public var owner: NameID = 0
    /// Whether a verified account token named the owner.
    public var ownerHasToken = false
    /// Whether the owner only stands in for an unnamed buyer, as an earlier version recorded consumables.
    public var ownerStandsIn = false
    /// When the owner was named; `Event.absent`: none was.
    public var ownerNamedAt = Event.absent
    public var claims: [NameID] = []
    public var transfers: [Transfer] = []
    /// The first event of the lineage; `Event.absent`: none.
    public var firstEventAt = Event.absent
    /// Of `transactions`, by id.
    var transactionIndex = ReferenceIndex()

    public init() {}

    /// A notice that was in force until another took its place.
    public struct FormerNotice: Sendable, Equatable {
        public var at: Int64
        /// Exclusive.
        public var until: Int64
        public var value: BillingNotice
    }
    /// A statement about the end of one transaction; it weighs as much as any other (rule 3).
    public struct Extension: Sendable, Equatable {
        public var at: Int64
        /// `Reference.none`: the transaction that was the current one then.
        public var transaction: Reference
        public var newExpiresAt: Int64
        public var rank: StatementRank
    }
    /// The store said that service had not lapsed between these two times (E07).
    public struct Continuity: Sendable, Equatable {
        public var since: Int64
        /// When it was said; it tells nothing about later.
        public var saidAt: Int64
    }
    /// A change of product that took effect at once.
    public struct Switch: Sendable, Equatable {
        public var at: Int64
        /// 0: the store did not say, as Apple does not; then whatever else ran was replaced.
        public var from: NameID
        public var to: NameID
        /// Whether only a client says so (rule 11).
        public var isProvisional: Bool

        /// Whether it replaced a product.
        func replaces(_ product: NameID) -> Bool {
            from == 0 ? product != to : product == from
        }
    }
    public struct Transfer: Sendable, Equatable {
        /// Its place among all transfers, those of whole customers included.
        public var order: OrderKey
        public var from: NameID
        public var to: NameID
        /// Of a consumable, the credits that were left and moved; `Event.absent`: all of them.
        public var units: Int64
    }

    /// Whether the lineage is a consumable: it moves by a transfer of its own alone, never with everything that a
    /// customer owns (rule 6).
    public var isConsumable: Bool {
        let known = transactions.filter { !$0.coreRank.isNone }
        return !known.isEmpty && known.allSatisfy(\.isConsumable)
    }
}

/// What we say about a customer.
public struct CustomerState: Sendable, Equatable {
    /// `subject.created` said so; `Event.absent` otherwise.
    public var firstSeenAt = Event.absent
    /// The first event of the customer, evidence and scheduled resets aside.
    public var firstEventAt = Event.absent
    public var zones: [ZoneChange] = []
    public var profiles: [ProfileChange] = []
    public var assignments: [Assignment] = []
    public var grants: [GrantFact] = []
    public var voids: [GrantVoid] = []
    public var overrides: [DebugOverride] = []
    /// A guardian's consent, given or withdrawn.
    public var consents: [ConsentChange] = []

    public init() {}

    /// Begins anew; most customers have none of all this, so only what is there is taken away.
    mutating func reset() { self = CustomerState() }

    /// The first moment that is known of the customer; `Event.absent` if there is none.
    public var anchor: Int64 { firstSeenAt == Event.absent ? firstEventAt : firstSeenAt }

    /// Whether consent was withdrawn by a time and not given again since.
    public func isConsentWithdrawn(at instant: Int64) -> Bool {
        consents.last { $0.at <= instant }.map { !$0.isGiven } ?? false
    }

    public struct ConsentChange: Sendable, Equatable {
        public var at: Int64
        public var isGiven: Bool
    }
    public struct ZoneChange: Sendable, Equatable {
        public var at: Int64
        public var zone: NameID
        /// Told when the customer was first seen: the first of these rules all time before as well.
        public var isFirstSight: Bool
    }
    public struct ProfileChange: Sendable, Equatable {
        public enum Kind: UInt8, Sendable { case created, deleted, restored }
        public var at: Int64
        public var profile: NameID
        public var profileKind: NameID
        public var change: Kind
        /// `free_started_at` or `original_created_at` where given.
        public var startedAt: Int64
    }
    public struct Assignment: Sendable, Equatable {
        public var at: Int64
        public var transaction: Reference
        /// 0, with an end alone: whichever profile it served.
        public var profile: NameID
        /// Whether it ends an assignment instead of beginning one.
        public var isEnd: Bool
    }
    public struct GrantFact: Sendable, Equatable {
        public var id: Reference
        public var key: Reference
        public var source: NameID
        public var entitlement: NameID
        public var feature: NameID
        public var meter: NameID
        public var profile: NameID
        /// `Event.absent` where no amount was given.
        public var amount: Int64
        public var isUnlimited: Bool
        public var startsAt: Int64
        public var expiresAt: Int64
        public var priority: Int64
        public var rolloverMax: Int64
        public var rolloverMin: Int64
        /// How often the units come again: the place in `Vocabulary.recurrences` from 1 on; 0 once.
        public var recurrence: UInt8
    }
    public struct GrantVoid: Sendable, Equatable {
        public var id: Reference
        public var voidedAt: Int64
    }
    public struct DebugOverride: Sendable, Equatable {
        /// 1 force entitlement, 2 expire trial, 3 clear subscription, 4 reset trial eligibility; 0 clears all.
        public var kind: UInt8
        public var isSet: Bool
        public var value: NameID
        public var at: Int64
        public var expiresAt: Int64
    }
}
