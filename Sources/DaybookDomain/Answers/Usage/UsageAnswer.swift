import DaybookEvents

/// One meter of one customer at one time.
public struct MeterAnswer: Sendable, Equatable {
    /// The catalog's name of the meter, whatever alias was asked for.
    public var name: String
    /// What kind of meter it is: it decides which of the numbers below mean something.
    public var kind: Meter.Kind
    /// The free limit, or the entitled one; `nil` is unlimited. A window: days.
    public var limit: Int64?
    /// What was used: of a counter the units since it last began anew, those that a source covered left out.
    /// Of a gauge how many things there are; of a reading the last one, at least 0; of a window 0.
    public var used: Int64
    /// Units of a counter that open reservations of the same stretch hold, not part of `used`; 0 of other kinds.
    public var reserved: Int64
    /// Free quota and grants that are left, less what is reserved; never negative; `nil` is unlimited.
    public var remaining: Int64?
    /// What was used beyond everything that covers it.
    public var overage: Int64
    /// Units left of grants and credits; part of `remaining`.
    public var granted: Int64
    /// Refunded credits that were spent before and are still owed; 0 unless the meter allows debt (E67).
    public var debt: Int64
    /// Gauges: how far above the limit; creating is refused until it is below.
    public var excess: Int64
    /// The period of the asked time; `nil` for lifetime counters, gauges and windows.
    public var period: MeterPeriod?
    /// `2026-03` of a calendar month, else the day or time at which it began; `nil` where there is no period.
    public var periodName: String?
    /// What evidence of the period is keyed by; see `PeriodTimeline.key`.
    var periodKey: String?
    /// When the count begins anew next, as far as is known: the end of the period, or a reset before it.
    public var resetsAt: Int64?
    /// When the count last began anew: the period's start or a manual reset.
    public var lastResetAt: Int64?
    /// Windows: the oldest moment that may be seen; `nil` is all of history.
    public var visibleFrom: Int64?
    /// The source that makes it unlimited.
    @Boxed public var coveredBy: Source?
    /// Gauges over the limit: what stays writable.
    public var writable: [String]
    /// What is odd: `overage`, `over_limit`, `gauge_duplicate`, `gauge_underflow`; empty: nothing is.
    public var flags: [String]

    init(_ meter: Meter) {
        name = meter.name
        kind = meter.kind
        used = 0
        reserved = 0
        overage = 0
        granted = 0
        debt = 0
        excess = 0
        writable = []
        flags = []
    }
}

/// Answers about meters from what was used, the catalog in force and the sources that are active.
public final class UsageAnswer {
    let context: CustomerCase
    let entitlements: EntitlementsAnswer
    let catalog: Catalog
    let zone: ZoneHistory
    /// By meter, as they were worked out.
    var timelines: [(meter: String, timeline: PeriodTimeline)] = []

    /// Prepares answers about the meters of one customer; `nil` while no catalog is published.
    /// - Parameter entitlements: Of the same case, or of one that differs from it in usage alone.
    public init?(_ context: CustomerCase, _ entitlements: EntitlementsAnswer) {
        guard let catalog = entitlements.catalog else { return nil }
        self.context = context
        self.entitlements = entitlements
        self.catalog = catalog
        zone = context.zoneHistory(catalog)
    }

    /// Every meter of the catalog, in its order.
    /// - Parameter profile: As for one meter.
    public func meters(profile: String? = nil) -> [MeterAnswer] {
        catalog.meters.map { answer($0, profile: profile) }
    }

    /// One meter of the customer.
    /// - Parameter profile: Counts what is given to this profile alone as well; what was used is the whole customer's.
    public func answer(_ meter: Meter, profile: String? = nil) -> MeterAnswer {
        var answer = MeterAnswer(meter)
        let (limit, source) = limit(of: meter, profile)
        answer.limit = limit
        answer.coveredBy = limit == nil ? source : nil
        switch meter.kind {
        case .counter: count(meter, profile, &answer)
        case .gauge: gauge(meter, profile, &answer)
        case .window: window(meter, &answer)
        case .reading: reading(meter, profile, &answer)
        }
        return answer
    }

    /// The most generous limit: by an active entitlement or grant, else the free one.
    ///
    /// What serves one profile lifts no limit of the whole customer (OL-09), and a number that it has is no quota
    /// beside the customer's: it only makes unlimited what is asked for that profile.
    private func limit(of meter: Meter, _ profile: String?) -> (Int64?, Source?) {
        guard var best = meter.limit else { return (nil, nil) }
        let active = entitlements.sources(for: profile).filter(\.isActive)
            .sorted(by: EntitlementsAnswer.isShownBefore)
        for source in active {
            let share = MeterShare(of: source, in: meter, catalog)
            if share.isUnlimited { return (nil, source) }
            if source.profile == nil, let number = share.number { best = max(best, number) }
        }
        return (best, nil)
    }

    // MARK: Counters

    private func count(_ meter: Meter, _ profile: String?, _ answer: inout MeterAnswer) {
        let at = context.at
        let timeline = timeline(of: meter)
        let period = timeline.period(at: at)
        if timeline.length != nil {
            answer.period = period
            answer.periodName = timeline.name(of: period)
            answer.periodKey = timeline.key(of: period)
        }
        let ids = meterIDs(meter)
        let resets = resets(meter, ids)
        let segment = resets.segment(of: period, at: at)
        answer.lastResetAt = segment.start == Int64.min ? nil : segment.start
        answer.resetsAt = segment.end == Int64.max ? nil : segment.end
        let (burns, reserved) = burns(meter, ids)
        answer.reserved = Self.sum(reserved, in: segment)
        answer.used = Self.sum(burns, in: segment)
        guard let limit = answer.limit else { return }
        let result = burnDown(
            meter, profile, limit, resets, reserved.isEmpty ? burns : burns + reserved,
            timeline, now: period)
        answer.used = answer.used.addingSaturated(result.carried)
        answer.granted = result.grantsRemaining
        answer.overage = result.overage
        answer.debt = result.debt
        answer.remaining = result.freeRemaining.addingSaturated(result.grantsRemaining)
        if result.overage > 0 { answer.flags.append("overage") }
    }

