import DaybookEvents

/// A stretch of access that one transaction gives, with what cut it short (rules §2.2: build periods first).
struct LinePeriod {
    enum Cut: Equatable { case none, refunded, prorated, revoked, upgraded, ended, unverified }

    var fact: TransactionFact
    var product: Product?
    /// Exclusive; `Int64.max` is unbounded. Never before `start`: a cut period is truncated, never dropped.
    var start: Int64
    var end: Int64
    /// The end without refund, upgrade or revocation.
    var naturalEnd: Int64
    var cut: Cut

    func contains(_ instant: Int64) -> Bool { start <= instant && instant < end }
}

/// Builds the periods of one line from its facts.
struct LinePeriods {
    let line: LineState
    let names: NameTable
    /// The catalog in force at a time.
    let catalog: (Int64) -> Catalog?
    let zone: ZoneHistory
    /// The valid time of the question: maps and policies are read from the catalog in force then.
    let at: Int64

    /// In ascending order of start.
    func periods(hidingStartsBefore hidden: Int64? = nil) -> [LinePeriod] {
        let rules = catalog(at)
        var periods: [LinePeriod] = []
        for fact in line.transactions where !fact.coreRank.isNone {
            if let hidden, fact.startsAt < hidden { continue }
            let product = rules?.product(names[fact.product])
            let naturalEnd = naturalEnd(of: fact, product)
            periods.append(
                LinePeriod(
                    fact: fact, product: product, start: fact.startsAt, end: naturalEnd,
                    naturalEnd: naturalEnd, cut: .none))
        }
        periods.sort {
            ($0.start, $0.fact.id.high, $0.fact.id.low) < (
                $1.start, $1.fact.id.high, $1.fact.id.low
            )
        }
        extend(&periods)
        for index in periods.indices { truncate(&periods, index, policies: rules?.policies) }
        joinEarlyRenewals(&periods)
        return periods
    }

    private func naturalEnd(of fact: TransactionFact, _ product: Product?) -> Int64 {
        if fact.expiresAt != Event.absent { return fact.expiresAt }
        guard product?.kind == .nonRenewing else { return Int64.max }
        // What was promised at the start is read from the catalog in force at the start (rule 8).
        let promised = catalog(fact.startsAt)?.product(names[fact.product])
        guard let duration = promised?.duration ?? product?.duration else { return Int64.max }
        return zone.zone(at: fact.startsAt).adding(duration, to: fact.startsAt)
    }

    private func extend(_ periods: inout [LinePeriod]) {
        for change in line.extensions {
            // Without a transaction the period that runs at that time is meant.
            let index =
                change.transaction.isNone
                ? periods.lastIndex { $0.start <= change.at }
                : periods.firstIndex { $0.fact.id == change.transaction }
            guard let index, change.newExpiresAt > periods[index].naturalEnd else { continue }
            periods[index].naturalEnd = change.newExpiresAt
            periods[index].end = change.newExpiresAt
        }
    }

    private func truncate(_ periods: inout [LinePeriod], _ index: Int, policies: Policies?) {
        func shorten(to instant: Int64, _ cut: LinePeriod.Cut) {
            guard instant < periods[index].end else { return }
            periods[index].end = max(instant, periods[index].start)
            periods[index].cut = cut
        }
        let fact = periods[index].fact
        // What replaced it tells when it ended; until that is known, nothing is taken away.
        let isReplaced =
            fact.isUpgraded
            || line.switches.contains { $0.from == fact.product && periods[index].contains($0.at) }
        if isReplaced,
            let next = periods[(index + 1)...].first(where: { $0.start > fact.startsAt })
        {
            shorten(to: next.start, .upgraded)
        }
        if fact.endedAt != Event.absent { shorten(to: fact.endedAt, .ended) }
        if fact.isProvisional {
            let hours = policies?.clientAssertedHours ?? 0
            let first = fact.firstAssertedAt.orNil ?? fact.startsAt
            shorten(to: first.addingSaturated(hours * 3_600_000), .unverified)
        }
        guard fact.revokedAt != Event.absent else { return }
        switch fact.revocation {
        case .none: break
        case .full: shorten(to: fact.revokedAt, .refunded)
        case .prorated:
            if policies?.proratedRefundKeepsAccess != true {
                shorten(to: fact.revokedAt, .prorated)
            }
        case .family, .developer: shorten(to: fact.revokedAt, .revoked)
        }
    }

    /// A renewal that was charged early begins where the period before it ends, also when it brings a pending change
    /// of product; a change that took effect at once has cut that period before (rules §2.2).
    private func joinEarlyRenewals(_ periods: inout [LinePeriod]) {
        for index in periods.indices.dropFirst() {
            let before = periods[index - 1]
            guard before.end > periods[index].start, before.end < periods[index].end else {
                continue
            }
            periods[index].start = before.end
        }
    }
}

extension Int64 {
    /// The sum, held at the limits of the type.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? Int64.max : Int64.min) : sum
    }
}
