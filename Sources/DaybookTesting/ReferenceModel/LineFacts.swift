import DaybookDomain
import DaybookEvents

/// What the store says of one transaction, field by field (rule 3).
struct TransactionFacts {
    let transaction: String
    /// The winning statement of the purchase itself.
    let purchase: KnownEvent
    let product: String
    let kind: Product.Kind
    let startsAt: Int64
    /// The end that the store stated, extended or shortened; `nil`: none.
    let statedEnd: Int64?
    /// When access was withdrawn; `nil`: it was not.
    let revokedAt: Int64?
    let isRevocation: Bool
    let isProrated: Bool
    /// Thousandths of a percent that were refunded.
    let refundedPercentMilli: Int64
    let isUpgraded: Bool
    let isFamilyShared: Bool
    let isTrial: Bool
    /// The first assertion of a transaction that only a client tells of (rule 11).
    let assertedAt: Int64?
}

/// The facts of one line, or of the consumables of one customer, at a cut.
struct LineFacts {
    let name: String
    let events: [KnownEvent]

    /// Rule 3: of the statements about one field the greatest (class, signedAt, source, key) wins.
    static func winner(_ statements: [KnownEvent]) -> KnownEvent? {
        statements.max { KnownEvent.isOutranked($0, by: $1) }
    }

    private static let purchaseTypes: Set<String> = [
        "subscription.started", "subscription.renewed", "purchase.completed",
        "store.transaction_stated",
    ]

    /// Every transaction whose purchase is known, by purchase date and then by id.
    func transactions(_ kinds: (String) -> Product.Kind?) -> [TransactionFacts] {
        let purchases = events.filter { Self.purchaseTypes.contains($0.type) }
        let names = Set(purchases.compactMap { $0.text("transaction_id") })
        return names.compactMap { facts($0, kinds) }.sorted {
            $0.startsAt != $1.startsAt
                ? $0.startsAt < $1.startsAt : precedes($0.transaction, $1.transaction)
        }
    }

    private func facts(
        _ transaction: String, _ kinds: (String) -> Product.Kind?
    ) -> TransactionFacts? {
        let own = events.filter { $0.text("transaction_id") == transaction }
        let purchases = own.filter { Self.purchaseTypes.contains($0.type) }
        guard let purchase = Self.winner(purchases), let product = purchase.text("product") else {
            return nil
        }
        // A refund before the purchase waits here as a statement of its own (E06).
        let revocation = Self.winner(
            own.filter {
                [
                    "purchase.refunded", "purchase.revoked", "purchase.refund_reversed",
                    "store.transaction_stated",
                ].contains($0.type)
            })
        let upgraded = Self.winner(own.filter { $0.bool("is_upgraded") != nil })
        let isProvisional = purchase.trust.classRank == 0
        let startsAt = purchase.integer("starts_at") ?? purchase.occurredAt
        return TransactionFacts(
            transaction: transaction, purchase: purchase, product: product,
            kind: kinds(product) ?? Self.kind(told: purchase), startsAt: startsAt,
            statedEnd: end(own), revokedAt: revocation?.integer("revoked_at"),
            isRevocation: revocation?.type == "purchase.revoked"
                || revocation?.word("revocation_type") == "family",
            isProrated: revocation?.word("type") == "prorated"
                || revocation?.word("revocation_type") == "prorated",
            refundedPercentMilli: revocation?.integer("pct_milli") ?? 100_000,
            isUpgraded: upgraded?.bool("is_upgraded") == true
                || isReplaced(product: product, startsAt: startsAt, end: end(own)),
            isFamilyShared: purchase.word("ownership") == "family_shared",
            // T27: introductory and free, nothing else.
            isTrial: purchase.word("offer.type") == "introductory"
                && purchase.word("offer.discount") == "free_trial",
            assertedAt: isProvisional ? purchases.map(\.occurredAt).min() : nil)
    }

    /// A product that no catalog names: only the event tells what it is (rule 33).
    private static func kind(told purchase: KnownEvent) -> Product.Kind {
        switch purchase.type {
        case "purchase.completed":
            switch purchase.word("kind") {
            case "consumable": .consumable
            case "non_renewing": .nonRenewing
            default: .nonConsumable
            }
        case "store.transaction_stated":
            purchase.integer("expires_at") == nil ? .nonConsumable : .autoRenewable
        default: .autoRenewable
        }
    }

    /// The stated end (rules.md §2.2: expiresDate or extended date), shortened by rule 32.
    private func end(_ own: [KnownEvent]) -> Int64? {
        let whole = own.filter { $0.type == "store.transaction_stated" }
        let stated = Self.winner(
            own.filter {
                [
                    "subscription.started", "subscription.renewed", "subscription.extended",
                    "store.transaction_stated",
                ].contains($0.type)
            })
        let end = stated?.integer("new_expires_at") ?? stated?.integer("expires_at")
        // A later whole statement of the transaction replaces a report that it ended early.
        let reports = own.filter {
            $0.type == "subscription.expired" && $0.integer("ended_at") != nil
        }
        guard let ended = Self.winner(reports + whole)?.integer("ended_at") else { return end }
        return min(end ?? Int64.max, ended)
    }

    /// `product_changed{now}` says that the running period of `from` was replaced (§2.3 UPGRADE).
    private func isReplaced(product: String, startsAt: Int64, end: Int64?) -> Bool {
        events.contains {
            $0.type == "subscription.product_changed" && $0.word("effective") == "now"
                && $0.text("from") == product && startsAt <= $0.occurredAt
                && $0.occurredAt < end ?? Int64.max
        }
    }

    /// Rule 4: auto-renew at T; `nil` when nobody has said.
    func autoRenew(at instant: Int64) -> Bool? {
        let statements = events.filter {
            $0.occurredAt <= instant
                && [
                    "subscription.started", "subscription.renewed", "subscription.expired",
                    "subscription.auto_renew_changed", "store.renewal_stated",
                ].contains($0.type)
        }
        guard let winner = Self.winner(statements) else { return nil }
        switch winner.type {
        case "subscription.expired": return false
        case "subscription.auto_renew_changed": return winner.bool("enabled")
        default: return winner.bool("auto_renew") ?? true
        }
    }

    /// Rule 4: the billing notice at T, if one is in force.
    func billingNotice(at instant: Int64) -> (occurredAt: Int64, graceExpiresAt: Int64?)? {
        let statements = events.filter {
            $0.occurredAt <= instant
                && [
                    "subscription.started", "subscription.renewed", "subscription.expired",
                    "subscription.billing_failed", "subscription.grace_expired",
                    "store.renewal_stated",
                ].contains($0.type)
        }
        guard let winner = Self.winner(statements) else { return nil }
        switch winner.type {
        case "subscription.billing_failed":
            return (winner.occurredAt, winner.integer("grace_expires_at"))
        case "subscription.grace_expired": return (winner.occurredAt, nil)
        case "store.renewal_stated":
            let grace = winner.integer("grace_expires_at")
            guard winner.bool("in_billing_retry") == true || grace != nil else { return nil }
            return (winner.occurredAt, grace)
        default: return nil
        }
    }
}
