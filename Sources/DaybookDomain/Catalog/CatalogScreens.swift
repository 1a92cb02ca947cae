/// A place in the app where ads may be shown.
public struct AdPlacement: Sendable, Equatable {
    /// Key in the catalog's `ads`.
    public var name: String
    /// `false`: never shown here, to no customer (voting screens).
    public var isEnabled: Bool
    /// `banner` or `native`.
    public var format: String
    /// Height in points of the screen; `nil`: not stated.
    public var heightPoints: Int?
    /// A native ad after every n-th item.
    public var everyNthItem: Int?
    /// The feature that turns ads off.
    public var hiddenBy: String?
    /// Ad unit outside production; `nil`: none.
    public var unitTest: String?
    /// Ad unit in production; `nil`: none.
    public var unitProduction: String?
    /// Makes a placement without units; nothing is checked.
    public init(name: String, isEnabled: Bool, format: String) {
        self.name = name
        self.isEnabled = isEnabled
        self.format = format
    }
}

/// What an upgrade screen shows for one context.
public struct Paywall: Sendable, Equatable {
    /// Where the screen is shown: `usageLimitReached`, `featureRestricted(someFeature)`, `settings`.
    public var context: String
    /// Ids of products, in the order in which they are shown.
    public var products: [String] = []
    /// Slot (`title`, `dismiss`, `cta`, …) to copy key, in document order.
    public var slots: [CopySlot] = []
    /// Rows of the benefit list.
    public var benefits: [PaywallBenefit] = []
    /// Makes an empty paywall; nothing is checked.
    public init(context: String) {
        self.context = context
    }
}

/// A named place on a screen, and what is shown there.
public struct CopySlot: Sendable, Equatable {
    /// Name of the place, such as `title` or `icon`.
    public var slot: String
    /// A copy key or a literal; in answers the text itself.
    public var key: String
    /// Makes a slot; nothing is checked.
    public init(slot: String, key: String) {
        self.slot = slot
        self.key = key
    }
}

/// One row of a benefit list.
public struct PaywallBenefit: Sendable, Equatable {
    /// Name of an icon that the app knows; `nil`: none.
    public var icon: String?
    /// Copy keys.
    public var title: String
    /// Second text of the row; `nil`: none.
    public var subtitle: String?
    /// Makes a row of a title alone; nothing is checked.
    public init(title: String) { self.title = title }
}

/// One rule of an app's own status: the first one whose condition holds names the status and its text.
public struct StatusRule: Sendable, Equatable {
    /// What a status depends on, judged for the customer or for one profile.
    public enum Condition: Sendable, Equatable {
        /// The entitlement is active, by a source of one of these states where given (`trial`,
        /// `active`, `active_canceling`, `grace`, `lifetime`, `grant`, …) and product where given.
        case entitled(String, states: [String], product: String?)
        /// The entitlement's best subscription is in one of these states, whether access is on or off.
        case state(String, states: [String])
        case freePeriodActive(String)
        case freePeriodExpired(String)
        case meterExhausted(String)
        case otherwise
    }
    /// The app's own word: `free`, `unlimited`, `premiumMonthly`, `inGracePeriod`.
    public var status: String
    /// When the rule holds.
    public var condition: Condition
    /// Copy key; placeholders are filled from the answer.
    public var text: String?
    /// The meter whose numbers fill `{used}`, `{limit}`, `{remaining}`.
    public var meter: String?
    /// Other things to show, name to copy key or literal (icon, badge, colour role).
    public var attributes: [CopySlot] = []
    /// Makes a rule without text; nothing is checked.
    public init(status: String, condition: Condition) {
        self.status = status
        self.condition = condition
    }
}

/// Something that is so or not whatever the status says, such as lifetime access beside a running subscription (MS-19).
public struct StatusFlag: Sendable, Equatable {
    /// The attribute of the status that is `true` or `false`.
    public var name: String
    /// It is so while a source gives this entitlement,
    public var entitlement: String
    /// in one of these states or of one of these kinds, where any are named,
    public var states: [String]
    /// and without an end, where that is asked.
    public var isUnbounded: Bool

    /// Makes a flag; without states every state counts; nothing is checked.
    public init(name: String, entitlement: String, states: [String] = [], isUnbounded: Bool) {
        self.name = name
        self.entitlement = entitlement
        self.states = states
        self.isUnbounded = isUnbounded
    }
}
