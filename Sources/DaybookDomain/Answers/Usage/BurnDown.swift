import DaybookEvents

/// One use that burns quota, in canonical order of its time.
struct Burn {
    var at: Int64
    var amount: Int64
    /// The profile that it was for; 0: none in particular.
    var profile: NameID
}

/// Units that were given, by a grant or with a consumable.
struct UnitGrant {
    var amount: Int64
    var startsAt: Int64
    /// Exclusive; `Int64.max` never. A void ends it earlier than was promised.
    var endsAt: Int64
    /// The end that was promised: it alone orders burning, so that a void leaves past burn as it was (E66).
    var promisedEnd: Int64
    var priority: Int64
    var source: String
    var key: String
    /// The only profile whose uses burn it; 0: it is the whole customer's.
    var profile: NameID
    /// Of what is left, the least and the most that stays: at every reset, or where the units come again, then.
    var rollover: (least: Int64, most: Int64)?
    /// With whose periods the units come again; the one that contains the start brings the first.
    var recurrence: PeriodTimeline?
    /// Of credits, the lineage that they were bought with; empty: they were not bought.
    var lineage = ""
    /// Of a grant, its id.
    var id = Reference.none
    /// When and how much of it was taken back.
    var clawback: (at: Int64, amount: Int64)?

    func serves(_ other: NameID) -> Bool { profile == 0 || profile == other }
}

/// Burns usage down against the free quota and grants of one meter (rule 15).
///
/// The free quota is a grant of priority 0 that ends with its period. Each use burns what covers it at its instant
/// (E61). What nothing covers is overage, as is what was used beyond a limit that falls (E60); a limit that rises, or
/// the next grant that starts in the same period, repays it first. What is given to one profile pays for that profile
/// alone.
struct BurnDown {
    /// What a time belongs to.
    struct Segment {
        /// The period as manual resets cut it.
        var stretch: MeterPeriod
        /// The end of the whole period, with which the free quota ends.
        var periodEnd: Int64
    }

    let segment: (Int64) -> Segment
    /// The free quota as it is at an instant.
    let limit: (Int64) -> Int64
    /// The same, where it always was what it is; `nil`: it may have been another one.
    let fixedLimit: Int64?
    /// The starts of stretches in which what was used beyond the limit before counts as used.
    var carriesOverage: Set<Int64> = []
    let allowsDebt: Bool
    /// The profile whose grants count, besides the whole customer's.
    let profile: NameID

    struct Result {
        var freeUsed: Int64 = 0
        var freeRemaining: Int64 = 0
        var grantsRemaining: Int64 = 0
        var overage: Int64 = 0
        var debt: Int64 = 0
        /// Overage of before that counts as used.
        var carried: Int64 = 0
        /// What is left of credits, by the lineage that they were bought with.
        var credits: [String: Int64] = [:]
        /// What is left of each grant that holds at the asked time, for whatever profile it is, by its id.
        var balances: [Reference: Int64] = [:]
    }

    private enum Step {
        case reset
        case start(Int)
        case clawback(Int)
        case burn(Int)
    }

    /// - Parameters:
    ///   - burns: In canonical order.
    ///   - at: Steps after it do not count.
    /// - Complexity: O((*b* + *g*) · *g*) in burns and grants.
    func run(burns: [Burn], grants: [UnitGrant], at: Int64) -> Result {
        if grants.isEmpty, carriesOverage.isEmpty, let result = runFree(burns, at: at) {
            return result
        }
        let grants = grants.sorted(by: Self.burnsBefore)
        var steps: [(at: Int64, rank: Int, step: Step)] = []
        // What was voided before it began was never there to pay for anything.
        for (index, grant) in grants.enumerated()
        where grant.startsAt <= at && grant.startsAt < grant.endsAt {
            steps.append((grant.startsAt, 0, .start(index)))
            if let clawback = grant.clawback, clawback.at <= at {
                steps.append((max(clawback.at, grant.startsAt), 1, .clawback(index)))
            }
        }
        for (index, burn) in burns.enumerated() where burn.at <= at {
            steps.append((burn.at, 2, .burn(index)))
        }
        for instant in carriesOverage where instant <= at { steps.append((instant, 0, .reset)) }
        // Stable: burns of one millisecond keep their canonical order.
        let order = steps.indices.sorted {
            (steps[$0].at, steps[$0].rank, $0) < (steps[$1].at, steps[$1].rank, $1)
        }
        var run = Run(burnDown: self, grants: grants)
        for index in order {
            run.advance(to: steps[index].at)
            switch steps[index].step {
            case .reset: break
            case .start(let grant): run.start(grant)
            case .clawback(let grant): run.clawBack(grant)
            case .burn(let burn): run.burn(burns[burn])
            }
        }
        return run.finish(at: at)
    }

