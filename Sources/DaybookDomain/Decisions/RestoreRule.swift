import DaybookEvents

/// What became of a purchase that a customer's device handed over (E51).
public enum RestoreOutcome: String, Sendable, CaseIterable {
    /// It had no owner, or the store says that it is the customer's; now it is.
    case restored
    case alreadyYours = "already_yours"
    /// It was another customer's and moved.
    case transferred
    /// It is another customer's, and both are one customer from now on.
    case shared
    /// It is another customer's and stays there.
    case ownedByOther = "owned_by_other"
    /// A correction took the customer's claim back, and the same words do not renew it.
    case claimVoided = "claim_voided"
    /// Credits stay with their owner (rule 6).
    case consumable

    /// Whether the customer has it now.
    public var isTheirs: Bool {
        switch self {
        case .restored, .alreadyYours, .transferred, .shared: true
        case .ownedByOther, .claimVoided, .consumable: false
        }
    }
}

/// Decides who owns a restored lineage: the customer where it had no owner, else the catalog's policy decides.
public enum RestoreRule {
    /// The owner of a lineage, seen from the customer who restores.
    public enum Owner: Sendable, Equatable {
        case noCustomer, customer, other
    }

    /// - Parameters:
    ///   - before: The owner before the facts were taken in.
    ///   - now: The owner with them: by the customer's claim, and by the store's token (rule 7).
    ///   - isInUse: Whether the other owner has anything of it; asked only where the policy does.
    public static func outcome(
        before: Owner, now: Owner, policy: Policies.Transfer, isInUse: () throws -> Bool
    ) rethrows -> RestoreOutcome {
        switch now {
        case .noCustomer: return .claimVoided
        case .customer: return before == .customer ? .alreadyYours : .restored
        case .other:
            switch policy {
            case .keep: return .ownedByOther
            case .transfer: return .transferred
            case .transferIfInactive: return try isInUse() ? .ownedByOther : .transferred
            case .share: return .shared
            }
        }
    }
}

extension Source {
    /// Whether its owner has something of it, or is about to: grace and billing retry count (E51), and so does what
    /// begins later or only waits for a profile.
    public var isInUse: Bool {
        switch state {
        case .none, .expired, .refunded, .revoked, .voided, .upgraded, .unverified: isActive
        case .trial, .active, .activeCanceling, .grace, .billingRetry, .lifetime, .paused,
            .pending:
            true
        }
    }
}

extension EntitlementsAnswer {
    /// What a lineage gives this customer; `nil`: it is not the customer's, or nothing is known of it.
    public func source(ofLineage name: String) -> Source? {
        sources.first { source in
            guard haveSameBytes(source.id, name) else { return false }
            switch source.kind {
            case .lifetime, .subscription, .family, .nonRenewing: return true
            case .debug, .grant, .freePeriod: return false
            }
        }
    }
}
