import DaybookDomain
import DaybookEvents

/// One reason for access, on or off, at the asked time.
struct AccessSource {
    /// docs/rules.md#display: 0 debug, 1 lifetime, 2 subscription, 3 family, 4 grant, 5 free period.
    let displayClass: Int
    let name: String
    let state: String
    let isActive: Bool
    /// The exclusive end of this access; `nil`: none.
    let end: Int64?
    let willRenew: Bool
    let entitlements: [String]
    /// Features that it opens by itself.
    var features: [String] = []
    /// A meter that it frees of every limit.
    var meter: String?
    /// The profile that it serves alone.
    var profile: String?
    /// Whether it is of a product that serves one profile.
    var isForProfile = false
    var product: String?
    var startsAt: Int64?
    /// Days left of a trial that runs.
    var trialDays: Int64?

    /// Whether it may give access yet, but never did.
    private var isPending: Bool { !isActive && state == "pending" }

    /// The active in the order of display (docs/rules.md#display), each class by the latest end; of the others the one
    /// that ended last came closest.
    static func isShownFirst(_ left: AccessSource, _ right: AccessSource) -> Bool {
        if left.isActive != right.isActive { return left.isActive }
        if left.isActive, left.displayClass != right.displayClass {
            return left.displayClass < right.displayClass
        }
        if left.isPending != right.isPending { return right.isPending }
        let (leftEnd, rightEnd) = (left.end ?? Int64.max, right.end ?? Int64.max)
        if leftEnd != rightEnd { return leftEnd > rightEnd }
        if left.displayClass != right.displayClass { return left.displayClass < right.displayClass }
        return precedes(left.name, right.name)
    }
}

/// One paid period after truncation (docs/rules.md#periods).
struct PaidPeriod {
    let facts: TransactionFacts
    /// When access by it begins: not before the previous period ends.
    let start: Int64
    /// The exclusive end, truncated by refund, revocation or upgrade.
    let end: Int64
    /// What the store stated or extended, before any truncation.
    let expiresAt: Int64
}

/// The subscription of one lineage, evaluated at one time by the state table (docs/rules.md#states).
struct SubscriptionLineage {
    let facts: LineageFacts
    let transactions: [TransactionFacts]
    let policies: Policies
    /// The group of a product, where a catalog names it.
    let groups: (String) -> String?

    static let billingRetryMilliseconds: Int64 = 60 * 86_400_000

    /// What the state table says.
    struct Standing {
        let period: PaidPeriod
        let state: String
        let isActive: Bool
        let end: Int64
        let willRenew: Bool
    }

    /// Build the periods first (docs/rules.md#periods): truncate, never drop.
    var periods: [PaidPeriod] {
        var periods: [PaidPeriod] = []
        for transaction in transactions {
            var end = transaction.statedEnd ?? Int64.max
            if let revokedAt = transaction.revokedAt, !transaction.keepsAccess(policies) {
                end = min(end, revokedAt)
            }
            // The purchase date of the transaction that replaced it.
            end = min(end, replacedAt(transaction) ?? Int64.max)
            // A renewal that was charged early starts at the previous end, a purchase at once.
            let start =
                isBegunAtOnce(transaction)
                ? transaction.startsAt
                : max(transaction.startsAt, periods.map(\.end).max() ?? Int64.min)
            periods.append(
                PaidPeriod(
                    facts: transaction, start: start, end: max(start, end),
                    expiresAt: transaction.expiresAt ?? Int64.max))
        }
        return periods
    }

    // MARK: Replacement (docs/app-store.md#what-replaces-what)

    /// The first purchase of another product inside of the period that the customer began; a free trial goes on beside
    /// it unless `isUpgraded` is stated.
    private func replacedAt(_ old: TransactionFacts) -> Int64? {
        if old.isTrial, !old.isUpgraded { return nil }
        return transactions.filter {
            isInside($0, old)
                && (old.isUpgraded ? $0.beginning != .renewal : isBegun($0, inside: old))
        }.map(\.startsAt).min()
    }

    private func isBegunAtOnce(_ transaction: TransactionFacts) -> Bool {
        switch transaction.beginning {
        case .purchase, .start: true
        case .renewal: false
        case .unstated:
            transactions.contains { isInside(transaction, $0) && isBegun(transaction, inside: $0) }
        }
    }

    private func isInside(_ new: TransactionFacts, _ old: TransactionFacts) -> Bool {
        old.startsAt < new.startsAt && new.startsAt < old.statedEnd ?? Int64.max
            && new.product != old.product && new.isFamilyShared == old.isFamilyShared
            && (new.assertedAt == nil || old.assertedAt != nil)
            && (groups(new.product) == nil || groups(old.product) == nil
                || groups(new.product) == groups(old.product))
    }

