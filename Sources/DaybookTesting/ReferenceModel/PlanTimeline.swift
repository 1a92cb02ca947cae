import DaybookDomain
import DaybookEvents

/// What a customer was subscribed to, moment by moment, and when that changed (E61).
struct PlanTimeline {
    private struct Holding {
        let product: String
        let group: String
        let start: Int64
        /// Exclusive.
        let end: Int64
    }

    private let holdings: [Holding]
    /// When a plan began, ascending.
    private(set) var changes: [Int64] = []
    /// From when on a lineage is billed on a day, ascending, and the first such day.
    private(set) var billingDays: [(from: Int64, anchor: Int64)] = []

    init(_ context: ReferenceCase, _ catalog: Catalog, _ sources: AccessSources) {
        holdings = Self.holdings(context, catalog, sources)
        let starts = Set(holdings.map(\.start)).filter { $0 <= context.at }.sorted()
        let products = Set(holdings.map(\.product))
        changes = starts.filter { instant in
            products.contains { begins($0, at: instant) && !goesOn($0, at: instant) }
        }
        billingDays = Self.billingDays(context, catalog, sources)
    }

    private func isHeld(_ product: String, at instant: Int64) -> Bool {
        holdings.contains {
            $0.product == product && $0.start <= instant && instant < $0.end
        }
    }

    private func begins(_ product: String, at instant: Int64) -> Bool {
        isHeld(product, at: instant) && !isHeld(product, at: instant - 1)
    }

    /// The same product after less than 60 days, with no other of its group begun in between (docs/rules.md#payloads).
    private func goesOn(_ product: String, at instant: Int64) -> Bool {
        let earlier = holdings.filter { $0.product == product && $0.end <= instant }
        guard let last = earlier.map(\.end).max(), instant - last < 60 * 86_400_000 else {
            return false
        }
        let others = holdings.filter {
            $0.group == earlier[0].group && $0.product != product && $0.start >= last
                && $0.start < instant
        }
        return !others.contains { begins($0.product, at: $0.start) }
    }

    /// The paid periods of every lineage, as long as this person owned it.
    private static func holdings(
        _ context: ReferenceCase, _ catalog: Catalog, _ sources: AccessSources
    ) -> [Holding] {
        let handovers = context.history.events.filter { $0.type == .purchaseTransferred }
            .map(\.occurredAt)
        var holdings: [Holding] = []
        for facts in context.history.lineages {
            let ownings = context.history.ownings[facts.name] ?? []
            for period in periods(facts, catalog, sources) where period.start < period.end {
                guard let product = catalog.product(period.facts.product),
                    product.scope == .subject, let group = product.group
                else { continue }
                let cuts = handovers.filter { period.start < $0 && $0 < period.end }.sorted()
                let starts = [period.start] + cuts
                for (start, end) in zip(starts, cuts + [period.end]) {
                    guard let owner = ownings.last(where: { $0.from <= start })?.owner,
                        context.person.contains(owner)
                    else { continue }
                    holdings.append(
                        Holding(
                            product: product.id, group: group, start: start, end: end))
                }
            }
        }
        return holdings
    }

    /// The paid periods of a lineage, without those that only a client tells of.
    private static func periods(
        _ facts: LineageFacts, _ catalog: Catalog, _ sources: AccessSources
    ) -> [PaidPeriod] {
        let transactions = sources.counting(facts).filter {
            $0.kind == .autoRenewable && $0.assertedAt == nil
        }
        return SubscriptionLineage(
            facts: facts, transactions: transactions, policies: catalog.policies,
            groups: { catalog.product($0)?.group }
        ).periods
    }

    /// Every paid or free stretch of a product on a lineage that does not touch one before it (E20), for each time at
    /// which this person owned the lineage. Within grace the lineage goes on (E19).
    private static func billingDays(
        _ context: ReferenceCase, _ catalog: Catalog, _ sources: AccessSources
    ) -> [(from: Int64, anchor: Int64)] {
        var days: [(from: Int64, anchor: Int64)] = []
        for owned in context.everOwned {
            let facts = owned.facts
            let periods = periods(facts, catalog, sources).filter {
                let product = catalog.product($0.facts.product)
                return product?.scope == .subject && product?.group != nil
            }
            var ends = periods.map(\.end)
            for index in periods.indices.dropLast() {
                let next = periods[index + 1].start
                let isGrace =
                    facts.billingNotice(at: min(next - 1, context.at)).map {
                        $0.occurredAt >= periods[index].facts.startsAt
                            && $0.graceExpiresAt ?? Int64.min >= next
                    } ?? false
                let isWhole = periods[index].end == periods[index].expiresAt
                if isGrace, isWhole { ends[index] = max(ends[index], next) }
            }
            for (index, period) in periods.enumerated()
            where period.start < ends[index] && period.start <= context.at {
                let isGoingOn = periods.indices.contains {
                    periods[$0].facts.product == period.facts.product
                        && periods[$0].facts.isTrial == period.facts.isTrial
                        && periods[$0].start < period.start && period.start <= ends[$0]
                }
                if isGoingOn { continue }
                // The run goes on as long as its stretches touch.
                var end = ends[index]
                while let more = periods.indices.first(where: {
                    periods[$0].facts.product == period.facts.product
                        && periods[$0].facts.isTrial == period.facts.isTrial
                        && periods[$0].start <= min(end, context.at)
                        && period.start <= periods[$0].start
                        && ends[$0] > end
                }) {
                    end = ends[more]
                }
                for part in owned.ownings where part.from < end && period.start < part.until {
                    let from = max(period.start, part.from)
                    if from <= context.at { days.append((from, period.start)) }
                }
            }
        }
        return days.sorted { ($0.from, $0.anchor) < ($1.from, $1.anchor) }
    }
}
