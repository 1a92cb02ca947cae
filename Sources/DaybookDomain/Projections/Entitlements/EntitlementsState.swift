public import DaybookEvents

// What entitlements are made of. The state of a lineage holds what the store says about it, the state of a customer
// what we say about the customer. Arrays are in canonical order of the events that filled them.

/// One transaction: a register per group of fields, each won by its best statement (rule 3).
public struct TransactionFact: Sendable, Equatable {
    /// The store's id of the transaction.
    public var id: Reference
    /// Rank of the statement that gave product, dates and price; none: only a refund is known so far (E06).
    public var coreRank = StatementRank.none
    /// The store's id of the product, as a name; 0: none is known yet.
    public var product: NameID = 0
    /// When it was bought, or when its period began; `Event.absent`: no purchase is known yet.
    public var startsAt = Event.absent
    /// The stated end, exclusive; non-renewing and non-consumable purchases have none: `Event.absent`.
    public var expiresAt = Event.absent
    /// How many of the product were bought.
    public var quantity: Int64 = 1
    /// Whether it is a family member's share of what another customer bought.
    public var isFamilyShared = false
    /// 1 introductory, 2 promotional, 3 offer code, 4 win-back, 7 another; 0 none.
    public var offerType: UInt8 = 0
    /// 1 free trial, 2 pay as you go, 3 pay up front, 4 one time, 7 another; 0 none.
    public var offerDiscount: UInt8 = 0
    /// Whether the store states that another product replaced it.
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
    /// Rank of the statement that says whether it was refunded or revoked; none: no statement says.
    public var revocationRank = StatementRank.none
    /// `Event.absent`: not revoked.
    public var revokedAt = Event.absent
    /// In which way it was withdrawn; `none` also where a refund was reversed.
    public var revocation = Revocation.none
    /// Thousandths of a percent.
    public var refundedMilli: Int64 = 100_000
    /// Rank of the report that it ended early; none: nothing reported it.
    public var endingRank = StatementRank.none
    /// The end that was reported, exclusive (rule 32); `Event.absent`: none was.
    public var endedAt = Event.absent
    /// Whether the end was reported because of a refund.
    public var isEndedByRefund = false
    /// When a client first asserted it; `Event.absent`: never (rule 11).
    public var firstAssertedAt = Event.absent

    /// A transaction of which nothing was said yet.
    public init(id: Reference) { self.id = id }

    /// How access was withdrawn: by a refund of all or of a share, by the family's organiser, by the developer.
    public enum Revocation: UInt8, Sendable { case none, full, prorated, family, developer }

    /// Whether it has an introductory offer that is free; nothing else is a trial (T27).
    public var isTrial: Bool { offerType == 1 && offerDiscount == 1 }
    /// Whether nothing is paid for it, whatever the offer is called and whatever price is told.
    public var isFree: Bool { offerDiscount == 1 }
    /// Whether a client alone tells of the purchase (rule 11), or no statement does at all.
    public var isProvisional: Bool { coreRank.classRank == 0 }
}

/// What the store said about charging for the next period.
public struct BillingNotice: Sendable, Equatable {
    /// Whether a charge failed and the store goes on trying.
    public var isRetrying = false
    /// The stated end of grace, exclusive; `Event.absent`: there is none.
    public var graceExpiresAt = Event.absent
}

