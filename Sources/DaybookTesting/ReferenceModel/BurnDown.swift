import DaybookDomain
import DaybookEvents

/// Units that can be burned: a grant, or what a consumable is worth.
private struct Credit {
    let event: KnownEvent
    let priority: Int64
    let start: Int64
    /// The promised end, which decides the order: a later void leaves past burn alone (E66).
    let statedEnd: Int64
    /// Exclusive: the promised end or the void.
    let end: Int64
    let amount: Int64
    var balance: Int64
    /// The only profile whose uses burn it; `nil`: those of every profile do.
    var profile: String?
    /// When a refund takes back how much (docs/rules.md#one-time-purchases).
    var clawback: (at: Int64, amount: Int64)?

    func isActive(at instant: Int64) -> Bool { start <= instant && instant < end }

    /// How often the units come again; `nil`: once.
    var every: String? { event.text("every") }

    func serves(_ other: String?) -> Bool { profile == nil || profile == other }

    /// What stays of the balance when the meter or the grant begins anew.
    /// - Parameter usual: The most, where the grant does not say it.
    func kept(orMost usual: Int64) -> Int64 {
        let rollover = event.fields["rollover"]?.object
        let most = rollover?["max"]?.integer ?? usual
        return min(most, max(rollover?["min"]?.integer ?? 0, balance))
    }

    /// Rule 15: (priority, earliest end, starts, source, key).
    static func isBurnedFirst(_ left: Credit, _ right: Credit) -> Bool {
        (left.priority, left.statedEnd, left.start, left.event.identity)
            < (right.priority, right.statedEnd, right.start, right.event.identity)
    }
}

/// The free quota of one period, or of the part of it since a manual reset.
private struct FreeQuota {
    let start: Int64
    let end: Int64
    /// As it is at the time of the walk; `Int64.max` is unlimited.
    var limit: Int64
    /// The profile of each unit that it paid for, in the order of the uses.
    var paid: [String?] = []
    /// The profile of each unit that nothing covers, in the order of the uses.
    var open: [String?] = []

    /// E60: what lies beyond a limit that falls is not covered any more, the latest first; a limit that rises covers
    /// what was not, the earliest first.
    mutating func change(to newLimit: Int64) {
        limit = newLimit
        while Int64(paid.count) > max(0, limit) { open.insert(paid.removeLast(), at: 0) }
        while Int64(paid.count) < limit, !open.isEmpty { paid.append(open.removeFirst()) }
    }
}

/// One counter, burned use by use in the order in which it happened (rules 12, 14, 15).
struct BurnDown {
    private let meter: Meter
    private let context: ReferenceCase
    private let periods: CounterPeriods
    private let currentLimit: Int64?
    /// The best limit with a number that an entitlement gave at an instant.
    private let entitledLimit: (Int64) -> Int64?
    private let profile: String?
    /// Overage from before a reset that counts as used after it, by the start of the quota.
    private var carried: [Int64: Int] = [:]
    private var credits: [Credit] = []
    private var quotas: [Int64: FreeQuota] = [:]
    private var debt: Int64 = 0

    /// - Parameter currentLimit: Of the period that contains the asked time; `nil`: unlimited.
    init(
        _ meter: Meter, currentLimit: Int64?, _ context: ReferenceCase, _ catalog: Catalog,
        plans: PlanTimeline, profile: String?, entitledLimit: @escaping (Int64) -> Int64?
    ) {
        self.profile = profile
        self.meter = meter
        self.context = context
        self.currentLimit = currentLimit
        self.entitledLimit = entitledLimit
        periods = CounterPeriods(meter, context, plans: plans)
        credits =
            Self.grants(meter, context, catalog) + Self.consumables(meter, context, catalog)
        credits.sort(by: Credit.isBurnedFirst)
    }

    private static func grants(
        _ meter: Meter, _ context: ReferenceCase, _ catalog: Catalog
    ) -> [Credit] {
        Grants(context).all.filter {
            $0.isUnits(catalog) && $0.meter(catalog) == meter.name
        }.map { grant in
            Credit(
                event: grant.event, priority: grant.event.integer("priority") ?? 100,
                start: grant.startsAt,
                statedEnd: grant.event.integer("expires_at") ?? Int64.max, end: grant.end,
                amount: max(0, grant.event.integer("amount") ?? 0), balance: 0,
                profile: grant.event.profile)
        }
    }

