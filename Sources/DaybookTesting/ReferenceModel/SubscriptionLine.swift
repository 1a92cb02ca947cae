import DaybookDomain
import DaybookEvents

/// One reason for access, on or off, at the asked time.
struct AccessSource {
    /// rules.md §2.2: 0 debug, 1 lifetime, 2 subscription, 3 family, 4 grant.
    let displayClass: Int
    let name: String
    let state: String
    let isActive: Bool
    /// The exclusive end of this access; `nil`: none.
    let end: Int64?
    let willRenew: Bool
    let entitlements: [String]
    /// A feature that it opens by itself.
    var feature: String?
    /// The profile that it serves alone.
    var profile: String?
    /// Whether it is of a product that serves one profile.
    var isForProfile = false

    /// Active before inactive, then the order of display, then the latest end, then the name.
    static func isShownFirst(_ left: AccessSource, _ right: AccessSource) -> Bool {
        if left.isActive != right.isActive { return left.isActive }
        if left.displayClass != right.displayClass { return left.displayClass < right.displayClass }
        let (leftEnd, rightEnd) = (left.end ?? Int64.max, right.end ?? Int64.max)
        return leftEnd != rightEnd ? leftEnd > rightEnd : precedes(left.name, right.name)
    }
}

/// One paid period after truncation (rules.md §2.2).
struct PaidPeriod {
    let facts: TransactionFacts
    /// When access by it begins: not before the previous period ends.
    let start: Int64
    /// The exclusive end, truncated by refund, revocation or upgrade.
    let end: Int64
    /// What the store stated, before truncation.
    let statedEnd: Int64
}

/// The subscription of one line, evaluated at one time by the state table of rules.md §2.2.
struct SubscriptionLine {
    let facts: LineFacts
    let transactions: [TransactionFacts]
    let policies: Policies

    static let billingRetryMilliseconds: Int64 = 60 * 86_400_000

    /// What the state table says.
    struct Standing {
        let period: PaidPeriod
        let state: String
        let isActive: Bool
        let end: Int64
        let willRenew: Bool
    }

    /// Build the periods first (rules.md §2.2): truncate, never drop.
    var periods: [PaidPeriod] {
        var periods: [PaidPeriod] = []
        for (index, transaction) in transactions.enumerated() {
            let statedEnd = transaction.statedEnd ?? Int64.max
            var end = statedEnd
            if let revokedAt = transaction.revokedAt, !keepsAccess(transaction) {
                end = min(end, revokedAt)
            }
            // The purchase date of the transaction that replaced it when it was upgraded.
            let successor = transactions[(index + 1)...].first {
                $0.startsAt > transaction.startsAt
            }
            if transaction.isUpgraded, let successor { end = min(end, successor.startsAt) }
            // A renewal that was charged early starts at the previous end.
            let previousEnd = periods.map(\.end).max() ?? Int64.min
            periods.append(
                PaidPeriod(
                    facts: transaction, start: max(transaction.startsAt, previousEnd), end: end,
                    statedEnd: statedEnd))
        }
        return periods
    }

    private func keepsAccess(_ transaction: TransactionFacts) -> Bool {
        transaction.isProrated && policies.proratedRefundKeepsAccess
    }

    /// The state table, top-down; `nil` is row 10, never subscribed.
    func standing(at instant: Int64) -> Standing? {
        let periods = self.periods
        // The period that contains T, else the last one that starts at or before T.
        let containing = periods.first { $0.start <= instant && instant < $0.end }
        guard let period = containing ?? periods.last(where: { $0.start <= instant }) else {
            return nil
        }
        let autoRenew = facts.autoRenew(at: instant)
        func standing(
            _ state: String, _ isActive: Bool, _ end: Int64, _ willRenew: Bool
        ) -> Standing {
            Standing(
                period: period, state: state, isActive: isActive, end: end, willRenew: willRenew)
        }
        if let revokedAt = period.facts.revokedAt, revokedAt <= instant, !keepsAccess(period.facts)
        {
            if period.facts.isRevocation || period.facts.isFamilyShared {
                return standing("revoked", false, period.end, false)  // Row 1.
            }
            return standing("refunded", false, period.end, autoRenew ?? true)  // Row 2.
        }
        // Row 3, `paused`, is Google's: not in this round (design §11).
        if containing != nil {
            let willRenew = autoRenew ?? true
            if period.facts.isTrial { return standing("trial", true, period.end, willRenew) }
            return standing(
                willRenew ? "active" : "active_canceling", true, period.end, willRenew)
        }
        if let notice = facts.billingNotice(at: instant),
            notice.occurredAt >= period.facts.startsAt
        {
            // Row 7 before row 8: billing retry is also true during grace.
            if let grace = notice.graceExpiresAt, instant < grace {
                return standing("grace", true, grace, true)
            }
            let (retryEnd, overflow) = period.statedEnd.addingReportingOverflow(
                Self.billingRetryMilliseconds)
            if overflow || instant < retryEnd {
                return standing("billing_retry", policies.billingRetryAccess, retryEnd, true)
            }
        }
        if let end = unknownGapEnd(after: period, periods, at: instant) {
            let isActive = policies.gap == .assumeActive
            let willRenew = isActive && autoRenew ?? true
            return standing(isActive ? "active" : "expired", isActive, end, willRenew)
        }
        return standing("expired", false, period.end, false)  // Row 9.
    }

    /// E07: the end of a gap that the store calls continuous and nobody called an end.
    private func unknownGapEnd(
        after period: PaidPeriod, _ periods: [PaidPeriod], at instant: Int64
    ) -> Int64? {
        guard let next = periods.first(where: { $0.start > instant }) else { return nil }
        let renewals = facts.events.filter { $0.type == "store.renewal_stated" }
        guard let renewal = LineFacts.winner(renewals),
            let since = renewal.integer("continuous_since"), since <= period.end,
            renewal.occurredAt >= next.facts.startsAt
        else { return nil }
        let hasEnded = facts.events.contains {
            $0.type == "subscription.expired" && $0.occurredAt >= period.facts.startsAt
                && $0.occurredAt <= next.facts.startsAt
        }
        return hasEnded ? nil : next.start
    }
}