/// What the store says about one lineage.
public struct LineageState: Sendable, Equatable {
    /// Each transaction once, in the order in which events first told of them.
    public var transactions: [TransactionFact] = []
    /// Whether renewal is switched on; `true` as long as nothing was said.
    public var autoRenew = Stated<Bool>(true)
    /// The product of which the next renewal will be; 0: nothing was said of it.
    public var nextProduct = Stated<NameID>(0)
    /// The notice about billing of the greatest rank.
    public var billing = Stated<BillingNotice>(BillingNotice())
    /// What `billing` said before, where that was anything: a time in the past is asked about as it was then (rule 4).
    public var formerNotices: [FormerNotice] = []
    /// The reason that the store gave for the end; 0: none, or it has begun again since.
    public var expiry = Stated<NameID>(0)
    /// 0 none, 1 pending, 2 accepted, 3 declined, 7 another.
    public var priceIncrease = Stated<UInt8>(0)
    /// Every extension, whether it decides on the end or not.
    public var extensions: [Extension] = []
    /// Changes of product at once; those that wait for the renewal are in `nextProduct`.
    public var switches: [Switch] = []
    /// When billing failed or the end was announced: a gap that contains one is a real gap (E07).
    public var lapses: [Int64] = []
    /// What the store said of service without a lapse.
    public var continuities: [Continuity] = []
    /// The customer that owns the lineage before any transfer (rule 7); 0: an orphan.
    public var owner: NameID = 0
    /// Whether a verified account token named the owner.
    public var ownerHasToken = false
    /// Whether the owner only stands in for an unnamed buyer, as an earlier version recorded consumables.
    public var ownerStandsIn = false
    /// When the owner was named; `Event.absent`: none was.
    public var ownerNamedAt = Event.absent
    /// Customers whom its events name, transfers aside, each once, in the order of their first naming.
    public var claims: [NameID] = []
    /// Transfers of this lineage alone; those of everything are in `Identity`.
    public var transfers: [Transfer] = []
    /// The first event of the lineage; `Event.absent`: none.
    public var firstEventAt = Event.absent
    /// Of `transactions`, by id.
    var transactionIndex = ReferenceIndex()

    /// The state before any event.
    public init() {}

    /// A notice that was in force until another took its place.
    public struct FormerNotice: Sendable, Equatable {
        /// From when on it was in force, inclusive.
        public var at: Int64
        /// Exclusive.
        public var until: Int64
        /// What was said.
        public var value: BillingNotice
    }
    /// A statement about the end of one transaction; it weighs as much as any other (rule 3).
    public struct Extension: Sendable, Equatable {
        /// When the end was moved, in milliseconds since 1970 UTC.
        public var at: Int64
        /// `Reference.none`: the transaction that was the current one then.
        public var transaction: Reference
        /// The new end, exclusive.
        public var newExpiresAt: Int64
        /// What it weighs against other statements about the end.
        public var rank: StatementRank
    }
    /// The store said that service had not lapsed between these two times (E07).
    public struct Continuity: Sendable, Equatable {
        /// From when on service was continuous, in milliseconds since 1970 UTC.
        public var since: Int64
        /// When it was said; it tells nothing about later.
        public var saidAt: Int64
    }
    /// A change of product that took effect at once.
    public struct Switch: Sendable, Equatable {
        /// When it took effect, in milliseconds since 1970 UTC.
        public var at: Int64
        /// 0: the store did not say, as Apple does not; then whatever else ran was replaced.
        public var from: NameID
        /// The product that was chosen.
        public var to: NameID
        /// Whether only a client says so (rule 11).
        public var isProvisional: Bool

        /// Whether it replaced a product.
        func replaces(_ product: NameID) -> Bool {
            from == 0 ? product != to : product == from
        }
    }
    /// The move of this lineage from one customer to another (rule 7).
    public struct Transfer: Sendable, Equatable {
        /// Its place among all transfers, those of whole customers included.
        public var order: OrderKey
        /// The customer who gave it away, as the event names it.
        public var from: NameID
        /// The customer who got it, as the event names it.
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
    /// Time zones that were told.
    public var zones: [ZoneChange] = []
    /// Profiles that were created, deleted or restored.
    public var profiles: [ProfileChange] = []
    /// Beginnings and ends of a purchase's service to a profile.
    public var assignments: [Assignment] = []
    /// Every grant that was issued; of several with one id the first counts.
    public var grants: [GrantFact] = []
    /// Withdrawals of grants; of several with one id the earliest time counts.
    public var voids: [GrantVoid] = []
    /// Debug overrides that were set or cleared (rule 10).
    public var overrides: [DebugOverride] = []
    /// A guardian's consent, given or withdrawn.
    public var consents: [ConsentChange] = []

    /// The state before any event.
    public init() {}

    /// Begins anew in the memory that it has. Most lists are empty and left alone.
    mutating func reset() {
        firstSeenAt = Event.absent
        firstEventAt = Event.absent
        if !zones.isEmpty { zones.removeAll(keepingCapacity: true) }
        if !profiles.isEmpty { profiles.removeAll(keepingCapacity: true) }
        if !assignments.isEmpty { assignments.removeAll(keepingCapacity: true) }
        if !grants.isEmpty { grants.removeAll(keepingCapacity: true) }
        if !voids.isEmpty { voids.removeAll(keepingCapacity: true) }
        if !overrides.isEmpty { overrides.removeAll(keepingCapacity: true) }
        if !consents.isEmpty { consents.removeAll(keepingCapacity: true) }
    }

