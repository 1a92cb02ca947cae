import DaybookEvents

/// A stretch of time in which a customer held one auto-renewable product.
struct PlanStretch: Equatable {
    var product: String
    /// A free trial: it is billed for the first time when it ends.
    var isTrial = false
    /// Products of one group replace one another; products of two groups are two plans side by side.
    var group: String
    var start: Int64
    /// Exclusive.
    var end: Int64
}

/// When a customer's plan changed: a subscription began, or went on with another product of its group (E61).
///
/// Computed from the same facts as access, never recorded: facts come in any order and may be voided, and a reset that
/// was written when a fact arrived would make the numbers depend on that order (law 1, rule 24).
///
/// A renewal of the same product is no change, and neither is its return after less than 60 days in which no other
/// product of the group began: that is the same subscription, in grace, recovered or taken up again, as the store
/// counts continuous service (docs/rules.md#payloads, `recentSubscriptionStartDate`). An end is no change either, or a
/// refund would be a way to a fresh quota.
struct PlanChanges {
    static let continuityMilliseconds: Int64 = 60 * 86_400_000

    /// Ascending, each once.
    let instants: [Int64]

    /// - Parameter stretches: In any order; those of one product that touch are one.
    /// - Complexity: O(*s*²) in the stretches; a customer has tens of them.
    init(_ stretches: [PlanStretch]) {
        let joined = Self.joined(stretches)
        var found: [Int64] = []
        for (index, stretch) in joined.enumerated()
        where !Self.isReturn(stretch, after: joined[..<index]) && found.last != stretch.start {
            found.append(stretch.start)
        }
        instants = found
    }

    /// Stretches of one product that follow each other without a gap, as one, ascending.
    static func runs(_ stretches: [PlanStretch]) -> [PlanStretch] {
        [true, false].flatMap { isTrial in joined(stretches.filter { $0.isTrial == isTrial }) }
            .sorted { $0.start < $1.start }
    }

    private static func joined(_ stretches: [PlanStretch]) -> [PlanStretch] {
        let ordered = stretches.filter { $0.start < $0.end }.sorted {
            $0.start != $1.start
                ? $0.start < $1.start : precedesInBytes($0.product, $1.product)
        }
        var joined: [PlanStretch] = []
        for stretch in ordered {
            let last = joined.lastIndex {
                $0.product == stretch.product && $0.group == stretch.group
            }
            if let last, stretch.start <= joined[last].end {
                joined[last].end = max(joined[last].end, stretch.end)
            } else {
                joined.append(stretch)
            }
        }
        return joined
    }

    /// Whether the same subscription goes on after a lapse.
    private static func isReturn(
        _ stretch: PlanStretch, after earlier: ArraySlice<PlanStretch>
    ) -> Bool {
        let group = earlier.filter { $0.group == stretch.group }
        guard let end = group.last(where: { $0.product == stretch.product })?.end,
            stretch.start < end.addingSaturated(continuityMilliseconds)
        else { return false }
        return !group.contains { $0.product != stretch.product && $0.start >= end }
    }
}

extension SourceGathering {
    /// What the customer was subscribed to as a whole, while it was this customer's, up to the asked time. A client's
    /// unsigned word changes no plan (MS-65).
    func planStretches() -> [PlanStretch] {
        context.lineages.flatMap { lineage in
            planStretches(of: lineage).flatMap { whole in
                lineage.stretches.compactMap { part -> PlanStretch? in
                    var stretch = whole
                    stretch.start = max(whole.start, part.from)
                    stretch.end = min(whole.end, part.until)
                    return stretch.start < stretch.end && stretch.start <= at ? stretch : nil
                }
            }
        }
    }

    /// When a stretch of one product begins that does not continue one of the same lineage and product: a purchase, a
    /// change of the product, a return after a lapse (E20); and when a free trial ends in a paid period. A renewal and
    /// what is recovered within grace keep the day (E19).
    /// - Returns: Ascending by the time from which each counts.
    func billingDays() -> [BillingDay] {
        var days: Set<BillingDay> = []
        for lineage in context.lineages {
            for run in PlanChanges.runs(planStretches(of: lineage)) {
                for part in lineage.stretches where part.from < run.end && run.start < part.until {
                    let from = max(run.start, part.from)
                    if from <= at { days.insert(BillingDay(from: from, anchor: run.start)) }
                }
            }
        }
        return days.sorted { ($0.from, $0.anchor) < ($1.from, $1.anchor) }
    }

    private func planStretches(of lineage: CustomerCase.OwnedLineage) -> [PlanStretch] {
        let periods = facts(of: lineage).periods(isProvisionalTold: false).filter { period in
            period.product?.kind == .autoRenewable && period.product?.scope == .subject
                && period.product?.group != nil
        }
        return periods.enumerated().compactMap { index, period in
            guard let product = period.product, let group = product.group, period.start <= at
            else { return nil }
            let next = index + 1 < periods.count ? periods[index + 1].start : nil
            return PlanStretch(
                product: product.id, isTrial: period.fact.isTrial, group: group,
                start: period.start, end: Self.end(of: period, before: next, lineage.state))
        }
    }

    /// What is recovered within grace goes on without a gap.
    private static func end(
        of period: LineagePeriod, before next: Int64?, _ lineage: LineageState
    ) -> Int64 {
        guard let next, period.end < next, period.end == period.naturalEnd,
            let notice = lineage.billingNotice(at: next - 1, since: period.fact.startsAt),
            let grace = notice.graceExpiresAt.orNil, next <= grace
        else { return period.end }
        return next
    }
}
