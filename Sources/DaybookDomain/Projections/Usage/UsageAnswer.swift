import DaybookEvents

/// One meter of one customer at one time.
public struct MeterAnswer: Sendable, Equatable {
    public var name: String
    public var kind: Meter.Kind
    /// The free limit, or the entitled one; `nil` is unlimited. A window: days.
    public var limit: Int64?
    public var used: Int64
    public var reserved: Int64
    /// Free quota and grants that are left, less what is reserved; never negative; `nil` is unlimited.
    public var remaining: Int64?
    /// What was used beyond everything that covers it.
    public var overage: Int64
    /// Units left of grants and credits; part of `remaining`.
    public var granted: Int64
    public var debt: Int64
    /// Gauges: how far above the limit; creating is refused until it is below.
    public var excess: Int64
    /// The period of the asked time; `nil` for lifetime counters, gauges and windows.
    public var period: MeterPeriod?
    public var periodName: String?
    /// When the count last began anew: the period's start or a manual reset.
    public var lastResetAt: Int64?
    /// Windows: the oldest moment that may be seen; `nil` is all of history.
    public var visibleFrom: Int64?
    /// The source that makes it unlimited.
    public var coveredBy: Source?
    /// Gauges over the limit: what stays writable.
    public var writable: [String]
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
public struct UsageAnswer {
    private let question: CustomerCase
    private let entitlements: EntitlementsAnswer
    private let catalog: Catalog
    private let zone: ZoneHistory

    public init?(_ question: CustomerCase, _ entitlements: EntitlementsAnswer) {
        guard let catalog = entitlements.catalog else { return nil }
        self.question = question
        self.entitlements = entitlements
        self.catalog = catalog
        zone = question.zoneHistory(catalog)
    }

    /// Every meter of the catalog, in its order.
    public func meters() -> [MeterAnswer] { catalog.meters.map { answer($0) } }

    public func answer(_ meter: Meter) -> MeterAnswer {
        var answer = MeterAnswer(meter)
        let (limit, source) = limit(of: meter)
        answer.limit = limit
        answer.coveredBy = limit == nil ? source : nil
        switch meter.kind {
        case .counter: count(meter, &answer)
        case .gauge: gauge(meter, &answer)
        case .window: window(meter, &answer)
        }
        return answer
    }

    /// The most generous limit: by an active entitlement or grant, else the free one.
    private func limit(of meter: Meter) -> (Int64?, Source?) {
        guard var best = meter.limit else { return (nil, nil) }
        let active = entitlements.sources.filter(\.isActive)
            .sorted(by: EntitlementsAnswer.isShownBefore)
        // What serves one profile lifts no limit of the whole customer (OL-09).
        for source in active where source.profile == nil {
            if isUnlimited(meter, by: source) { return (nil, source) }
            for rule in meter.limitsWith where source.entitlements.contains(rule.entitlement) {
                best = max(best, rule.limit ?? Int64.max)
            }
        }
        return (best, nil)
    }

    private func isUnlimited(_ meter: Meter, by source: Source) -> Bool {
        if meter.limitsWith.contains(where: {
            $0.limit == nil && source.entitlements.contains($0.entitlement)
        }) {
            return true
        }
        if source.features.contains(where: { $0 == meter.name || $0 == "meter:\(meter.name)" }) {
            return true
        }
        return catalog.features.contains {
            $0.meter == meter.name && source.opens($0.name, catalog)
        }
    }

    /// The period of a time for a meter; lifetime counters have one that never ends.
    public func period(of meter: Meter, at instant: Int64) -> MeterPeriod {
        switch meter.period {
        case .lifetime: .lifetime
        case .calendarMonth: .calendarMonth(containing: instant, in: zone)
        case .anniversary: .anniversary(containing: instant, anchor: question.anchor, in: zone)
        }
    }

