import DaybookEvents

/// When the count of one meter began anew besides the ends of its periods.
struct CounterResets {
    /// In any order.
    var instants: [Int64]
    /// Those after which what was used beyond the limit counts as used.
    var preserving: Set<Int64>

    /// A period as resets cut it: the stretch that contains the time.
    func segment(of period: MeterPeriod, at instant: Int64) -> MeterPeriod {
        var start = period.start
        var end = period.end
        for reset in instants where reset > period.start && reset < period.end {
            if reset <= instant { start = max(start, reset) } else { end = min(end, reset) }
        }
        return MeterPeriod(number: period.number, start: start, end: end)
    }
}

extension UsageAnswer {
    // MARK: Periods and resets

    /// The period of a time for a meter; lifetime counters have one that never ends.
    public func period(of meter: Meter, at instant: Int64) -> MeterPeriod {
        timeline(of: meter).period(at: instant)
    }

    /// `2026-03`, or the day on which the period began.
    public func periodName(of meter: Meter, _ period: MeterPeriod) -> String? {
        timeline(of: meter).name(of: period)
    }

    func timeline(of meter: Meter) -> PeriodTimeline {
        let name = meter.name
        for known in timelines where haveSameBytes(known.meter, name) { return known.timeline }
        let timeline = madeTimeline(of: meter)
        timelines.append((name, timeline))
        return timeline
    }

    private func madeTimeline(of meter: Meter) -> PeriodTimeline {
        let length = meter.period.length
        guard length != nil else { return PeriodTimeline(nil, anchor: nil, in: zone) }
        // What was recorded of a reset stands in the order of time; of several at one instant the last decides.
        let told = decidedResets(meterIDs(meter))
        let moves =
            told.isEmpty
            ? []
            : told.filter(\.value.movesAnchor).map { BillingDay(from: $0.key, anchor: $0.key) }
        switch meter.period.anchor {
        case .calendar: return PeriodTimeline(length, anchor: nil, moves: moves, in: zone)
        case .firstSeen:
            return PeriodTimeline(length, anchor: context.anchor, moves: moves, in: zone)
        case .billing:
            return PeriodTimeline(
                length, anchor: context.anchor, moves: entitlements.billingDays + moves, in: zone)
        case .instant(let instant):
            return PeriodTimeline(
                length, anchor: instant, cut: context.anchor, moves: moves, in: zone)
        }
    }

    private func decidedResets(_ ids: [NameID]) -> [Int64: UsageState.Reset] {
        var resets: [Int64: UsageState.Reset] = [:]
        for reset in context.state.usage.resets where !reset.isScheduled {
            if ids.contains(reset.meter) { resets[reset.effectiveAt] = reset }
        }
        return resets
    }

    /// When the count began anew within periods: by hand, and with a change of plan where the catalog then in force
    /// said so (rule 14, E61).
    func resets(_ meter: Meter, _ ids: [NameID]) -> CounterResets {
        let told = decidedResets(ids)
        let planned = planResets(meter)
        // Most counters go through whole periods, and no table is made for them.
        if told.isEmpty { return CounterResets(instants: planned, preserving: []) }
        return CounterResets(
            instants: told.keys + planned,
            preserving: Set(told.filter(\.value.preservesOverage).map(\.key)))
    }

    func planResets(_ meter: Meter) -> [Int64] {
        entitlements.planChanges.filter { instant in
            let rules = context.catalog(at: instant)?.catalog
            return rules?.meter(named: meter.name)?.resetsOnPlanChange == true
        }
    }

    // MARK: Readings

    /// What was read last, whatever was read before it.
    func reading(_ meter: Meter, _ profile: String?, _ answer: inout MeterAnswer) {
        let ids = meterIDs(meter)
        let reversed = Reversals(context.state.usage).targets(of: ids)
        let last = context.state.usage.entries.last { entry in
            ids.contains(entry.meter) && !reversed.contains(entry.key)
                && (entry.reference.isNone || !reversed.contains(entry.reference))
        }
        answer.used = max(0, last?.amount ?? 0)
        let asked = profile.flatMap { context.names.id(of: $0) } ?? 0
        answer.granted = unitsGiven(meter, to: asked)
        guard let limit = answer.limit else { return }
        let allowed = limit.addingSaturated(answer.granted)
        answer.limit = allowed
        answer.remaining = max(0, allowed - answer.used)
        answer.excess = max(0, answer.used - allowed)
        if answer.excess > 0 { answer.flags.append("over_limit") }
    }

    /// Units that are given at the asked time, on a meter that burns none.
    func unitsGiven(_ meter: Meter, to profile: NameID) -> Int64 {
        grants(meter).filter {
            $0.startsAt <= context.at && context.at < $0.endsAt && $0.serves(profile)
        }.reduce(Int64(0)) { $0.addingSaturated($1.amount) }
    }
}