    /// The first moment that is known of the customer; `Event.absent` if there is none.
    public var anchor: Int64 { firstSeenAt == Event.absent ? firstEventAt : firstSeenAt }

    /// Whether consent was withdrawn by a time and not given again since.
    public func isConsentWithdrawn(at instant: Int64) -> Bool {
        consents.last { $0.at <= instant }.map { !$0.isGiven } ?? false
    }

    /// One statement about consent.
    public struct ConsentChange: Sendable, Equatable {
        /// When it was made, in milliseconds since 1970 UTC.
        public var at: Int64
        /// `false`: it was withdrawn.
        public var isGiven: Bool
    }
    /// A time zone that was told of a customer.
    public struct ZoneChange: Sendable, Equatable {
        /// When it was told, in milliseconds since 1970 UTC.
        public var at: Int64
        /// The zone's IANA name.
        public var zone: NameID
        /// Told when the customer was first seen: the first of these rules all time before as well.
        public var isFirstSight: Bool
    }
    /// One event in the life of a profile.
    public struct ProfileChange: Sendable, Equatable {
        /// What became of a profile.
        public enum Kind: UInt8, Sendable { case created, deleted, restored }
        /// When it happened, in milliseconds since 1970 UTC.
        public var at: Int64
        /// The profile's id, as a name.
        public var profile: NameID
        /// What the profile is (`child`), as a name; 0: the event does not say.
        public var profileKind: NameID
        /// Whether it was created, deleted or restored.
        public var change: Kind
        /// `free_started_at` or `original_created_at` where given.
        public var startedAt: Int64
    }
    /// The beginning or end of a purchase's service to a profile.
    public struct Assignment: Sendable, Equatable {
        /// When it happened, in milliseconds since 1970 UTC.
        public var at: Int64
        /// The store's id of the transaction.
        public var transaction: Reference
        /// 0, with an end alone: whichever profile it served.
        public var profile: NameID
        /// Whether it ends an assignment instead of beginning one.
        public var isEnd: Bool
    }
    /// A grant as one event issued it.
    public struct GrantFact: Sendable, Equatable {
        /// The grant's own id.
        public var id: Reference
        /// The key of the event.
        public var key: Reference
        /// The kind of the event's source, as a name.
        public var source: NameID
        /// The entitlement that it gives; 0: none.
        public var entitlement: NameID
        /// The feature that it is for, perhaps by an alias; 0: none.
        public var feature: NameID
        /// The meter that its units are of, perhaps by an alias; 0: none is named.
        public var meter: NameID
        /// The only profile that it serves; 0: the whole customer.
        public var profile: NameID
        /// `Event.absent` where no amount was given.
        public var amount: Int64
        /// Whether the event says `unlimited`.
        public var isUnlimited: Bool
        /// When it begins, inclusive, in milliseconds since 1970 UTC.
        public var startsAt: Int64
        /// The promised end, exclusive; `Event.absent`: without end.
        public var expiresAt: Int64
        /// 0 to 255, lower burns first; 100 where the event has none.
        public var priority: Int64
        /// The most units that roll over; `Event.absent`: the event says nothing of rollover.
        public var rolloverMax: Int64
        /// The fewest units that roll over; `Event.absent`: 0.
        public var rolloverMin: Int64
        /// How often the units come again: the place in `Vocabulary.recurrences` from 1 on; 0 once.
        public var recurrence: UInt8
    }
    /// The withdrawal of a grant.
    public struct GrantVoid: Sendable, Equatable {
        /// The grant's own id.
        public var id: Reference
        /// From when on it gives nothing, inclusive, in milliseconds since 1970 UTC.
        public var voidedAt: Int64
    }
    /// A debug override as one event set or cleared it (rule 10).
    public struct DebugOverride: Sendable, Equatable {
        /// 1 force entitlement, 2 expire trial, 3 clear subscription, 4 reset trial eligibility; 0 clears all.
        public var kind: UInt8
        /// `false`: it was cleared.
        public var isSet: Bool
        /// The entitlement to force; 0: all of them, or the override needs no value.
        public var value: NameID
        /// When it was set or cleared, in milliseconds since 1970 UTC.
        public var at: Int64
        /// The end of what was set, exclusive; `Event.absent` where it was cleared.
        public var expiresAt: Int64
    }
}
