import DaybookDomain
import DaybookEvents

/// The periods of one counter, cut at resets (rule 14).
struct CounterPeriods {
    private let meter: Meter
    private let context: ReferenceCase
    /// When manual and plan-change resets take effect, ascending.
    private let resets: [Int64]
    /// From when on periods are counted from another time, ascending.
    private let anchors: [(from: Int64, anchor: Int64)]
    /// Resets after which what was used beyond the limit counts as used, ascending.
    let carrying: [Int64]

    init(_ meter: Meter, _ context: ReferenceCase, plans: PlanTimeline) {
        self.meter = meter
        self.context = context
        let names = [meter.name] + meter.aliases
        // A scheduled reset is evidence and folds as nothing. Of several at one instant the last tells how.
        var told: [Int64: KnownEvent] = [:]
        for event in context.events(.usageReset)
        where names.contains(event.text("meter") ?? "")
            && ["manual", "plan_change"].contains(event.word("trigger"))
        {
            if let instant = event.integer("effective_at") { told[instant] = event }
        }
        // E61: no silent reset unless the catalog of that moment says so.
        let changed = plans.changes.filter {
            context.catalog(at: $0)?.meter(named: meter.name)?.resetsOnPlanChange == true
        }
        resets = (told.keys + changed).sorted()
        // At one instant a reset has the last word.
        let moved = told.filter { $0.value.bool("retain_anchor") == false }
            .map { (from: $0.key, anchor: $0.key) }
        let billed = meter.period.anchor == .billing ? plans.billingDays : []
        let all = billed.filter { day in !moved.contains { $0.from == day.from } } + moved
        anchors = all.sorted { ($0.from, $0.anchor) < ($1.from, $1.anchor) }
        carrying = told.filter { $0.value.bool("preserve_overage") == true }.map(\.key).sorted()
    }

    func period(at instant: Int64) -> MeterPeriod {
        guard let length = meter.period.length else { return .lifetime }
        let last = anchors.last { $0.from <= instant }
        let anchor = last?.anchor
        let next = anchors.first { $0.from > instant }?.from ?? Int64.max
        let zone = context.zoneHistory
        let first = context.firstSeenAt
        let counted: Int64? =
            switch meter.period.anchor {
            case .calendar: anchor
            case .firstSeen, .billing: anchor ?? first
            case .instant(let stated): anchor ?? stated
            }
        let period = MeterPeriod.containing(instant, length: length, anchor: counted, in: zone)
        var start = max(period.start, last?.from ?? Int64.min)
        var end = min(period.end, next)
        // The first period of a stated anchor is a short one.
        if case .instant = meter.period.anchor {
            if first <= instant { start = max(start, first) } else { end = min(end, first) }
        }
        return MeterPeriod(number: period.number, start: start, end: end)
    }

    /// From the start of the period, or the last reset in it, to the next reset or the end.
    func segment(at instant: Int64) -> (start: Int64, end: Int64, periodEnd: Int64) {
        let period = period(at: instant)
        let start = resets.last { $0 <= instant } ?? Int64.min
        let next = resets.first { $0 > instant } ?? Int64.max
        return (max(period.start, start), min(period.end, next), period.end)
    }
}
