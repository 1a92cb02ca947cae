import DaybookEvents

/// A stretch of access that one transaction gives (docs/rules.md#periods: they are built first).
struct LineagePeriod {
    /// When access was taken back, where that counts.
    struct Withdrawal: Equatable {
        var at: Int64
        /// A revocation, else a refund: what the state table calls it.
        var isRevocation: Bool
    }

    var fact: TransactionFact
    var product: Product?
    var start: Int64
    /// Exclusive; `Int64.max` is unbounded. Never before `start`: a cut period is truncated, never dropped.
    var end: Int64
    /// The stated or extended end, before refund, upgrade or an early end.
    var naturalEnd: Int64
    /// The same, or the early end that was reported (rule 32).
    var statedEnd: Int64
    var withdrawal: Withdrawal?
    /// Whether another product took effect before its end.
    var isReplaced = false
    /// Whether the store says that another product replaced it and it is unknown which: it keeps its end.
    var isReplacedByUnknown = false
    /// Until when a client's word for it counts; `Int64.max`: it is not only a client's.
    var believedUntil: Int64

    func contains(_ instant: Int64) -> Bool { start <= instant && instant < end }
}

/// Builds the periods of one lineage from the facts that count.
struct LineagePeriods {
    /// Why a fact gives nothing, whatever its dates.
    enum Refusal: Equatable {
        /// Hidden by a debug override (rule 10).
        case hidden
        /// Shared by a family where the catalog does not share, and why (DZ-23, OL-26).
        case notShareable(why: FamilyRefusal)
        /// A client's word alone, which does not count or no longer (rule 11).
        case unverified(until: Int64)
    }

    let lineage: LineageState
    let names: NameTable
    /// Maps and policies in force at the asked time.
    let catalog: Catalog?
    /// The time at which facts are judged.
    let at: Int64
    /// Facts that began before are hidden.
    let hiddenBefore: Int64?

    /// Every transaction whose purchase is known and may give access, by purchase date.
    var facts: [TransactionFact] {
        lineage.transactions.filter { !$0.coreRank.isNone && !$0.isConsumable }.sorted(
            by: Self.isBoughtBefore)
    }

    static func isBoughtBefore(_ left: TransactionFact, _ right: TransactionFact) -> Bool {
        (left.startsAt, left.id.high, left.id.low) < (right.startsAt, right.id.high, right.id.low)
    }

    /// In ascending order of start; non-renewing purchases run on from each other and are placed by
    /// `NonRenewingStack`.
    /// - Parameter isProvisionalTold: Whether a client's word is taken, where it counts.
    func periods(isProvisionalTold: Bool = true) -> [LineagePeriod] {
        let all = facts
        let counting = all.filter {
            (isProvisionalTold || !$0.isProvisional) && refusal(of: $0, among: all) == nil
        }
        let replacement = Replacement(lineage: lineage, catalog: catalog, names: names)
        var periods: [LineagePeriod] = []
        var running: [LineagePeriod] = []
        var lastEnd = Int64.min
        for (index, fact) in counting.enumerated() {
            var period = period(fact, among: all)
            let isRunning = period.product?.kind.isRunning ?? true
            if isRunning {
                let successor = replacement.successor(
                    of: period, among: counting[(index + 1)...])
                period.isReplaced = successor != nil
                period.isReplacedByUnknown = fact.isUpgraded && successor == nil
                period.end = min(period.end, successor?.startsAt ?? Int64.max)
            }
            period.end = min(period.end, period.withdrawal?.at ?? Int64.max)
            if isRunning {
                // A renewal that was charged early begins where what was paid before ends.
                if fact.startsAt < lastEnd, !replacement.isPurchase(fact, after: running) {
                    period.start = lastEnd
                }
                lastEnd = max(lastEnd, period.end)
            }
            period.end = max(period.start, period.end)
            periods.append(period)
            if isRunning { running.append(period) }
        }
        return periods
    }

    /// Why the fact does not count at the judged time; `nil` when it does.
    func refusal(of fact: TransactionFact, among all: [TransactionFact]) -> Refusal? {
        if let hiddenBefore, fact.startsAt < hiddenBefore { return .hidden }
        let product = catalog?.product(names[fact.product])
        if fact.isFamilyShared, let product, let why = catalog?.familyRefusal(of: product) {
            return .notShareable(why: why)
        }
        let until = believedUntil(fact, among: all)
        return at < until ? nil : .unverified(until: until)
    }

    /// A client's word counts until its own end or some hours after it was first given, and not at all by default.
    func believedUntil(_ fact: TransactionFact, among all: [TransactionFact]) -> Int64 {
        guard fact.isProvisional else { return Int64.max }
        let hours = catalog?.policies.clientAssertedHours ?? 0
        guard hours > 0 else { return Int64.min }
        let first = fact.firstAssertedAt.orNil ?? fact.startsAt
        return min(end(of: fact, among: all).end, first.addingSaturated(hours * 3_600_000))
    }

