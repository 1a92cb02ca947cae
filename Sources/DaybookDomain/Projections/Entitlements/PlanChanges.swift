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
/// counts continuous service (rules §2.1, `recentSubscriptionStartDate`). An end is no change either, or a refund
/// would be a way to a fresh quota.
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

    /// When a stretch of one product begins that none of the same product leads up to: a purchase, a change of the
    /// product, a return after a lapse (E20); and when a free trial ends in a paid period. A renewal and what is
    /// recovered within grace keep the day (E19).
    /// - Parameter stretches: As for `init`.
    /// - Returns: Ascending, each once.
    static func billingDays(_ stretches: [PlanStretch]) -> [Int64] {
        let trials = joined(stretches.filter(\.isTrial))
        let paid = joined(stretches.filter { !$0.isTrial })
        return Set((trials + paid).map(\.start)).sorted()
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
        var stretches: [PlanStretch] = []
        for line in question.lines {
            for period in facts(of: line).periods(isProvisionalTold: false) {
                guard let product = period.product, product.kind == .autoRenewable,
                    product.scope == .subject, let group = product.group
                else { continue }
                let start = max(period.start, line.ownedFrom)
                guard start <= at else { continue }
                stretches.append(
                    PlanStretch(
                        product: product.id, isTrial: period.fact.isTrial, group: group,
                        start: start,
                        end: min(period.end, line.ownedUntil)))
            }
        }
        return stretches
    }
}
