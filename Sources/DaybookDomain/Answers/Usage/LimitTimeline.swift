import DaybookEvents

/// Which limit of one meter was in force when: each use is attributed to what covered it at that instant (E61), and a
/// closed period keeps the limit that it had (E60).
///
/// Of the entitlements only limits with a number count: what an unlimited source covered says so itself (rule 12).
struct LimitTimeline {
    private let context: CustomerCase
    private let meter: Meter
    /// Of the asked time.
    private let now: Int64
    /// Times at which a limit may change, ascending.
    private let changes: [Int64]
    private let hasNumbers: Bool
    /// One catalog, and no limit that comes and goes: it always was what it is.
    let isConstant: Bool
    /// The stretch that was looked at last: `until` is exclusive.
    private var known: (from: Int64, until: Int64, limit: Int64)?

    init(_ meter: Meter, _ context: CustomerCase, now: Int64) {
        self.meter = meter
        self.context = context
        self.now = now
        let versions = context.catalogs.versions
        func hasNumbers(_ meter: Meter?) -> Bool {
            meter?.limitsWith.contains { $0.limit != nil } ?? false
        }
        // The meter is of a catalog in force, and of one alone there is no other.
        self.hasNumbers =
            versions.count == 1
            ? hasNumbers(meter)
            : versions.contains { hasNumbers($0.catalog.meter(named: meter.name)) }
        isConstant = versions.count == 1 && !self.hasNumbers
        let own = self.hasNumbers ? Self.instants(of: context) : []
        changes = isConstant ? [] : Set(own + versions.map(\.effectiveAt)).sorted()
    }

    /// - Complexity: That of gathering the customer's sources once for each stretch between two changes, when asked in
    ///   ascending order.
    mutating func limit(at instant: Int64) -> Int64 {
        if isConstant || instant >= context.at { return now }
        if let known, known.from <= instant, instant < known.until { return known.limit }
        let past = context.with(at: instant)
        let rules = past.catalog(at: instant)?.catalog.meter(named: meter.name) ?? meter
        var until = nextChange(after: instant)
        var limit = rules.limit ?? Int64.max
        if rules.limit != nil, hasNumbers {
            let gathering = SourceGathering(past)
            for source in gathering.sources() {
                let edges = [source.startsAt, source.expiresAt].compactMap(\.self)
                until = min(until, edges.filter { $0 > instant }.min() ?? Int64.max)
                guard source.isActive, source.profile == nil, let catalog = gathering.catalog,
                    let number = MeterShare(of: source, in: rules, catalog).number
                else { continue }
                limit = max(limit, number)
            }
        }
        known = (instant, until, limit)
        return limit
    }

    private func nextChange(after instant: Int64) -> Int64 {
        let index = changes.sortedPrefixCount { $0 <= instant }
        let change = index < changes.count ? changes[index] : Int64.max
        return min(change, context.catalogPeriodEnd(after: instant))
    }

    /// Every time at which something that the customer has may begin or end, besides those that a source tells itself.
    private static func instants(of context: CustomerCase) -> [Int64] {
        let retry: Int64 = 60 * 86_400_000
        let hours = Set(context.catalogs.versions.map { $0.catalog.policies.clientAssertedHours })
        var times: [Int64] = []
        for lineage in context.lineages {
            times += lineage.stretches.flatMap { [$0.from, $0.until] }
            for fact in lineage.state.transactions {
                times += [fact.startsAt, fact.expiresAt, fact.revokedAt, fact.endedAt]
                times.append(fact.expiresAt.orNil?.addingSaturated(retry) ?? Event.absent)
                guard let first = fact.firstAssertedAt.orNil ?? fact.startsAt.orNil else {
                    continue
                }
                times += hours.map { first.addingSaturated($0 * 3_600_000) }
            }
            for change in lineage.state.extensions {
                times += [change.newExpiresAt, change.newExpiresAt.addingSaturated(retry)]
            }
            times += [lineage.state.billing.at, lineage.state.billing.value.graceExpiresAt]
            for notice in lineage.state.formerNotices {
                times += [notice.at, notice.until, notice.value.graceExpiresAt]
            }
        }
        let customer = context.state.customer
        times += customer.grants.flatMap { [$0.startsAt, $0.expiresAt] }
        times += customer.voids.map(\.voidedAt)
        times += customer.overrides.flatMap { [$0.at, $0.expiresAt] }
        return times.filter { $0 != Event.absent }
    }
}