    private func isBegun(_ new: TransactionFacts, inside old: TransactionFacts) -> Bool {
        switch new.beginning {
        case .purchase, .start: return true
        case .renewal: return false
        case .unstated:
            let day: Int64 = 86_400_000
            // More than 24 hours before the end that the store stated or extended.
            if let end = old.expiresAt, new.startsAt >= end - day {
                let changes = facts.changes(
                    from: old.product, to: new.product, isProvisional: old.assertedAt != nil)
                return changes.contains {
                    old.startsAt <= $0 && $0 < old.statedEnd ?? Int64.max
                }
            }
            return true
        }
    }

    /// What the table says of each product that runs, the latest end of each, or of the last one that ran; empty is
    /// row 10, never subscribed.
    func standings(at instant: Int64, told: Int64) -> [Standing] {
        let running = periods.filter { $0.start <= instant && instant < $0.end }
        guard !running.isEmpty else {
            return standing(at: instant, told: told).map { [$0] } ?? []
        }
        return Set(running.map(\.facts.product)).compactMap { product in
            let own = running.filter { $0.facts.product == product }
            let last = own.last { one in own.allSatisfy { $0.end <= one.end } }
            return last.flatMap { standing(of: $0, periods, at: instant, told: told) }
        }
    }

    /// The state table, top-down; `nil` is row 10, never subscribed.
    /// - Parameter told: Status counts up to here (rule 4). It is the asked time, also where a debug override has the
    ///   table read for a later one (rule 10).
    private func standing(at instant: Int64, told: Int64) -> Standing? {
        let periods = self.periods
        // The period that contains T, else the last one that starts at or before T.
        let containing = periods.first { $0.start <= instant && instant < $0.end }
        guard let period = containing ?? periods.last(where: { $0.start <= instant }) else {
            return nil
        }
        return standing(of: period, periods, at: instant, told: told)
    }

    private func standing(
        of period: PaidPeriod, _ periods: [PaidPeriod], at instant: Int64, told: Int64
    ) -> Standing {
        let isRunning = period.start <= instant && instant < period.end
        let autoRenew = facts.autoRenew(at: told) ?? true
        func standing(
            _ state: String, _ isActive: Bool, _ end: Int64, _ willRenew: Bool
        ) -> Standing {
            Standing(
                period: period, state: state, isActive: isActive, end: end, willRenew: willRenew)
        }
        if let revokedAt = period.facts.revokedAt, revokedAt <= instant,
            !period.facts.keepsAccess(policies)
        {
            if period.facts.isRevocation || period.facts.isFamilyShared {
                return standing("revoked", false, period.end, false)  // Row 1.
            }
            return standing("refunded", false, period.end, autoRenew)  // Row 2.
        }
        // Row 3, `paused`, is Google's (docs/requirements.md#not-in-this-round).
        if isRunning {
            if period.facts.isTrial { return standing("trial", true, period.end, autoRenew) }
            return standing(
                autoRenew ? "active" : "active_canceling", true, period.end, autoRenew)
        }
        var accessEnd = period.end
        if let notice = facts.billingNotice(at: told),
            notice.occurredAt >= period.facts.startsAt
        {
            // Row 7 before row 8: billing retry is also true during grace.
            if let grace = notice.graceExpiresAt, period.expiresAt <= instant {
                if instant < grace { return standing("grace", true, grace, autoRenew) }
                accessEnd = max(accessEnd, grace)
            }
            let (day60, overflow) = period.expiresAt.addingReportingOverflow(
                Self.billingRetryMilliseconds)
            if notice.isRetrying, overflow || instant < day60 {
                let isActive = policies.billingRetryAccess
                return standing("billing_retry", isActive, isActive ? day60 : accessEnd, true)
            }
        }
        if let end = unknownGapEnd(after: period, periods, at: instant) {
            return standing("active", true, end, autoRenew)
        }
        return standing("expired", false, accessEnd, false)  // Row 9.
    }

    /// E07: the end of a gap that the store later called continuous, and in which no source spoke of a lapse.
    private func unknownGapEnd(
        after period: PaidPeriod, _ periods: [PaidPeriod], at instant: Int64
    ) -> Int64? {
        guard policies.gap == .assumeActive,
            let next = periods.first(where: { $0.start > instant })
        else { return nil }
        let isContinuous = facts.events.contains { event in
            guard event.type == .storeRenewalStated,
                let since = event.integer("continuous_since")
            else { return false }
            return since <= period.end && event.signedAt >= next.start
        }
        let hasLapsed = facts.events.contains {
            isLapse($0) && $0.occurredAt >= period.facts.startsAt && $0.occurredAt <= next.start
        }
        return isContinuous && !hasLapsed ? next.start : nil
    }

    /// E20: an announced end or failed billing makes a gap real.
    private func isLapse(_ event: KnownEvent) -> Bool {
        switch event.type {
        case .subscriptionExpired, .subscriptionBillingFailed, .subscriptionGraceExpired:
            true
        case .storeRenewalStated:
            event.bool("in_billing_retry") == true || event.integer("grace_expires_at") != nil
        default: false
        }
    }
}