    /// `2026-03`, or the number of the anniversary.
    public func periodName(of meter: Meter, _ period: MeterPeriod) -> String? {
        switch meter.period {
        case .lifetime: nil
        case .calendarMonth: MeterPeriod.calendarMonthText(period.number)
        case .anniversary: String(period.number)
        }
    }

    // MARK: Counters

    private func count(_ meter: Meter, _ answer: inout MeterAnswer) {
        let at = question.at
        let period = period(of: meter, at: at)
        if meter.period != .lifetime {
            answer.period = period
            answer.periodName = periodName(of: meter, period)
        }
        let ids = meterIDs(meter)
        let resets = resets(meter, ids)
        let segment = Self.segment(of: period, at: at, resets: resets)
        answer.lastResetAt = segment.start == Int64.min ? nil : segment.start
        let (burns, reserved) = burns(meter, ids)
        answer.reserved = reserved.filter { segment.contains($0.at) }
            .reduce(0) { $0.addingSaturated($1.amount) }
        answer.used = burns.filter { segment.contains($0.at) }
            .reduce(0) { $0.addingSaturated($1.amount) }
        guard let limit = answer.limit else { return }
        let result = BurnDown(
            segment: { instant in
                let period = self.period(of: meter, at: instant)
                let stretch = Self.segment(of: period, at: instant, resets: resets)
                return BurnDown.Segment(
                    stretch: stretch, periodEnd: period.end,
                    limit: self.limit(of: meter, in: stretch, now: limit))
            }, allowsDebt: meter.allowsDebt
        ).run(burns: burns + reserved, grants: grants(meter), at: at)
        answer.granted = result.grantsRemaining
        answer.overage = result.overage
        answer.debt = result.debt
        answer.remaining = result.freeRemaining.addingSaturated(result.grantsRemaining)
        if result.overage > 0 { answer.flags.append("overage") }
    }

    /// When the count began anew within periods: by hand, and with a change of plan where the catalog then in force
    /// said so (rule 14, E61).
    private func resets(_ meter: Meter, _ ids: Set<NameID>) -> [Int64] {
        let told = question.state.usage.resets.filter {
            ids.contains($0.meter) && !$0.isScheduled
        }.map(\.effectiveAt)
        return told
            + entitlements.planChanges.filter { instant in
                let rules = question.catalog(at: instant)?.catalog
                return rules?.meter(named: meter.name)?.resetsOnPlanChange == true
            }
    }

    /// A period as resets cut it: the stretch that contains the time.
    static func segment(of period: MeterPeriod, at instant: Int64, resets: [Int64]) -> MeterPeriod {
        var start = period.start
        var end = period.end
        for reset in resets where reset > period.start && reset < period.end {
            if reset <= instant { start = max(start, reset) } else { end = min(end, reset) }
        }
        return MeterPeriod(number: period.number, start: start, end: end)
    }

    /// What is closed, by its end or by a reset, keeps the limit that ruled at its end (E60).
    ///
    /// Of the entitlements only limits with a number count: what an unlimited source covered says so itself (rule 12).
    private func limit(of meter: Meter, in stretch: MeterPeriod, now limit: Int64) -> Int64 {
        guard stretch.end <= question.at else { return limit }
        var past = question
        past.at = stretch.end - 1
        let old = past.catalog(at: past.at)?.catalog.meter(named: meter.name) ?? meter
        guard var best = old.limit else { return Int64.max }
        let rules = old.limitsWith.filter { $0.limit != nil }
        if rules.isEmpty { return best }
        for source in EntitlementsAnswer(past).sources
        where source.isActive && source.profile == nil {
            for rule in rules where source.entitlements.contains(rule.entitlement) {
                best = max(best, rule.limit ?? best)
            }
        }
        return best
    }

    private func meterIDs(_ meter: Meter) -> Set<NameID> {
        Set(([meter.name] + meter.aliases).compactMap { question.names.id(of: $0) })
    }

