/// What a subscription or purchase is at a time (docs/rules.md#states).
public enum SourceState: String, Sendable, CaseIterable {
    case none, trial, active
    case activeCanceling = "active_canceling"
    case grace
    case billingRetry = "billing_retry"
    case expired, refunded, revoked, lifetime, unverified, paused, upgraded, pending, voided
}

/// Something that gives or gave an entitlement, with the reason where it gives nothing.
public struct Source: Sendable, Equatable {
    /// What kind of thing gives an entitlement.
    public enum Kind: String, Sendable {
        case debug, lifetime, subscription, family, grant
        case freePeriod = "intro_period"
        case nonRenewing = "non_renewing"
    }
    /// Decides which of several active sources is shown (docs/rules.md#display).
    public var kind: Kind
    /// `apple:2000000123`, a grant's id, a free period's name.
    public var id: String
    /// The store's id of the product; `nil`: it is no purchase, or no statement tells which product.
    public var product: String?
    /// The transaction whose period counts, as the store names it, where its name is known.
    public var transaction: String?
    /// What it gives while it is active, by name; empty: no entitlement, or the catalog does not have the product.
    public var entitlements: [String] = []
    /// Features given directly, by a grant of a feature or a free period.
    public var features: [String] = []
    /// `nil`: the whole customer.
    public var profile: String?
    /// What it is at the time at which sources are judged.
    public var state: SourceState = .none
    /// Whether it gives access at that time.
    public var isActive: Bool = false
    /// When access begins, inclusive, in milliseconds since 1970 UTC; `nil`: no statement tells it.
    public var startsAt: Int64?
    /// Exclusive end of access; `nil` is unbounded.
    public var expiresAt: Int64?
    /// Whether the store means to renew it or goes on trying to charge; `false` for what no store renews.
    public var willRenew: Bool = false
    /// The product of which the next renewal will be, where it is another one; `nil`: the same, or unknown.
    public var autoRenewProduct: String?
    /// Days of 24 hours to the stated end of the running trial, rounded up; `nil`: no trial runs.
    public var trialDaysRemaining: Int64?
    /// Why it gives nothing: `refunded`, `expired.voluntary`, `family_not_shareable`, `needs_assignment`, …
    public var why: Why?
    /// What is odd about it: `unknown_gap`, `unknown_product`, `unknown_successor`.
    public var flags: [String] = []

    /// Sets the rest in place: sources are made for every check.
    init(kind: Kind, id: String) {
        self.kind = kind
        self.id = id
    }

    /// The word after `granted.`.
    public var grantedReason: DecisionReason {
        switch kind {
        case .debug: .debug
        case .lifetime: .lifetime
        case .family: .family
        case .grant: .grant
        case .freePeriod: .freePeriod
        case .nonRenewing: .subscription
        case .subscription:
            switch state {
            case .trial: .trial
            case .grace: .grace
            default: .subscription
            }
        }
    }

    /// The word after `denied.`.
    public var deniedReason: DecisionReason {
        // Whatever became of it, it never opened anything (FR-17).
        if why == .unknownProduct { return .notEntitled }
        return switch state {
        case .refunded: .refunded
        case .revoked: .revoked
        case .billingRetry: .billingRetry
        case .paused: .paused
        case .unverified: .unverified
        case .expired: kind == .freePeriod ? .freePeriodExpired : .expired
        default: .notEntitled
        }
    }

    /// Smaller is shown first: debug, lifetime, subscription, family, grant, free period (docs/rules.md#display).
    var displayRank: Int {
        switch kind {
        case .debug: 0
        case .lifetime: 1
        case .subscription, .nonRenewing: 2
        case .family: 3
        case .grant: 4
        case .freePeriod: 5
        }
    }

    /// The order of sources that give nothing: first those that once gave access, then those that begin later, then
    /// those that never counted.
    var lapseRank: Int {
        switch state {
        case _ where isActive: 0
        case .none: 2
        case .pending: 1
        default: 0
        }
    }

    func opens(_ feature: String, _ catalog: Catalog) -> Bool {
        features.contains(feature)
            || entitlements.contains { name in
                catalog.entitlement(name)?.features.contains { $0 == feature || $0 == "*" } ?? false
            }
    }
}
