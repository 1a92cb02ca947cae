import DaybookEvents

/// One use that burns quota, in canonical order of its time.
struct Burn {
    var at: Int64
    var amount: Int64
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
    var rollover: (least: Int64, most: Int64)?
    /// When and how much of it was taken back.
    var clawback: (at: Int64, amount: Int64)?
}

/// Burns usage down against the free quota and grants of one meter (rule 15).
///
/// The free quota is a grant of priority 0 that ends with its period. What nothing covers is overage; the next
/// grant that starts in the same period repays it first.
struct BurnDown {
    /// What a time belongs to.
    struct Segment {
        /// The period as manual resets cut it.
        var stretch: MeterPeriod
        /// The end of the whole period, with which the free quota ends.
        var periodEnd: Int64
        /// The free quota of the stretch.
        var limit: Int64
    }

    let segment: (Int64) -> Segment
    let allowsDebt: Bool

    struct Result {
        var freeUsed: Int64 = 0
        var freeRemaining: Int64 = 0
        var grantsRemaining: Int64 = 0
        var overage: Int64 = 0
        var debt: Int64 = 0
    }

    private enum Step {
        case start(Int)
        case clawback(Int)
        case burn(Int64)
    }

    /// - Parameters:
    ///   - burns: In canonical order.
    ///   - at: Steps after it do not count.
    /// - Complexity: O((*b* + *g*) · *g*) in burns and grants.
    func run(burns: [Burn], grants: [UnitGrant], at: Int64) -> Result {
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
        for burn in burns where burn.at <= at { steps.append((burn.at, 2, .burn(burn.amount))) }
        // Stable: burns of one millisecond keep their canonical order.
        let order = steps.indices.sorted {
            (steps[$0].at, steps[$0].rank, $0) < (steps[$1].at, steps[$1].rank, $1)
        }
        var run = Run(burnDown: self, grants: grants)
        for index in order { run.take(steps[index].step, at: steps[index].at) }
        return run.finish(at: at)
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
        var current: Segment?
        var limit: Int64 = 0
        var freeUsed: Int64 = 0
        var overage: Int64 = 0
        var debt: Int64 = 0

        init(burnDown: BurnDown, grants: [UnitGrant]) {
            self.burnDown = burnDown
            self.grants = grants
            balances = Array(repeating: 0, count: grants.count)
        }

        mutating func enter(_ instant: Int64) {
            if let current, current.stretch.contains(instant) { return }
            let segment = burnDown.segment(instant)
            let isFirst = current == nil
            current = segment
            limit = segment.limit
            freeUsed = 0
            overage = 0
            guard !isFirst else { return }
            // Several periods that passed without a step roll over like one (E65).
            for (index, grant) in grants.enumerated() {
                guard let rollover = grant.rollover, grant.startsAt < segment.stretch.start else {
                    continue
                }
                balances[index] = min(rollover.most, max(rollover.least, balances[index]))
            }
        }

        mutating func take(_ step: Step, at instant: Int64) {
            enter(instant)
            switch step {
            case .start(let index):
                balances[index] = grants[index].amount
                debt -= pay(debt, from: index)
                overage -= pay(overage, from: index)
            case .clawback(let index):
                let wanted = grants[index].clawback?.amount ?? 0
                let taken = min(balances[index], wanted)
                balances[index] -= taken
                if burnDown.allowsDebt { debt = debt.addingSaturated(wanted - taken) }
            case .burn(let amount): burn(amount, at: instant)
            }
        }

        private mutating func pay(_ owed: Int64, from index: Int) -> Int64 {
            let paid = min(owed, balances[index])
            balances[index] -= paid
            return paid
        }

        private mutating func burn(_ amount: Int64, at instant: Int64) {
            var rest = amount
            var freeIsDone = false
            let quota = (current?.periodEnd ?? Int64.max, current?.stretch.start ?? Int64.min)
            for (index, grant) in grants.enumerated() where rest > 0 {
                guard grant.startsAt <= instant, instant < grant.endsAt else { continue }
                // The free quota is a grant of priority 0 that ends with its period.
                if !freeIsDone,
                    (0, quota.0, quota.1) <= (grant.priority, grant.promisedEnd, grant.startsAt)
                {
                    burnFree(&rest)
                    freeIsDone = true
                }
                let burnt = min(rest, balances[index])
                balances[index] -= burnt
                rest -= burnt
            }
            if !freeIsDone { burnFree(&rest) }
            overage = overage.addingSaturated(rest)
        }

        private mutating func burnFree(_ rest: inout Int64) {
            let burnt = min(rest, max(0, limit - freeUsed))
            freeUsed += burnt
            rest -= burnt
        }

        mutating func finish(at instant: Int64) -> Result {
            enter(instant)
            var result = Result()
            result.freeUsed = freeUsed
            result.freeRemaining = max(0, limit - freeUsed)
            for (index, grant) in grants.enumerated()
            where grant.startsAt <= instant && instant < grant.endsAt {
                result.grantsRemaining = result.grantsRemaining.addingSaturated(balances[index])
            }
            result.overage = overage
            result.debt = debt
            return result
        }
    }
}