    private static func sum(_ burns: [Burn], in segment: MeterPeriod) -> Int64 {
        var sum: Int64 = 0
        for burn in burns where segment.contains(burn.at) {
            sum = sum.addingSaturated(burn.amount)
        }
        return sum
    }

    /// - Parameter now: The period of the asked time.
    private func burnDown(
        _ meter: Meter, _ profile: String?, _ limit: Int64, _ resets: CounterResets,
        _ burns: [Burn], _ timeline: PeriodTimeline, now: MeterPeriod
    ) -> BurnDown.Result {
        var limits = LimitTimeline(meter, context, now: limit)
        return BurnDown(
            segment: { instant in
                // Most of what is asked about lies in the period of the asked time.
                let period = now.contains(instant) ? now : timeline.period(at: instant)
                return BurnDown.Segment(
                    stretch: resets.segment(of: period, at: instant), periodEnd: period.end)
            }, limit: { limits.limit(at: $0) }, fixedLimit: limits.isConstant ? limit : nil,
            carriesOverage: resets.preserving,
            allowsDebt: meter.allowsDebt,
            profile: profile.flatMap { context.names.id(of: $0) } ?? 0
        ).run(burns: burns, grants: grants(meter), at: context.at)
    }

    /// What is left of each grant of units that holds now, by its id.
    func grantBalances() -> [Reference: Int64] {
        var balances: [Reference: Int64] = [:]
        for meter in catalog.meters where meter.kind == .counter && !grants(meter).isEmpty {
            let left = burnedDown(meter)?.balances ?? [:]
            balances.merge(left) { first, _ in first }
        }
        return balances
    }

    /// A meter of the whole customer; `nil` where it has no limit at all.
    private func burnedDown(_ meter: Meter) -> BurnDown.Result? {
        guard let limit = limit(of: meter, nil).0 ?? meter.limit else { return nil }
        let ids = meterIDs(meter)
        let (burns, reserved) = burns(meter, ids)
        let timeline = timeline(of: meter)
        return burnDown(
            meter, nil, limit, resets(meter, ids), burns + reserved, timeline,
            now: timeline.period(at: context.at))
    }

    /// How many credits of a lineage are left; `nil`: it has no credits, or no meter burns them.
    func creditLeft(ofLineage name: String) -> Int64? {
        let filled = catalog.meters.first { meter in
            meter.kind == .counter && credits(meter).contains { haveSameBytes($0.lineage, name) }
        }
        // What begins later, or was given away before, is not there.
        return filled.flatMap(burnedDown).map { $0.credits[name] ?? 0 }
    }

    /// The meter's name and aliases, as far as any event has them.
    func meterIDs(_ meter: Meter) -> [NameID] { context.names.ids(of: meter) }

    /// What burns quota, each ref once, and what is reserved at the asked time.
    private func burns(_ meter: Meter, _ ids: [NameID]) -> (burns: [Burn], reserved: [Burn]) {
        let reversed = Reversals(context.state.usage).targets(of: ids)
        var seen = ReferenceSet(expecting: context.state.usage.entries.count)
        var burns: [Burn] = []
        burns.reserveCapacity(context.state.usage.entries.count)
        for entry in context.state.usage.entries where ids.contains(entry.meter) {
            if !entry.reference.isNone, !seen.insert(entry.reference) { continue }
            if !reversed.isEmpty {
                if reversed.contains(entry.key) { continue }
                if !entry.reference.isNone, reversed.contains(entry.reference) { continue }
            }
            if entry.coveredBy != 0 { continue }
            burns.append(
                Burn(at: entry.at, amount: max(0, entry.amount), profile: entry.profile))
        }
        let reserved = reservations(ids, reversed, &burns)
        return (burns, reserved)
    }

    /// What is set aside at the asked time; what was committed burns from when it was set aside (rule 12).
    private func reservations(
        _ ids: [NameID], _ reversed: Set<Reference>, _ burns: inout [Burn]
    ) -> [Burn] {
        if context.state.usage.reservations.isEmpty { return [] }
        let usage = context.state.usage
        var reserved: [Burn] = []
        let outcomes = usage.firstOutcomes
        var seen: Set<Reference> = []
        for reservation in usage.reservations where seen.insert(reservation.id).inserted {
            guard ids.contains(reservation.meter), reservation.coveredBy == 0 else { continue }
            // A commit after the end came too late: the units went back at the end (E56, E57).
            let first = outcomes[reservation.id]
            let outcome = first.flatMap { $0.at < reservation.expiresAt ? $0 : nil }
            let names = [reservation.id, reservation.key, outcome?.key ?? reservation.id]
            guard !names.contains(where: reversed.contains) else { continue }
            if let outcome {
                guard outcome.isCommit else { continue }
                let amount = outcome.amount.orNil ?? reservation.amount
                burns.append(reservation.burn(of: amount))
            } else if reservation.at <= context.at, context.at < reservation.expiresAt {
                reserved.append(reservation.burn(of: reservation.amount))
            }
        }
        return reserved
    }
}

extension UsageState.Reservation {
    fileprivate func burn(of amount: Int64) -> Burn {
        Burn(at: at, amount: max(0, amount), profile: profile)
    }
}
