/// The whole answer that a screen needs (docs/rules.md#decision).
public struct Decision: Sendable, Equatable {
    /// Whether it may be done, also where soft enforcement alone lets it.
    public var allowed: Bool
    /// The word after `granted.` or `denied.`.
    public var reason: DecisionReason
    /// Of what was asked for, or of a gauge that holds the meter back; `hard` where withdrawn consent refuses it.
    public var enforcement: Enforcement
    /// The feature that was asked for, or the closed one that the meter needs; `nil`: neither.
    public var feature: String?
    /// The meter whose numbers are in `usage`; `nil`: no meter took part.
    public var meter: String?
    /// The profile that was asked for, or the only living one where a feature needs one; `nil`: none.
    public var profile: String?
    /// How many units were asked for.
    public var amount: Int64
    /// Numbers of the meter; `nil` for features without one.
    @Boxed public var usage: MeterAnswer?
    /// What opens it, or the feature that the meter needs; `nil`: no source does.
    @Boxed public var source: Source?
    /// Every source that could open it, in the order in which they are shown: active ones first.
    public var candidates: [Source]
    /// The upgrade screen that fits; `nil` where nothing is refused or suggested, and in a bare decision.
    @Boxed public var paywall: PaywallAnswer?
    /// What people are told.
    @Boxed public var display: DisplayText?
    /// The heading above it, where the catalog has one for what was refused.
    @Boxed public var title: DisplayText?
    /// With soft enforcement: allowed, but the app should suggest the upgrade.
    public var isPrompting: Bool
    /// What is odd: `profile_required`, `unknown_profile`, `profile_over_limit`; empty: nothing is.
    public var flags: [String]
}

/// Which upgrade screen fits.
public struct PaywallAnswer: Sendable, Equatable {
    /// `usageLimitReached`, `featureRestricted`, …
    public var context: String
    /// The feature that a meter's context names in parentheses, else the decision's; `nil`: neither has one.
    public var feature: String?
    /// Store ids to offer, in the catalog's order, without non-consumables that the customer has; may be empty.
    public var products: [String]
}

/// A text to show, with the numbers filled in.
public struct DisplayText: Sendable, Equatable {
    /// The catalog's copy key.
    public var key: String
    /// In the asked locale, or the one to which the catalog falls back.
    public var text: String
    /// The same with the singular where the count is 1.
    public var pluralSafeText: String
    /// By placeholder: `used`, `limit`, `remaining`, `resets`, `expires`, `days`, as far as there are any.
    public var arguments: [String: String]
}

/// What is asked: may this customer do that?
public struct CheckQuestion: Sendable, Equatable {
    /// A feature, a meter or an alias of one.
    public var name: String
    /// Units that must be left; ignored where no number of a meter decides.
    public var amount: Int64
    /// `nil`: the customer as a whole, or the only living profile where a feature needs one.
    public var profile: String?
    /// Windows: when the thing that is to be seen happened.
    public var itemAt: Int64?
    /// The language of the texts; `nil`: the catalog's default.
    public var locale: String?

    /// Asks for one unit, for the customer as a whole, unless told otherwise; nothing is checked.
    public init(
        _ name: String, amount: Int64 = 1, profile: String? = nil, itemAt: Int64? = nil,
        locale: String? = nil
    ) {
        self.name = name
        self.amount = amount
        self.profile = profile
        self.itemAt = itemAt
        self.locale = locale
    }
}

/// A name that the catalog in force does not have.
public struct UnknownName: Error, Equatable, CustomStringConvertible {
    /// The name that was asked for.
    public var name: String
    /// The name that was probably meant; `nil`: none is near enough.
    public var nearest: String?

    /// For messages: the name, and the nearest one where there is one.
    public var description: String {
        "the catalog has no feature or meter \"\(name)\"\(NearestName.hint(nearest))"
    }
}
