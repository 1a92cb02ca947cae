/// The slots of an event by the names that folds use.
extension Event {
    // Names.
    public var product: NameID { nameA }
    public var meter: NameID { nameA }
    public var feature: NameID { nameA }
    public var entitlement: NameID { nameA }
    public var timeZone: NameID { nameA }
    public var coveredBy: NameID { nameB }

    // Numbers.
    public var startsAt: Int64 { timeA }
    public var expiresAt: Int64 { timeB }
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

    public var isFamilyShared: Bool { bits(0, 2) == 2 }
    /// 1 introductory, 2 promotional, 3 offer code, 4 win-back, 7 another; 0 none.
    public var offerType: UInt8 { UInt8(bits(2, 3)) }
    /// 1 free trial, 2 pay as you go, 3 pay up front, 4 one time, 7 another; 0 none.
    public var offerDiscount: UInt8 { UInt8(bits(5, 3)) }
    /// `introductory` and `free_trial`, nothing else (T27).
    public var isTrial: Bool { offerType == 1 && offerDiscount == 1 }
    /// Whether the customer's name came through the store as the app's own account token.
    public var hasAccountToken: Bool { bits(12, 1) == 1 }
    public var isConsumable: Bool { bits(10, 2) == 1 }
}
