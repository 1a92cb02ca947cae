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
    public enum Kind: String, Sendable {
        case debug, lifetime, subscription, family, grant
        case freePeriod = "intro_period"
        case nonRenewing = "non_renewing"
    }
    public var kind: Kind
    /// `apple:2000000123`, a grant's id, a free period's name.
    public var id: String
    public var product: String?
    /// The transaction whose period counts, as the store names it, where its name is known.
    public var transaction: String?
    public var entitlements: [String]
    /// Features given directly, by a grant of a feature or a free period.
    public var features: [String]
    /// `nil`: the whole customer.
    public var profile: String?
    public var state: SourceState
    public var isActive: Bool
    public var startsAt: Int64?
    /// Exclusive end of access; `nil` is unbounded.
    public var expiresAt: Int64?
    public var willRenew: Bool
    public var autoRenewProduct: String?
    public var trialDaysRemaining: Int64?
    /// Why it gives nothing: `refunded`, `expired.voluntary`, `family_not_shareable`, `needs_assignment`, …
    public var why: Why?
    /// What is odd about it: `unknown_gap`, `unknown_product`, `unknown_successor`.
    public var flags: [String]

    init(kind: Kind, id: String) {
        self.kind = kind
        self.id = id
        entitlements = []
        features = []
        state = .none
        isActive = false
        willRenew = false
        flags = []
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