    /// Where nothing but the free quota is burnt, nothing of an earlier stretch is left.
    /// - Returns: `nil` where the burns are not in order of time.
    private func runFree(_ burns: [Burn], at: Int64) -> Result? {
        let stretch = segment(at).stretch
        if let fixedLimit { return Self.runFixed(burns, in: stretch, limit: fixedLimit, at: at) }
        var run = Run(burnDown: self, grants: [])
        var last = Int64.min
        for burn in burns {
            guard burn.at >= last else { return nil }
            last = burn.at
            guard burn.at <= at, stretch.contains(burn.at) else { continue }
            run.enter(burn.at)
            run.burn(burn)
        }
        return run.finish(at: at)
    }

    /// Under one limit it makes no difference which use came first.
    private static func runFixed(
        _ burns: [Burn], in stretch: MeterPeriod, limit: Int64, at: Int64
    ) -> Result {
        var result = Result()
        result.freeRemaining = max(0, limit)
        for burn in burns where burn.at <= at && stretch.contains(burn.at) {
            let burnt = min(burn.amount, result.freeRemaining)
            result.freeUsed += burnt
            result.freeRemaining -= burnt
            result.overage = result.overage.addingSaturated(burn.amount - burnt)
        }
        return result
    }

    /// Priority, earliest end, start, source, key: a total order.
    static func burnsBefore(_ left: UnitGrant, _ right: UnitGrant) -> Bool {
        if left.priority != right.priority { return left.priority < right.priority }
        if left.promisedEnd != right.promisedEnd { return left.promisedEnd < right.promisedEnd }
        if left.startsAt != right.startsAt { return left.startsAt < right.startsAt }
        if left.source != right.source { return precedesInBytes(left.source, right.source) }
        return precedesInBytes(left.key, right.key)
    }

    private struct Run {
        let burnDown: BurnDown
        let grants: [UnitGrant]
        var balances: [Int64]
        /// When the units of each grant come again; `Int64.max` never.
        var nextUnits: [Int64]
        var current: Segment?
        var limit: Int64 = 0
        var free = Portions()
        var overage = Portions()
        var debt: Int64 = 0
        var carried: Int64 = 0

        init(burnDown: BurnDown, grants: [UnitGrant]) {
            self.burnDown = burnDown
            self.grants = grants
            balances = Array(repeating: 0, count: grants.count)
            nextUnits = Array(repeating: Int64.max, count: grants.count)
        }

        /// Goes on to a time, with what comes again until then.
        mutating func advance(to instant: Int64) {
            while let at = nextUnits.min(), at <= instant, at < Int64.max,
                let index = nextUnits.firstIndex(of: at)
            {
                enter(at)
                renew(index, at: at, until: instant)
            }
            enter(instant)
        }

        /// The units of a grant come again, and some of what is left of them stays.
        private mutating func renew(_ index: Int, at instant: Int64, until end: Int64) {
            let before = balances[index]
            let isClear = free.total == 0 && overage.total == 0 && debt == 0
            let (least, most) = grants[index].rollover ?? (0, 0)
            let kept = min(most, max(least, before))
            balances[index] = kept.addingSaturated(grants[index].amount)
            settle(index)
            // Where nothing was used and owed, what changes nothing once changes nothing until something is used. Units
            // that went into what was owed have changed something: the next ones may be left.
            let isSettled = isClear && balances[index] == before
            setNextUnits(of: index, after: isSettled ? end : instant)
        }

        private mutating func setNextUnits(of index: Int, after instant: Int64) {
            guard let recurrence = grants[index].recurrence else { return }
            let next = recurrence.period(at: instant).end
            nextUnits[index] = next < grants[index].endsAt ? next : Int64.max
        }