    /// docs/rules.md#one-time-purchases: units per item times quantity, which never expire.
    private static func consumables(
        _ meter: Meter, _ context: ReferenceCase, _ catalog: Catalog
    ) -> [Credit] {
        context.everOwned.flatMap { lineage -> [Credit] in
            lineage.facts.transactions.filter(\.isConsumable).flatMap { transaction -> [Credit] in
                // Rule 8: what a unit is worth was promised at the start; rule 33: or by the catalog that names it now.
                let product =
                    context.catalog(at: transaction.startsAt)?.product(transaction.product)
                    ?? catalog.product(transaction.product)
                let hours = catalog.policies.clientAssertedHours
                guard let worth = product?.credits, worth.meter == meter.name,
                    context.at < transaction.believedUntil(hours: hours)
                else { return [] }
                let bought = worth.amount * max(0, transaction.purchase.integer("quantity") ?? 1)
                return lineage.ownings.map { part in
                    // The former owner keeps what was used of it, the new one has what was left.
                    let came = min(bought, part.unitsIn ?? bought)
                    return credit(
                        transaction, max(0, came - (part.unitsOut ?? 0)), from: part.from,
                        until: part.until)
                }
            }
        }
    }

    private static func credit(
        _ transaction: TransactionFacts, _ amount: Int64, from: Int64, until: Int64
    ) -> Credit {
        // Claws back ceil(granted × percentage).
        let share = min(max(0, transaction.refundedPercentMilli), 100_000)
        let clawedBack = (amount * share + 99_999) / 100_000
        return Credit(
            event: transaction.purchase, priority: 100, start: max(from, transaction.startsAt),
            statedEnd: Int64.max, end: until, amount: amount, balance: 0,
            clawback: transaction.revokedAt.map {
                (max($0, from, transaction.startsAt), clawedBack)
            })
    }

    /// Walks through time until T and tells what is left.
    mutating func answer() -> ReferenceAnswer.Meter {
        let uses = CounterUses(meter, context).all
        for step in steps(uses).sorted(by: Step.isEarlier) { apply(step, uses) }
        let current = periods.segment(at: context.at)
        let quota = quota(at: context.at)
        let isUnlimited = currentLimit == nil
        let active = credits.filter { $0.isActive(at: context.at) && $0.serves(profile) }
            .map(\.balance)
        let mine = uses.filter { current.start <= $0.at && $0.at < current.end }
        let period = periods.period(at: context.at)
        return ReferenceAnswer.Meter(
            limit: isUnlimited ? nil : currentLimit,
            used: mine.filter { !$0.isReserved }.map(\.amount).reduce(0, +)
                + (isUnlimited ? 0 : Int64(carried[current.start] ?? 0)),
            reserved: mine.filter(\.isReserved).map(\.amount).reduce(0, +),
            remaining: isUnlimited
                ? nil : max(0, quota.limit - Int64(quota.paid.count)) + active.reduce(0, +),
            overage: isUnlimited ? 0 : Int64(quota.open.count),
            granted: isUnlimited ? 0 : active.reduce(0, +), debt: isUnlimited ? 0 : debt,
            periodStart: period.start, periodEnd: period.end)
    }

    /// One thing that happens to the balances.
    private struct Step {
        enum Kind: Int { case rollover, carry, renewal, start, clawback, use }
        let at: Int64
        let kind: Kind
        /// The credit in burn order, or the use in canonical order.
        let index: Int

        static func isEarlier(_ left: Step, _ right: Step) -> Bool {
            (left.at, left.kind.rawValue, left.index)
                < (right.at, right.kind.rawValue, right.index)
        }
    }

    private func steps(_ uses: [CounterUses.Use]) -> [Step] {
        var steps = uses.indices.map { Step(at: uses[$0].at, kind: .use, index: $0) }
        steps += periods.carrying.map { Step(at: $0, kind: .carry, index: 0) }
        for (index, credit) in credits.enumerated() where credit.start < credit.end {
            steps.append(Step(at: credit.start, kind: .start, index: index))
            if let clawback = credit.clawback {
                steps.append(Step(at: clawback.at, kind: .clawback, index: index))
            }
            if let every = credit.every {
                steps += renewals(credit, every).map { Step(at: $0, kind: .renewal, index: index) }
                continue
            }
            guard credit.event.fields.value(at: ["rollover", "max"]) != nil else { continue }
            // E65: at every reset, be it due or manual.
            var boundary = periods.segment(at: credit.start).end
            while boundary <= context.at, boundary < credit.end {
                steps.append(Step(at: boundary, kind: .rollover, index: index))
                boundary = periods.segment(at: boundary).end
            }
        }
        return steps.filter { $0.at <= context.at }
    }

