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
    /// The end that the store stated or extended; `nil`: none.
    let expiresAt: Int64?
    /// The same, shortened by a report that it ended (rule 32).
    let statedEnd: Int64?
    /// When access was withdrawn; `nil`: it was not.
    let revokedAt: Int64?
    let isRevocation: Bool
    let isProrated: Bool
    /// Thousandths of a percent that were refunded.
    let refundedPercentMilli: Int64
    let isUpgraded: Bool
    let beginning: Beginning
    let isFamilyShared: Bool
    let isTrial: Bool
    /// Credits, which are no access, whatever a catalog says of the product.
    let isConsumable: Bool
    /// The first assertion of a transaction that only a client tells of (rule 11).
    let assertedAt: Int64?

    /// E34: the catalog may keep access after a prorated refund; what was shared is revoked in any case (row 1).
    func keepsAccess(_ policies: Policies) -> Bool {
        isProrated && !isRevocation && !isFamilyShared && policies.proratedRefundKeepsAccess
    }

    /// Rule 11: until when a client's word counts, its own end or some hours after it was first given; MS-65: never by
    /// default. `Int64.max` for what the store itself says.
    func believedUntil(hours: Int64) -> Int64 {
        guard let assertedAt else { return Int64.max }
        guard hours > 0 else { return Int64.min }
        return min(statedEnd ?? Int64.max, assertedAt + hours * 3_600_000)
    }
}

/// Who began a period, as far as it was stated.
enum Beginning {
    case purchase, renewal
    /// No reason was stated, and it was reported as the start of a subscription.
    case start
    case unstated
}

/// The facts of one lineage at a cut.
struct LineageFacts {
    let name: String
    let events: [KnownEvent]
    /// Every transaction whose purchase is known, by purchase date and then by id.
    private(set) var transactions: [TransactionFacts] = []
    /// The winning statement of each purchase, in the same order; one without a product is no transaction.
    private let purchases: [Purchase]

    private struct Purchase {
        let transaction: String
        let statement: KnownEvent
        let startsAt: Int64
    }

    /// - Parameters:
    ///   - events: Of the lineage, in canonical order.
    ///   - kinds: What a product is to the store, by its id; `nil` where no catalog names it.
    init(name: String, events: [KnownEvent], kinds: (String) -> Product.Kind?) {
        self.name = name
        self.events = events
        purchases = Self.purchases(events)
        transactions = purchases.compactMap { facts($0.transaction, $0.statement, kinds) }
    }

    /// Rule 3: of the statements about one field the greatest (class, signedAt, source, key) wins.
    static func winner(_ statements: [KnownEvent]) -> KnownEvent? {
        statements.max { KnownEvent.isOutranked($0, by: $1) }
    }

    /// What states a transaction as a whole.
    static let purchaseTypes: Set<EventTypeName> = [
        .subscriptionStarted, .subscriptionRenewed, .purchaseCompleted,
        .storeTransactionStated,
    ]
    private static let withdrawalTypes: Set<EventTypeName> = [
        .purchaseRefunded, .purchaseRevoked, .purchaseRefundReversed,
        .storeTransactionStated,
    ]

    private static func purchases(_ events: [KnownEvent]) -> [Purchase] {
        let statements = events.filter { purchaseTypes.contains($0.type) }
        let names = Set(statements.compactMap { $0.text("transaction_id") })
        return names.compactMap { name in
            let own = statements.filter { $0.text("transaction_id") == name }
            return winner(own).map {
                Purchase(
                    transaction: name, statement: $0,
                    startsAt: $0.integer("starts_at") ?? $0.occurredAt)
            }
        }
        .sorted {
            $0.startsAt != $1.startsAt
                ? $0.startsAt < $1.startsAt : precedes($0.transaction, $1.transaction)
        }
    }

    /// Every transaction that anything was stated about.
    var transactionNames: Set<String> {
        Set(
            events.filter {
                Self.purchaseTypes.contains($0.type) || Self.withdrawalTypes.contains($0.type)
                    || $0.type == .subscriptionExpired && $0.integer("ended_at") != nil
            }.compactMap { $0.text("transaction_id") })
    }

