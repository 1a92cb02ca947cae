/// Products of which a customer holds at most one at a time; levels rank them, 1 is the highest.
public struct SubscriptionGroup: Sendable, Equatable {
    public var name: String
    public init(name: String) { self.name = name }
}

public struct Product: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case consumable, nonConsumable, nonRenewing, autoRenewable
    }
    /// Who a purchase serves: the customer, or one profile that it is assigned to.
    public enum Scope: String, Sendable, CaseIterable { case subject, profile }

    public var id: String
    public var kind: Kind
    public var scope: Scope
    /// With `scope: profile`, the kind of profile that it may be assigned to.
    public var profileKind: String?
    public var group: String?
    /// 1 is the highest service level within the group.
    public var level: Int
    /// The renewal period of a subscription.
    public var period: CivilDuration?
    /// The length of a non-renewing purchase.
    public var duration: CivilDuration?
    /// What a second non-renewing purchase does: `true` adds to the first one's end, `false` runs
    /// beside it.
    public var extendsCurrent: Bool
    public var prices: [Price]
    public var introOffer: IntroOffer?
    public var familyShareable: Bool
    /// Entitlements that it gives while it is active.
    public var entitlements: [String]
    /// What one unit of a consumable is worth.
    public var credits: Credits?
    public var referenceName: String
    /// Copy keys.
    public var displayName: String?
    public var displayDescription: String?
    public var displayPrice: String?
    public var featureList: [String]

    public init(id: String, kind: Kind) {
        self.id = id
        self.kind = kind
        scope = .subject
        level = 1
        extendsCurrent = true
        prices = []
        familyShareable = false
        entitlements = []
        referenceName = id
        featureList = []
    }
}

/// A price by name (`regular`, `launch`, `sale`); for display only, revenue comes from
/// transactions.
public struct Price: Sendable, Equatable {
    public var name: String
    /// Thousandths of the currency.
    public var amountMilli: Int64
    /// ISO 4217.
    public var currency: String
    /// The first instant at which it is asked; `nil`: always has been.
    public var startsAt: Int64?
    /// Exclusive; `nil`: without an end.
    public var endsAt: Int64?
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

public struct IntroOffer: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable { case freeTrial, payAsYouGo, payUpFront }
    public var kind: Kind
    public var duration: CivilDuration
    public init(kind: Kind, duration: CivilDuration) {
        self.kind = kind
        self.duration = duration
    }
}

public struct Credits: Sendable, Equatable {
    public var meter: String
    /// Units of the meter for one unit bought.
    public var amount: Int64
    public init(meter: String, amount: Int64) {
        self.meter = meter
        self.amount = amount
    }
}

public struct Entitlement: Sendable, Equatable {
    public var name: String
    /// Features that it opens; `*` opens every feature, also future ones.
    public var features: [String]
    public init(name: String, features: [String]) {
        self.name = name
        self.features = features
    }
}

public enum Enforcement: String, Sendable, CaseIterable { case hard, soft }

public struct Feature: Sendable, Equatable {
    public var name: String
    /// Older or marketing names that mean this one.
    public var aliases: [String]
    /// Open to all customers, always.
    public var isFree: Bool
    /// Who it is asked for: `profile` needs a profile in the question.
    public var scope: Product.Scope
    public var enforcement: Enforcement
    /// A meter whose free quota also opens the feature (three free cry insights).
    public var meter: String?
    /// Free uses before the feature is locked; counted on the meter `preview.<feature>`. 0: none.
    public var previewUses: Int64
    /// Leaves `feature.restricted` behind when it is refused (rule 21).
    public var recordsDenials: Bool
    /// Copy keys: name, what to say when it is locked, what it is.
    public var displayName: String?
    public var lockedText: String?
    public var descriptionText: String?

    public init(name: String) {
        self.name = name
        aliases = []
        isFree = false
        scope = .subject
        enforcement = .hard
        previewUses = 0
        recordsDenials = false
    }
}

public struct Meter: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Counts uses in a period.
        case counter
        /// Counts what is there now.
        case gauge
        /// Says how many days back one may look.
        case window
        /// Holds the latest reading.
        case reading
    }
    public enum WindowMode: String, Sendable, CaseIterable {
        case rollingMilliseconds, calendarDays
    }

    public var name: String
    public var aliases: [String]
    public var kind: Kind
    public var period: Period
    /// Free limit; `nil` is unlimited. For a window: days.
    public var limit: Int64?
    /// Limits with an entitlement; `nil` is unlimited. The most generous active one counts.
    public var limitsWith: [EntitledLimit]
    /// A feature that must be open before anything is counted at all.
    public var requires: String?
    /// A gauge of profiles: while it is over its limit, only a profile that it keeps writable may use this meter
    /// (MS-23).
    public var withinGauge: String?
    public var windowMode: WindowMode
    /// The kind of profile that this gauge counts; profile events drive it (rule 13).
    public var countsProfiles: String?
    public var enforcement: Enforcement
    /// How long a reservation holds without commit, in milliseconds.
    public var reservationTimeoutMilliseconds: Int64
    public var recordsDenials: Bool
    /// A plan change starts the count anew (E61); computed, see `PlanChanges`.
    public var resetsOnPlanChange: Bool
    /// A refund of spent credits leaves a debt (E67).
    public var allowsDebt: Bool
    /// What `history` calls one use ("story created").
    public var eventLabel: String?
    /// Cost of one unit in millionths of `costCurrency`; for unit economics only.
    public var unitCostMicros: Int64?
    public var costCurrency: String?
    /// Copy keys.
    public var statusText: String?
    public var limitReachedTitle: String?
    public var limitReachedText: String?
    public var unlimitedText: String?
    /// The paywall context that a refusal names (MS-22); `nil` is `usageLimitReached`.
    public var paywallContext: String?

    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
        aliases = []
        period = .lifetime
        limitsWith = []
        windowMode = .rollingMilliseconds
        enforcement = .hard
        reservationTimeoutMilliseconds = 600_000
        recordsDenials = false
        resetsOnPlanChange = false
        allowsDebt = false
    }
}

