/// Products of which a customer holds at most one at a time; levels rank them, 1 is the highest.
public struct SubscriptionGroup: Sendable, Equatable {
    /// Key in the catalog's `groups`.
    public var name: String
    /// Makes a group; nothing is checked.
    public init(name: String) { self.name = name }
}

/// What a store sells, and what a purchase of it gives.
public struct Product: Sendable, Equatable {
    /// How it is sold; a published product keeps its kind (rule 8).
    public enum Kind: String, Sendable, CaseIterable {
        case consumable, nonConsumable, nonRenewing, autoRenewable
    }
    /// Who a purchase serves: the customer, or one profile that it is assigned to.
    public enum Scope: String, Sendable, CaseIterable { case subject, profile }

    /// Id of the product with the store.
    public var id: String
    /// How it is sold.
    public var kind: Kind
    /// Whom a purchase serves; `subject` by default.
    public var scope: Scope = .subject
    /// With `scope: profile`, the kind of profile that it may be assigned to.
    public var profileKind: String?
    /// The subscription group; `nil` for what is no subscription.
    public var group: String?
    /// 1 is the highest service level within the group.
    public var level: Int = 1
    /// The renewal period of a subscription.
    public var period: CivilDuration?
    /// The length of a non-renewing purchase.
    public var duration: CivilDuration?
    /// What a second non-renewing purchase does: `true` adds to the first one's end, `false` runs beside it.
    public var extendsCurrent: Bool = true
    /// For display, in document order.
    public var prices: [Price] = []
    /// The introductory offer of a subscription; `nil`: it has none.
    public var introOffer: IntroOffer?
    /// Whether a family member's share of a purchase gives anything.
    public var familyShareable: Bool = false
    /// Entitlements that it gives while it is active.
    public var entitlements: [String] = []
    /// What one unit of a consumable is worth.
    public var credits: Credits?
    /// What the store's console calls it; the id where the catalog says nothing.
    public var referenceName: String
    /// Copy keys.
    public var displayName: String?
    /// Copy key of the description.
    public var displayDescription: String?
    /// Copy key of the price as people read it.
    public var displayPrice: String?
    /// Copy keys of what the product offers, in document order.
    public var featureList: [String] = []

    /// Makes a product for customers that gives nothing; nothing is checked.
    public init(id: String, kind: Kind) {
        self.id = id
        self.kind = kind
        referenceName = id
    }
}

/// A price by name (`regular`, `launch`, `sale`); for display only, revenue comes from transactions.
public struct Price: Sendable, Equatable {
    /// Key in the product's `prices`.
    public var name: String
    /// Thousandths of the currency.
    public var amountMilli: Int64
    /// ISO 4217.
    public var currency: String
    /// The first instant at which it is asked; `nil`: always has been.
    public var startsAt: Int64?
    /// Exclusive; `nil`: without an end.
    public var endsAt: Int64?
    /// Makes a price that is always asked; nothing is checked.
    public init(name: String, amountMilli: Int64, currency: String) {
        self.name = name
        self.amountMilli = amountMilli
        self.currency = currency
    }
}

extension Product {
    /// The price that is asked at a time: the first whose time it is; `nil` where there is none.
    public func price(at instant: Int64) -> Price? {
        prices.first { price in
            price.startsAt.map { $0 <= instant } ?? true
                && price.endsAt.map { instant < $0 } ?? true
        }
    }
}

/// An introductory offer, as the catalog describes it.
public struct IntroOffer: Sendable, Equatable {
    /// How an offer is paid; only `freeTrial` is a trial.
    public enum Kind: String, Sendable, CaseIterable { case freeTrial, payAsYouGo, payUpFront }
    /// How it is paid.
    public var kind: Kind
    /// How long the offer lasts, by the calendar.
    public var duration: CivilDuration
    /// Makes an offer; nothing is checked.
    public init(kind: Kind, duration: CivilDuration) {
        self.kind = kind
        self.duration = duration
    }
}

/// What a consumable is worth on a meter.
public struct Credits: Sendable, Equatable {
    /// Name of the counter that is filled.
    public var meter: String
    /// Units of the meter for one unit bought.
    public var amount: Int64
    /// Makes credits; nothing is checked.
    public init(meter: String, amount: Int64) {
        self.meter = meter
        self.amount = amount
    }
}