    private func facts(
        _ transaction: String, _ purchase: KnownEvent, _ kinds: (String) -> Product.Kind?
    ) -> TransactionFacts? {
        guard let product = purchase.text("product") else { return nil }
        let own = events.filter { $0.text("transaction_id") == transaction }
        let isProvisional = purchase.trust.classRank == 0
        // A refund before the purchase waits here as a statement of its own (E06); a client's word about what the store
        // speaks of is none (rule 11).
        let withdrawal = Self.winner(own.filter { Self.withdrawalTypes.contains($0.type) })
            .flatMap { $0.trust.classRank < purchase.trust.classRank ? nil : $0 }
        let startsAt = purchase.integer("starts_at") ?? purchase.occurredAt
        let (expiresAt, statedEnd) = end(transaction, purchase)
        let assertions = own.filter {
            Self.purchaseTypes.contains($0.type) && $0.trust.classRank == 0
        }
        return TransactionFacts(
            transaction: transaction, purchase: purchase, product: product,
            kind: kinds(product) ?? Self.kind(told: purchase), startsAt: startsAt,
            expiresAt: expiresAt, statedEnd: statedEnd,
            revokedAt: withdrawal?.integer("revoked_at"),
            isRevocation: withdrawal?.type == .purchaseRevoked
                || withdrawal?.word("revocation_type") == "family",
            isProrated: withdrawal?.word("type") == "prorated"
                || withdrawal?.word("revocation_type") == "prorated",
            refundedPercentMilli: withdrawal?.integer("pct_milli") ?? 100_000,
            isUpgraded: purchase.bool("is_upgraded") == true,
            beginning: beginning(own, purchase),
            isFamilyShared: purchase.word("ownership") == "family_shared",
            // T27: introductory and free, nothing else.
            isTrial: purchase.word("offer.type") == "introductory"
                && purchase.word("offer.discount") == "free_trial",
            isConsumable: isCredit(transaction),
            // Rule 1: when the source said so.
            assertedAt: isProvisional ? assertions.map(\.signedAt).min() : nil)
    }

    /// Rule 6: the kind of a transaction, by the statement of a kind that has the greatest weight.
    private func isCredit(_ transaction: String) -> Bool {
        let kinds: Set<EventTypeName> = [
            .purchaseCompleted, .subscriptionStarted, .subscriptionRenewed,
        ]
        let told = events.filter {
            kinds.contains($0.type) && $0.text("transaction_id") == transaction
        }
        let winner = Self.winner(told)
        return winner?.type == .purchaseCompleted && winner?.word("kind") == "consumable"
    }

    /// Whether everything that was bought in it is credits.
    var isConsumable: Bool {
        let bought = purchases.map(\.transaction)
        return !bought.isEmpty && bought.allSatisfy(isCredit)
    }

    /// A product that no catalog names: only the event tells what it is (rule 33).
    private static func kind(told purchase: KnownEvent) -> Product.Kind {
        switch purchase.type {
        case .purchaseCompleted:
            switch purchase.word("kind") {
            case "consumable": .consumable
            case "non_renewing": .nonRenewing
            default: .nonConsumable
            }
        case .storeTransactionStated:
            purchase.integer("expires_at") == nil ? .nonConsumable : .autoRenewable
        default: .autoRenewable
        }
    }

    /// The end by the greatest statement (docs/rules.md#periods: expiresDate or extended date), and the same where a
    /// greater report says that it ended earlier (rule 32).
    private func end(
        _ transaction: String, _ purchase: KnownEvent
    ) -> (expiresAt: Int64?, statedEnd: Int64?) {
        let extensions = events.filter {
            $0.type == .subscriptionExtended && extended(by: $0) == transaction
        }
        let statement = Self.winner(extensions + [purchase]) ?? purchase
        let end: Int64? =
            statement.type == .subscriptionExtended
            ? statement.integer("new_expires_at")
            : statement.type == .purchaseCompleted ? nil : statement.integer("expires_at")
        let reports = events.filter {
            $0.type == .subscriptionExpired && $0.integer("ended_at") != nil
                && $0.text("transaction_id") == transaction
        }
        guard let report = Self.winner(reports), KnownEvent.isOutranked(statement, by: report),
            let ended = report.integer("ended_at")
        else { return (end, end) }
        // E35: a refund that was taken back since, by a source whose word counts, is as if it had never been.
        let reversal = Self.winner(
            events.filter {
                Self.withdrawalTypes.contains($0.type) && $0.text("transaction_id") == transaction
            })
        let isReversal =
            reversal?.type == .purchaseRefundReversed || reversal?.integer("revoked_at") == nil
        if report.text("reason") == "refunded", let reversal, isReversal,
            reversal.trust.classRank >= purchase.trust.classRank,
            KnownEvent.isOutranked(report, by: reversal)
        {
            return (end, end)
        }
        return (end, min(end ?? Int64.max, ended))
    }