        mutating func enter(_ instant: Int64) {
            let newLimit = burnDown.limit(instant)
            if let current, current.stretch.contains(instant) {
                if newLimit != limit { change(to: newLimit) }
                return
            }
            let segment = burnDown.segment(instant)
            let former = current
            let start = segment.stretch.start
            // A stretch in which nothing was used leaves nothing over.
            let isNext = former?.stretch.end == start
            let isCarried = isNext && burnDown.carriesOverage.contains(start)
            // By the limit with which it ended, whenever something was used last.
            if isCarried { change(to: burnDown.limit(start - 1)) }
            current = segment
            limit = newLimit
            free = Portions()
            var left = isCarried ? overage : Portions()
            overage = Portions()
            carried = left.total
            guard former != nil else { return }
            // Several periods that passed without a step roll over like one (E65).
            for (index, grant) in grants.enumerated() {
                guard let rollover = grant.rollover, grant.recurrence == nil,
                    grant.startsAt < segment.stretch.start
                else { continue }
                balances[index] = min(rollover.most, max(rollover.least, balances[index]))
            }
            while let part = left.takePart() {
                burn(Burn(at: start, amount: part.amount, profile: part.profile))
            }
        }

        /// The latest uses are the first beyond a limit that falls, the earliest the first within one that rises.
        private mutating func change(to newLimit: Int64) {
            limit = newLimit
            overage.prepend(free.takeLast(free.total - min(free.total, max(0, limit))))
            free.append(overage.takeFirst(max(0, limit - free.total)))
        }

        mutating func start(_ index: Int) {
            balances[index] = grants[index].amount
            settle(index)
            setNextUnits(of: index, after: grants[index].startsAt)
        }

        /// New units pay first what is owed, then what was used beyond everything.
        private mutating func settle(_ index: Int) {
            // What the whole customer owes is nothing to a grant for one profile.
            if grants[index].profile == 0 {
                let paid = min(debt, balances[index])
                debt -= paid
                balances[index] -= paid
            }
            let grant = grants[index]
            balances[index] -= overage.takeFirst(balances[index], where: grant.serves).total
        }

        mutating func clawBack(_ index: Int) {
            let wanted = grants[index].clawback?.amount ?? 0
            let taken = min(balances[index], wanted)
            balances[index] -= taken
            if burnDown.allowsDebt { debt = debt.addingSaturated(wanted - taken) }
        }

        mutating func burn(_ burn: Burn) {
            var rest = burn.amount
            var freeIsDone = false
            let quota = (current?.periodEnd ?? Int64.max, current?.stretch.start ?? Int64.min)
            for (index, grant) in grants.enumerated() where rest > 0 {
                guard grant.serves(burn.profile), grant.startsAt <= burn.at, burn.at < grant.endsAt
                else { continue }
                // The free quota is a grant of priority 0 that ends with its period.
                if !freeIsDone,
                    (0, quota.0, quota.1) <= (grant.priority, grant.promisedEnd, grant.startsAt)
                {
                    burnFree(&rest, burn.profile)
                    freeIsDone = true
                }
                let burnt = min(rest, balances[index])
                balances[index] -= burnt
                rest -= burnt
            }
            if !freeIsDone { burnFree(&rest, burn.profile) }
            overage.append(rest, burn.profile)
        }

        private mutating func burnFree(_ rest: inout Int64, _ profile: NameID) {
            let burnt = min(rest, max(0, limit - free.total))
            free.append(burnt, profile)
            rest -= burnt
        }

        mutating func finish(at instant: Int64) -> Result {
            advance(to: instant)
            var result = Result()
            result.freeUsed = free.total
            result.freeRemaining = max(0, limit - free.total)
            for (index, grant) in grants.enumerated()
            where grant.startsAt <= instant && instant < grant.endsAt {
                if !grant.id.isNone { result.balances[grant.id] = balances[index] }
                guard grant.serves(burnDown.profile) else { continue }
                result.grantsRemaining = result.grantsRemaining.addingSaturated(balances[index])
                if !grant.lineage.isEmpty { result.credits[grant.lineage] = balances[index] }
            }
            result.overage = overage.total
            result.debt = debt
            result.carried = carried
            return result
        }
    }
}
