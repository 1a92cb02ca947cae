import DaybookEvents

/// Which transaction of a lineage took the place of which (docs/app-store.md#what-replaces-what).
///
/// A purchase that the customer began within a period of another product replaces that period at once, whether or not
/// the store also said `isUpgraded`: a lost notification changes no answer that the remaining facts determine. What
/// was paid for it, and whether it was refunded or revoked later, makes no difference.
struct Replacement {
    /// The store charges renewals up to a day early, so that what is bought earlier than that is a purchase.
    static let renewalWindowMilliseconds: Int64 = 24 * 3_600_000

    let lineage: LineageState
    let catalog: Catalog?
    let names: NameTable

    /// The first transaction that replaced a period; `nil` where none did, or it is unknown which.
    /// - Parameters:
    ///   - period: With the stated end, before any withdrawal.
    ///   - later: The transactions after its own, by purchase date.
    func successor(
        of period: LineagePeriod, among later: ArraySlice<TransactionFact>
    ) -> TransactionFact? {
        // Apple lets a free trial run beside what was bought instead, unless it says otherwise (E27).
        if period.fact.isTrial, !period.fact.isUpgraded { return nil }
        return later.prefix { $0.startsAt < period.end }.first {
            isRival($0, of: period) && (period.fact.isUpgraded || isPurchase($0, within: period))
                && $0.statedReason != .renewal
        }
    }

    /// Whether the customer began it: then it starts at its purchase date; a renewal starts where what ran before ends.
    /// - Parameter earlier: The periods before it.
    func isPurchase(_ fact: TransactionFact, after earlier: [LineagePeriod]) -> Bool {
        switch fact.statedReason {
        case .purchase: true
        case .renewal: false
        case nil:
            fact.isSaidToStart
                || earlier.contains {
                    fact.startsAt < $0.statedEnd && isRival(fact, of: $0)
                        && isPurchase(fact, within: $0)
                }
        }
    }

    /// Another product of the same group and ownership, bought while the period ran. A client's word takes nothing
    /// from what the store said (rule 11).
    private func isRival(_ fact: TransactionFact, of period: LineagePeriod) -> Bool {
        guard fact.startsAt > period.fact.startsAt, fact.product != period.fact.product,
            fact.isFamilyShared == period.fact.isFamilyShared,
            !fact.isProvisional || period.fact.isProvisional
        else { return false }
        let product = catalog?.product(names[fact.product])
        guard product?.kind.isRunning ?? true else { return false }
        // A lineage is of one group; only a catalog that says otherwise makes it two.
        guard let own = product?.group, let other = period.product?.group else { return true }
        return own == other
    }

    /// What the statements tell, and where they leave it out, what the history and the dates tell.
    private func isPurchase(_ fact: TransactionFact, within period: LineagePeriod) -> Bool {
        if let reason = fact.statedReason { return reason == .purchase }
        let window = Self.renewalWindowMilliseconds
        return fact.isSaidToStart || fact.startsAt < period.naturalEnd.addingSaturated(-window)
            || lineage.switches.contains {
                $0.replaces(period.fact.product) && $0.to == fact.product
                    && period.fact.startsAt <= $0.at && $0.at < period.statedEnd
                    && (!$0.isProvisional || period.fact.isProvisional)
            }
    }
}

extension TransactionFact {
    enum Reason { case purchase, renewal }

    /// Whether customer or store began it, where a source whose word counts for it said so (rule 11).
    fileprivate var statedReason: Reason? {
        guard !reasonRank.isNone, reasonRank.classRank >= coreRank.classRank else { return nil }
        return isPurchase ? .purchase : .renewal
    }

    /// Whether a source whose word counts for it told it as the start of a subscription.
    fileprivate var isSaidToStart: Bool { isStart && kindRank.classRank >= coreRank.classRank }
}