    /// An extension names its transaction, or means the one that was the current one then (docs/rules.md#periods).
    private func extended(by event: KnownEvent) -> String? {
        event.text("transaction_id")
            ?? purchases.last {
                $0.startsAt <= event.occurredAt && !isCredit($0.transaction)
            }?.transaction
    }

    /// docs/app-store.md#what-replaces-what: the reason that was stated, else whether it was told as a start; a
    /// client's word about what the store speaks of is none (rule 11).
    private func beginning(_ own: [KnownEvent], _ purchase: KnownEvent) -> Beginning {
        func counted(_ statements: [KnownEvent]) -> KnownEvent? {
            Self.winner(statements).flatMap {
                $0.trust.classRank < purchase.trust.classRank ? nil : $0
            }
        }
        let reasons = own.filter {
            Self.purchaseTypes.contains($0.type) && $0.type != .purchaseCompleted
                && ["purchase", "renewal"].contains($0.word("transaction_reason"))
        }
        switch counted(reasons)?.word("transaction_reason") {
        case "purchase": return .purchase
        case "renewal": return .renewal
        default: break
        }
        let reports = own.filter {
            Self.purchaseTypes.contains($0.type) && $0.type != .storeTransactionStated
        }
        return counted(reports)?.type == .subscriptionStarted ? .start : .unstated
    }

    /// When a product is said to have taken another one's place at once (UPGRADE).
    func changes(from old: String, to new: String, isProvisional: Bool) -> [Int64] {
        events.filter {
            $0.type == .subscriptionProductChanged && $0.word("effective") == "now"
                && $0.text("to") == new && ($0.text("from").map { $0 == old } ?? (old != new))
                && (isProvisional || $0.trust.classRank > 0)
        }.map(\.occurredAt)
    }
}

/// What the store said about renewal and billing, as far as it happened by T (rule 4).
extension LineageFacts {
    private func latest(by instant: Int64, of types: Set<EventTypeName>) -> KnownEvent? {
        Self.winner(events.filter { $0.occurredAt <= instant && types.contains($0.type) })
    }

    /// Auto-renew at T; `nil` when it was not stated.
    func autoRenew(at instant: Int64) -> Bool? {
        let winner = latest(
            by: instant,
            of: [
                .subscriptionStarted, .subscriptionRenewed, .subscriptionExpired,
                .subscriptionAutoRenewChanged, .storeRenewalStated,
            ])
        switch winner?.type {
        case nil: return nil
        case .subscriptionExpired: return false
        case .subscriptionAutoRenewChanged: return winner?.bool("enabled")
        default: return winner?.bool("auto_renew") ?? true
        }
    }

    /// A billing notice.
    struct Notice {
        let occurredAt: Int64
        let isRetrying: Bool
        let graceExpiresAt: Int64?
    }

    /// The billing notice at T, if one is in force.
    func billingNotice(at instant: Int64) -> Notice? {
        let winner = latest(
            by: instant,
            of: [
                .subscriptionStarted, .subscriptionRenewed, .subscriptionExpired,
                .subscriptionBillingFailed, .subscriptionGraceExpired,
                .storeRenewalStated,
            ])
        guard let winner else { return nil }
        switch winner.type {
        case .subscriptionBillingFailed:
            return Notice(
                occurredAt: winner.occurredAt, isRetrying: true,
                graceExpiresAt: winner.integer("grace_expires_at"))
        case .subscriptionGraceExpired:
            return Notice(occurredAt: winner.occurredAt, isRetrying: true, graceExpiresAt: nil)
        case .storeRenewalStated:
            return Notice(
                occurredAt: winner.occurredAt, isRetrying: winner.bool("in_billing_retry") == true,
                graceExpiresAt: winner.integer("grace_expires_at"))
        default: return nil
        }
    }

    /// NZ-08: the product of a lineage of which only its renewal is known at T; `nil` when not even that is.
    func unknownProduct(at instant: Int64) -> String?? {
        guard purchases.isEmpty,
            latest(
                by: instant,
                of: [
                    .subscriptionAutoRenewChanged, .subscriptionExpired,
                    .subscriptionBillingFailed, .subscriptionGraceExpired,
                    .storeRenewalStated,
                ]) != nil
        else { return .none }
        let namings = events.filter {
            $0.occurredAt <= instant
                && ($0.type == .subscriptionProductChanged
                    || $0.type == .storeRenewalStated && $0.text("auto_renew_product") != nil)
        }
        guard let winner = Self.winner(namings) else { return .some(nil) }
        if winner.type == .storeRenewalStated { return winner.text("auto_renew_product") }
        return ["now", "next_renewal"].contains(winner.word("effective"))
            ? winner.text("to") : winner.text("from")
    }
}
