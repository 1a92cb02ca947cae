/// The whole answer that a screen needs (docs/rules.md#decision).
public struct Decision: Sendable, Equatable {
    public var allowed: Bool
    /// The word after `granted.` or `denied.`.
    public var reason: DecisionReason
    public var enforcement: Enforcement
    public var feature: String?
    public var meter: String?
    public var profile: String?
    public var amount: Int64
    /// Numbers of the meter; `nil` for features without one.
    public var usage: MeterAnswer?
    public var source: Source?
    public var candidates: [Source]
    public var paywall: PaywallAnswer?
    /// What people are told.
    public var display: DisplayText?
    /// The heading above it, where the catalog has one for what was refused.
    public var title: DisplayText?
    /// With soft enforcement: allowed, but the app should suggest the upgrade.
    public var isPrompting: Bool
    public var flags: [String]
}

/// Which upgrade screen fits.
public struct PaywallAnswer: Sendable, Equatable {
    /// `usageLimitReached`, `featureRestricted`, …
    public var context: String
    public var feature: String?
    public var products: [String]
}

/// A text to show, with the numbers filled in.
public struct DisplayText: Sendable, Equatable {
    public var key: String
    public var text: String
    /// The same with the singular where the count is 1.
    public var pluralSafeText: String
    public var arguments: [String: String]
}

/// What is asked: may this customer do that?
public struct CheckQuestion: Sendable, Equatable {
    /// A feature, a meter or an alias of one.
    public var name: String
    public var amount: Int64
    public var profile: String?
    /// Windows: when the thing that is to be seen happened.
    public var itemAt: Int64?
    public var locale: String?

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
    public var name: String
    public var nearest: String?

    public var description: String {
        "the catalog has no feature or meter \"\(name)\""
            + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    }
}