public struct EntitledLimit: Sendable, Equatable {
    public var entitlement: String
    /// `nil` is unlimited.
    public var limit: Int64?
    public init(entitlement: String, limit: Int64?) {
        self.entitlement = entitlement
        self.limit = limit
    }
}

/// Days that every new profile of a kind gets for free (rule 25): computed, never granted.
public struct FreePeriod: Sendable, Equatable {
    public var name: String
    public var profileKind: String
    public var duration: CivilDuration
    /// Features open during the period, locked after it.
    public var features: [String]
    public var activeText: String?
    public var expiredTitle: String?
    public var expiredText: String?
    public init(name: String, profileKind: String, duration: CivilDuration, features: [String]) {
        self.name = name
        self.profileKind = profileKind
        self.duration = duration
        self.features = features
    }
}

public struct AdPlacement: Sendable, Equatable {
    public var name: String
    /// `false`: never shown here, to no customer (voting screens).
    public var isEnabled: Bool
    /// `banner` or `native`.
    public var format: String
    public var heightPoints: Int?
    /// A native ad after every n-th item.
    public var everyNthItem: Int?
    /// The feature that turns ads off.
    public var hiddenBy: String?
    public var unitTest: String?
    public var unitProduction: String?
    public init(name: String, isEnabled: Bool, format: String) {
        self.name = name
        self.isEnabled = isEnabled
        self.format = format
    }
}

/// What an upgrade screen shows for one context.
public struct Paywall: Sendable, Equatable {
    public var context: String
    public var products: [String]
    /// Slot (`title`, `dismiss`, `cta`, …) to copy key, in document order.
    public var slots: [CopySlot]
    /// Rows of the benefit list.
    public var benefits: [PaywallBenefit]
    public init(context: String) {
        self.context = context
        products = []
        slots = []
        benefits = []
    }
}

public struct CopySlot: Sendable, Equatable {
    public var slot: String
    public var key: String
    public init(slot: String, key: String) {
        self.slot = slot
        self.key = key
    }
}

public struct PaywallBenefit: Sendable, Equatable {
    public var icon: String?
    /// Copy keys.
    public var title: String
    public var subtitle: String?
    public init(title: String) { self.title = title }
}

/// One rule of an app's own status: the first one whose condition holds names the status and its
/// text.
public struct StatusRule: Sendable, Equatable {
    public enum Condition: Sendable, Equatable {
        /// The entitlement is active, by a source of one of these states where given (`trial`,
        /// `active`, `active_canceling`, `grace`, `lifetime`, `grant`, …) and product where given.
        case entitled(String, states: [String], product: String?)
        /// The entitlement's best subscription is in one of these states, whether access is on or
        /// off.
        case state(String, states: [String])
        case freePeriodActive(String)
        case freePeriodExpired(String)
        case meterExhausted(String)
        case otherwise
    }
    /// The app's own word: `free`, `unlimited`, `premiumMonthly`, `inGracePeriod`.
    public var status: String
    public var condition: Condition
    /// Copy key; placeholders are filled from the answer.
    public var text: String?
    /// The meter whose numbers fill `{used}`, `{limit}`, `{remaining}`.
    public var meter: String?
    /// Other things to show, name to copy key or literal (icon, badge, colour role).
    public var attributes: [CopySlot]
    public init(status: String, condition: Condition) {
        self.status = status
        self.condition = condition
        attributes = []
    }
}

/// Something that is so or not whatever the status says, such as lifetime access beside a running subscription (MS-19).
public struct StatusFlag: Sendable, Equatable {
    public var name: String
    /// It is so while a source gives this entitlement,
    public var entitlement: String
    /// in one of these states or of one of these kinds, where any are named,
    public var states: [String]
    /// and without an end, where that is asked.
    public var isUnbounded: Bool

    public init(name: String, entitlement: String, states: [String] = [], isUnbounded: Bool) {
        self.name = name
        self.entitlement = entitlement
        self.states = states
        self.isUnbounded = isUnbounded
    }
}