    /// What burns quota, each ref once, and what is reserved at the asked time.
    private func burns(_ meter: Meter, _ ids: Set<NameID>) -> (burns: [Burn], reserved: [Burn]) {
        let usage = question.state.usage
        let reversed = Reversals(usage).targets(of: ids)
        var seen: Set<Reference> = []
        var burns: [Burn] = []
        for entry in usage.entries where ids.contains(entry.meter) {
            if !entry.reference.isNone, !seen.insert(entry.reference).inserted { continue }
            if reversed.contains(entry.key) { continue }
            if !entry.reference.isNone, reversed.contains(entry.reference) { continue }
            if entry.coveredBy != 0 { continue }
            burns.append(Burn(at: entry.at, amount: max(0, entry.amount)))
        }
        let reserved = reservations(ids, reversed, &burns)
        return (burns, reserved)
    }

    /// What is set aside at the asked time; what was committed burns from when it was set aside (rule 12).
    private func reservations(
        _ ids: Set<NameID>, _ reversed: Set<Reference>, _ burns: inout [Burn]
    ) -> [Burn] {
        let usage = question.state.usage
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
                burns.append(Burn(at: reservation.at, amount: max(0, amount)))
            } else if reservation.at <= question.at, question.at < reservation.expiresAt {
                reserved.append(Burn(at: reservation.at, amount: max(0, reservation.amount)))
            }
        }
        return reserved
    }

    private func grants(_ meter: Meter) -> [UnitGrant] {
        let names = question.names
        var grants: [UnitGrant] = []
        for grant in question.state.customer.effectiveGrants {
            guard grant.amount != Event.absent, !grant.isUnlimited, grant.entitlement == 0,
                serves(grant, meter)
            else { continue }
            let voided = question.state.customer.voids.filter { $0.id == grant.id }
                .map(\.voidedAt).min()
            let rollover: (Int64, Int64)? =
                grant.rolloverMax == Event.absent
                ? nil : (grant.rolloverMin.orNil ?? 0, grant.rolloverMax)
            grants.append(
                UnitGrant(
                    amount: max(0, grant.amount), startsAt: grant.startsAt,
                    endsAt: min(grant.expiresAt.orNil ?? Int64.max, voided ?? Int64.max),
                    promisedEnd: grant.expiresAt.orNil ?? Int64.max,
                    priority: grant.priority, source: names[grant.source],
                    key: question.text(of: grant.key), rollover: rollover))
        }
        return grants + credits(meter)
    }

    private func serves(_ grant: CustomerState.GrantFact, _ meter: Meter) -> Bool {
        for id in [grant.meter, grant.feature] where id != 0 {
            let name = question.names[id]
            if catalog.meter(named: name)?.name == meter.name { return true }
            if let own = catalog.feature(named: name)?.meter, own == meter.name { return true }
        }
        return false
    }

    /// Bought credits never expire; a refund takes back what is left of its share (rules §2.5).
    private func credits(_ meter: Meter) -> [UnitGrant] {
        question.state.usage.consumables.compactMap { fact in
            // What a unit is worth was promised at the purchase (rule 8), by whatever catalog names it (rule 33).
            let name = question.names[fact.product]
            let product =
                question.catalog(at: fact.at)?.catalog.product(name) ?? catalog.product(name)
            guard !fact.coreRank.isNone, isBelieved(fact), let credits = product?.credits,
                catalog.meter(named: credits.meter)?.name == meter.name
            else { return nil }
            let (amount, overflow) = credits.amount.multipliedReportingOverflow(by: fact.quantity)
            let given = overflow ? Int64.max / 1_000_000 : amount
            var grant = UnitGrant(
                amount: given, startsAt: fact.at, endsAt: Int64.max, promisedEnd: Int64.max,
                priority: 100,
                source: question.names[fact.source], key: question.text(of: fact.key))
            if fact.revokedAt != Event.absent,
                fact.revocationRank.classRank >= fact.coreRank.classRank
            {
                let share = (given.multipliedSaturated(by: fact.refundedMilli) &+ 99_999) / 100_000
                grant.clawback = (fact.revokedAt, min(given, share))
            }
            return grant
        }
    }
}