    private func period(_ fact: TransactionFact, among all: [TransactionFact]) -> LineagePeriod {
        let product = catalog?.product(names[fact.product])
        let (natural, end) = end(of: fact, among: all)
        let isBounded = product?.kind.isRunning ?? true
        return LineagePeriod(
            fact: fact, product: product, start: fact.startsAt, end: isBounded ? end : Int64.max,
            naturalEnd: isBounded ? natural : Int64.max, statedEnd: isBounded ? end : Int64.max,
            withdrawal: withdrawal(of: fact),
            believedUntil: believedUntil(fact, among: all))
    }

    /// The stated end of a transaction: that of the greatest statement, an extension being one (rule 3), and the same
    /// shortened by a newer report that it ended (rule 32). An end that was reported because of a refund goes with the
    /// refund, when that is taken back (E35).
    private func end(
        of fact: TransactionFact, among all: [TransactionFact]
    ) -> (natural: Int64, end: Int64) {
        var rank = fact.coreRank
        var natural = fact.expiresAt.orNil ?? Int64.max
        for change in lineage.extensions where change.rank.outranks(rank, names: names) {
            // Without a transaction it speaks of the one that was the current one then.
            let named =
                change.transaction.isNone
                ? all.last { $0.startsAt <= change.at }?.id : change.transaction
            guard named == fact.id else { continue }
            rank = change.rank
            natural = change.newExpiresAt
        }
        let isReversed =
            fact.isEndedByRefund && fact.revocation == .none && !fact.revocationRank.isNone
            && fact.revocationRank.classRank >= fact.coreRank.classRank
            && fact.revocationRank.outranks(fact.endingRank, names: names)
        guard fact.endedAt != Event.absent, fact.endingRank.outranks(rank, names: names),
            !isReversed
        else { return (natural, natural) }
        return (natural, min(natural, fact.endedAt))
    }

    /// A client's refund of what the store itself speaks of is no statement (rule 11).
    private func withdrawal(of fact: TransactionFact) -> LineagePeriod.Withdrawal? {
        guard fact.revokedAt != Event.absent,
            fact.revocationRank.classRank >= fact.coreRank.classRank
        else { return nil }
        // Whatever the purchaser got back, of what was shared access is revoked (row 1 of the state table).
        let isRevocation =
            fact.isFamilyShared || fact.revocation == .family || fact.revocation == .developer
        let keepsAccess = catalog?.policies.proratedRefundKeepsAccess == true
        if fact.revocation == .prorated, !isRevocation, keepsAccess { return nil }
        return .init(at: fact.revokedAt, isRevocation: isRevocation)
    }
}

extension Product.Kind {
    /// Whether the store renews it, so that its periods follow each other within a lineage.
    var isRunning: Bool { self == .autoRenewable }
}

/// Places non-renewing purchases: each for the duration that was promised, after the one before or beside it
/// (docs/rules.md#one-time-purchases).
struct NonRenewingStack {
    let context: CustomerCase
    let catalog: Catalog?
    let zone: ZoneHistory

    /// Sets start and end of the non-renewing periods among those of all lineages that the customer owns.
    func place(_ lineages: inout [[LineagePeriod]]) {
        var places: [(lineage: Int, period: Int)] = []
        for (lineage, periods) in lineages.enumerated() {
            for (index, period) in periods.enumerated()
            where period.product?.kind == .nonRenewing {
                places.append((lineage, index))
            }
        }
        places.sort { left, right in
            LineagePeriods.isBoughtBefore(
                lineages[left.lineage][left.period].fact, lineages[right.lineage][right.period].fact
            )
        }
        var lastEnd: [NameID: Int64] = [:]
        for place in places {
            let product = lineages[place.lineage][place.period].fact.product
            set(&lineages[place.lineage][place.period], after: lastEnd[product])
            let end = lineages[place.lineage][place.period].end
            lastEnd[product] = max(end, lastEnd[product] ?? end)
        }
    }

    private func set(_ period: inout LineagePeriod, after previous: Int64?) {
        let bought = period.fact.startsAt
        // What was promised is read from the catalog in force at the start (rule 8), of a product that none named then
        // from the one that names it now (rule 33).
        let name = context.names[period.fact.product]
        let promised = context.catalog(at: bought)?.catalog.product(name) ?? period.product
        if promised?.extendsCurrent == true, let previous { period.start = max(bought, previous) }
        if let duration = promised?.duration {
            period.naturalEnd = zone.zone(at: bought).adding(duration, to: period.start)
        }
        let withdrawnAt = period.withdrawal?.at ?? Int64.max
        // What is taken back before its turn came has never begun, and ended then.
        period.start = min(period.start, max(bought, withdrawnAt))
        period.end = max(period.start, min(period.naturalEnd, withdrawnAt))
    }
}
