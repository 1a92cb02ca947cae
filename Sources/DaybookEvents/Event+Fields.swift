/// The slots of an event by the names that folds use.
extension Event {
    // Names.
    /// The product, in types that have `product` in name a; 0: none.
    public var product: NameID { nameA }
    /// The meter of usage, a reset, a pin or `limit.reached`; a grant has its meter in name c.
    public var meter: NameID { nameA }
    /// The feature of `access.denied` and `feature.*`; a grant and a paywall have theirs in name b.
    public var feature: NameID { nameA }
    /// The entitlement that a grant gives, or that a debug override forces; 0: none.
    public var entitlement: NameID { nameA }
    /// The IANA zone of `subject.created` and `subject.tz_changed`; 0: none.
    public var timeZone: NameID { nameA }
    /// The unlimited source that covers a use or a reservation; 0: it burns quota (rule 12).
    public var coveredBy: NameID { nameB }

    // Numbers.
    /// When a purchase, period or grant begins, in milliseconds since 1970 UTC, or `Event.absent`.
    public var startsAt: Int64 { timeA }
    /// When a period or grant ends, exclusive, or `Event.absent`; those of reservations and overrides are in time a.
    public var expiresAt: Int64 { timeB }
    /// When a purchase was refunded or withdrawn, or `Event.absent`.
    public var revokedAt: Int64 { timeC }

    /// Some bits of the flags; 0 where the field is absent.
    public func bits(_ shift: UInt16, _ width: UInt16) -> UInt16 {
        (flags >> shift) & ((1 << width) - 1)
    }

    /// A yes/no field: 0 absent, 1 no, 2 yes.
    public func flag(_ shift: UInt16) -> Bool? {
        switch bits(shift, 2) {
        case 1: false
        case 2: true
        default: nil
        }
    }

    // Words, by their place in the vocabulary's list from 1 on; 0 none, all ones one that is not in the list, which
    // no fold may take for one that is.

    /// Whether a transaction is shared by a family; asked only of types that have `ownership`.
    public var isFamilyShared: Bool { bits(0, 2) == 2 }
    /// 1 introductory, 2 promotional, 3 offer code, 4 win-back, 7 another; 0 none.
    public var offerType: UInt8 { UInt8(bits(2, 3)) }
    /// 1 free trial, 2 pay as you go, 3 pay up front, 4 one time, 7 another; 0 none.
    public var offerDiscount: UInt8 { UInt8(bits(5, 3)) }
    /// `introductory` and `free_trial`, nothing else (T27).
    public var isTrial: Bool { offerType == 1 && offerDiscount == 1 }
    /// 1 consumable, 2 non-consumable, 3 non-renewing, 7 another; 0 none.
    public var purchaseKind: UInt8 { UInt8(bits(10, 3)) }
    /// Whether the kind is consumable; asked only of types that have it (`saysConsumable`).
    public var isConsumable: Bool { purchaseKind == 1 }
    /// Whether the event says of a purchase that it is a consumable; in other types the bits mean something else.
    public var saysConsumable: Bool {
        switch type {
        case .purchaseCompleted, .purchaseRefunded, .purchaseRefundReversed, .purchaseRevoked,
            .refundRequested, .refundDeclined:
            isConsumable
        default: false
        }
    }
    /// 1 full, 2 prorated, 3 another; 0 none.
    public var refundType: UInt8 { UInt8(bits(0, 2)) }
    /// 1 full, 2 prorated, 3 family, 7 another; 0 none.
    public var revocationType: UInt8 { UInt8(bits(10, 3)) }
    /// How many of a product were bought; 1 where the type does not say.
    public var quantity: Int64 {
        switch type {
        case .purchaseCompleted, .storeTransactionStated: amount.orNil ?? 1
        default: 1
        }
    }
    /// Who began a period: 1 the customer, by a purchase, 2 the store, by a renewal, 3 another; 0 none.
    public var transactionReason: UInt8 {
        switch type {
        case .subscriptionStarted: UInt8(bits(12, 2))
        case .subscriptionRenewed: UInt8(clamping: amount.orNil ?? 0)
        case .storeTransactionStated: UInt8(bits(13, 2))
        default: 0
        }
    }
    /// When another product takes effect: 1 now, 2 at the next renewal, 3 not after all, 7 another.
    public var productChange: UInt8 { UInt8(bits(0, 3)) }
    /// 1 pending, 2 accepted, 3 declined, 7 another.
    public var priceStatus: UInt8 { UInt8(bits(0, 3)) }
    /// 1 scheduled, 2 manual, 3 plan change, 7 another; 0 none.
    public var resetTrigger: UInt8 { UInt8(bits(0, 3)) }
    /// 1 force entitlement, 2 expire trial, 3 clear subscription, 4 reset trial eligibility, 7 another; 0 none.
    public var overrideKind: UInt8 { UInt8(bits(0, 3)) }
    /// For whom a catalog was published; `nil`: for whom this build has no word.
    public var catalogScope: CatalogScopeKind? { CatalogScopeKind(rawValue: UInt8(bits(0, 3))) }
    /// A reset that begins a counter anew; a scheduled one is evidence of what time does by itself (rule 14).
    public var isDecidedReset: Bool {
        type == .usageReset && (resetTrigger == 2 || resetTrigger == 3)
    }
    /// A reset that is evidence: a scheduled one, or one without a trigger (rule 14).
    public var isScheduledReset: Bool {
        typeCode == EventType.usageReset.rawValue && resetTrigger <= 1
    }
    /// A reset from which on periods are counted.
    public var movesAnchor: Bool { flag(3) == false }
    /// A reset after which what was used beyond the limit counts as used.
    public var preservesOverage: Bool { flag(5) == true }
    /// How often the units of a grant come again: the place in `Vocabulary.recurrences` from 1 on; 0 once.
    public var recurrence: UInt8 { UInt8(bits(11, 5)) }
    /// The customer that the app named to the store when it bought, on a transaction; 0: none.
    public var accountToken: NameID {
        switch type {
        case .purchaseCompleted, .subscriptionStarted, .subscriptionRenewed,
            .storeTransactionStated:
            nameB
        default: 0
        }
    }
    /// The customers that an event of a lineage names: its subject, the store's token, the new owner.
    public var namedCustomers: [NameID] {
        let other = type == .purchaseTransferred ? nameB : accountToken
        return [customer, other].filter { $0 != 0 }
    }
}