extension UsageAnswer {
    /// Rule 11: a client's word counts for the catalog's hours after it was first given.
    private func isBelieved(_ fact: UsageState.ConsumableFact) -> Bool {
        guard fact.coreRank.classRank == 0 else { return true }
        let hours = catalog.policies.clientAssertedHours
        guard hours > 0 else { return false }
        let first = fact.firstAssertedAt.orNil ?? fact.at
        return question.at < first.addingSaturated(hours * 3_600_000)
    }
}

extension Int64 {
    /// The product, held at the limits of the type.
    func multipliedSaturated(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? Int64.max - 100_000 : Int64.min) : product
    }
}

extension UsageAnswer {
    // MARK: Gauges and windows

    /// Counts the distinct refs whose latest event is a +1 (rule 13).
    private func gauge(_ meter: Meter, _ answer: inout MeterAnswer) {
        let ids = meterIDs(meter)
        var present: [Reference: Bool] = [:]
        var order: [Reference] = []
        for entry in question.state.usage.entries where ids.contains(entry.meter) {
            let isThere = present[entry.reference] ?? false
            let isAdding = entry.amount > 0
            if isThere == isAdding {
                answer.flags.append(isAdding ? "gauge_duplicate" : "gauge_underflow")
            }
            if present[entry.reference] == nil { order.append(entry.reference) }
            present[entry.reference] = isAdding
        }
        var writable = order.filter { present[$0] == true }.map { question.text(of: $0) }
        if let kind = meter.countsProfiles {
            writable += entitlements.profiles.filter { $0.kind == kind && !$0.isDeleted }
                .map(\.profile).filter { !writable.contains($0) }
        }
        answer.flags = Array(Set(answer.flags)).sorted(by: precedesInBytes)
        answer.used = Int64(writable.count)
        let extra = grants(meter).filter {
            $0.startsAt <= question.at && question.at < $0.endsAt
        }.reduce(Int64(0)) { $0.addingSaturated($1.amount) }
        answer.granted = extra
        guard let limit = answer.limit else { return answer.writable = writable }
        let allowed = limit.addingSaturated(extra)
        answer.limit = allowed
        answer.remaining = max(0, allowed - answer.used)
        answer.excess = max(0, answer.used - allowed)
        if answer.excess > 0 {
            answer.flags.append("over_limit")
            writable = pinnedFirst(writable, ids)
        }
        answer.writable = Array(writable.prefix(Int(clamping: allowed)))
    }

    /// Over the limit the app chooses what stays writable; without a choice it is the oldest (T20).
    private func pinnedFirst(_ items: [String], _ ids: Set<NameID>) -> [String] {
        let pins = question.state.usage.pins.filter { $0.meter == 0 || ids.contains($0.meter) }
            .reversed().map { question.text(of: $0.reference) }
        var ordered: [String] = []
        for item in pins where items.contains(item) && !ordered.contains(item) {
            ordered.append(item)
        }
        return ordered + items.filter { !ordered.contains($0) }
    }

    private func window(_ meter: Meter, _ answer: inout MeterAnswer) {
        guard let days = answer.limit else { return }
        switch meter.windowMode {
        case .rollingMilliseconds:
            answer.visibleFrom = question.at.addingSaturated(-days * 86_400_000)
        case .calendarDays:
            let zone = zone.zone(at: question.at)
            let midnight = CivilDateTime(
                date: zone.civil(at: question.at).date, millisecondOfDay: 0)
            answer.visibleFrom = zone.adding(
                CivilDuration(days: -Int(clamping: days)), to: zone.instant(of: midnight))
        }
    }
}