    private mutating func apply(_ step: Step, _ uses: [CounterUses.Use]) {
        switch step.kind {
        case .rollover: rollOver(step.index)
        case .carry: carry(at: step.at)
        case .renewal: renew(step.index, at: step.at)
        case .start:
            credits[step.index].balance = credits[step.index].amount
            settle(step.index, at: step.at)
        case .clawback: clawBack(step.index)
        case .use:
            burn(uses[step.index].amount, of: uses[step.index].event.profile, at: step.at)
        }
    }

    /// E65: new = min(maxRollover, max(minRollover, balance)).
    private mutating func rollOver(_ index: Int) {
        credits[index].balance = credits[index].kept(orMost: Int64.max)
    }

    /// Every length after the start on the wall clock, or with every period of the meter.
    private func renewals(_ credit: Credit, _ every: String) -> [Int64] {
        var instants: [Int64] = []
        var last = credit.start
        while true {
            if let length = CivilDuration(iso8601: every).flatMap(PeriodLength.init) {
                last =
                    MeterPeriod.containing(
                        last, length: length, anchor: credit.start, in: context.zoneHistory
                    ).end
            } else {
                last = periods.period(at: last).end
            }
            guard last <= context.at, last < credit.end else { return instants }
            instants.append(last)
        }
    }

    /// Of what is left, nothing stays unless the grant says so; the same units come on top.
    private mutating func renew(_ index: Int, at instant: Int64) {
        credits[index].balance = credits[index].kept(orMost: 0) + credits[index].amount
        settle(index, at: instant)
    }

    /// What the period that ends there had used beyond everything is used in the next one.
    private mutating func carry(at instant: Int64) {
        guard var former = quotas.values.first(where: { isEnding($0, at: instant) }) else { return }
        former.change(to: limit(at: instant - 1))
        carried[instant] = former.open.count
        for user in former.open { burn(1, of: user, at: instant) }
    }

    private func isEnding(_ quota: FreeQuota, at instant: Int64) -> Bool {
        quota.start < instant && periods.segment(at: quota.start).end == instant
    }

    /// New units first pay what is owed, then the overage of the period (E67, M04).
    private mutating func settle(_ index: Int, at instant: Int64) {
        if credits[index].profile == nil {
            let paid = min(debt, credits[index].balance)
            debt -= paid
            credits[index].balance -= paid
        }
        var quota = quota(at: instant)
        quota.open = quota.open.filter { owed in
            guard credits[index].balance > 0, credits[index].serves(owed) else { return true }
            credits[index].balance -= 1
            return false
        }
        quotas[quota.start] = quota
    }

    /// E67: capped at the balance; the shortfall is a debt where the catalog allows one.
    private mutating func clawBack(_ index: Int) {
        guard let clawback = credits[index].clawback else { return }
        let taken = min(clawback.amount, credits[index].balance)
        credits[index].balance -= taken
        if meter.allowsDebt { debt += clawback.amount - taken }
    }

    private mutating func burn(_ amount: Int64, of user: String?, at instant: Int64) {
        // E61: attributed to what covers it at that instant.
        var quota = quota(at: instant)
        var rest = amount
        func take(_ balance: Int64) -> Int64 {
            let taken = min(rest, balance)
            rest -= taken
            return balance - taken
        }
        func burnQuota() {
            while rest > 0, Int64(quota.paid.count) < quota.limit {
                quota.paid.append(user)
                rest -= 1
            }
        }
        var isQuotaBurned = false
        for index in credits.indices
        where credits[index].isActive(at: instant) && credits[index].serves(user) {
            // The free quota is a grant with priority 0 that ends with its period.
            let credit = credits[index]
            let isAfterQuota =
                (0, quota.end, quota.start) <= (credit.priority, credit.statedEnd, credit.start)
            if isAfterQuota, !isQuotaBurned {
                burnQuota()
                isQuotaBurned = true
            }
            credits[index].balance = take(credits[index].balance)
        }
        if !isQuotaBurned { burnQuota() }
        quota.open += Array(repeating: user, count: Int(rest))
        quotas[quota.start] = quota
    }

    private func quota(at instant: Int64) -> FreeQuota {
        let segment = periods.segment(at: instant)
        var quota =
            quotas[segment.start]
            ?? FreeQuota(start: segment.start, end: segment.periodEnd, limit: 0)
        quota.change(to: limit(at: instant))
        return quota
    }

    /// E60: closed periods keep the old limit, because at each instant the limit of that instant rules. Rule 12:
    /// unlimited entitlements are left out, because the uses that they cover say so themselves.
    private func limit(at instant: Int64) -> Int64 {
        if instant == context.at, let currentLimit { return currentLimit }
        let old = context.catalog(at: instant)?.meter(named: meter.name) ?? meter
        return old.limit.map { max($0, entitledLimit(instant) ?? $0) } ?? Int64.max
    }
}
