import DaybookEvents

/// Collects the sources of one customer: lineages, grants, free periods, debug overrides.
struct SourceGathering {
    let context: CustomerCase
    let catalog: Catalog?
    let zone: ZoneHistory
    let debug: DebugLayer
    let profiles: [ProfileAnswer]
    private let assignments: Assignments
    /// The time at which sources are judged: the trial's end under a debug override (rule 10), else the asked one.
    private(set) var at: Int64

    init(_ context: CustomerCase) {
        self.context = context
        catalog = context.catalog(at: context.at)?.catalog
        zone = catalog.map { context.zoneHistory($0) } ?? ZoneHistory(initial: .utc)
        debug = DebugLayer(context)
        profiles = ProfileAnswer.all(context)
        assignments = Assignments(context)
        at = context.at
        guard debug.expiresTrial else { return }
        let trials = lineages().map(\.periods).joined().filter {
            $0.fact.isTrial && $0.contains(context.at)
        }
        at = trials.map(\.end).max() ?? context.at
    }

    func sources() -> [Source] {
        var sources = lineageSources() + lineagesOfBefore() + grants() + freePeriods()
        sources += debug.forced.map { force in
            var source = Source(kind: .debug, id: "debug.force_entitlement")
            source.entitlements =
                force.value.isEmpty ? catalog?.entitlements.map(\.name) ?? [] : [force.value]
            source.state = .active
            source.isActive = true
            source.startsAt = force.at
            source.expiresAt = force.until
            return source
        }
        return sources
    }

    // MARK: Lineages

    private func isOwned(_ lineage: CustomerCase.OwnedLineage) -> Bool {
        lineage.isOwned(at: context.at)
    }

    func facts(of lineage: CustomerCase.OwnedLineage) -> LineagePeriods {
        LineagePeriods(
            lineage: lineage.state, names: context.names, catalog: catalog, at: at,
            hiddenBefore: debug.clearedAt)
    }

    private func lineages() -> [(
        lineage: CustomerCase.OwnedLineage, facts: LineagePeriods, periods: [LineagePeriod]
    )] {
        let owned = context.lineages.filter(isOwned)
        let facts = owned.map { self.facts(of: $0) }
        var periods = facts.map { $0.periods() }
        NonRenewingStack(context: context, catalog: catalog, zone: zone).place(&periods)
        return owned.indices.map { (owned[$0], facts[$0], periods[$0]) }
    }

    private func lineageSources() -> [Source] {
        if context.lineages.isEmpty { return [] }
        return lineages().flatMap { lineage, facts, periods -> [Source] in
            // What has no beginning cannot have begun after it was cleared.
            if debug.clearedAt != nil, facts.facts.isEmpty { return [] }
            let answer = LineageAnswer(owned: lineage, facts: facts, periods: periods, at: at)
            return answer.sources().map { source in
                var source = source
                assign(&source, lineage)
                return source
            }
        }
    }

    /// Lineages of another customer at this time (rule 7): listed, but their state is not this customer's.
    private func lineagesOfBefore() -> [Source] {
        context.lineages.filter { !isOwned($0) }.compactMap { lineage in
            guard let fact = facts(of: lineage).facts.last(where: { $0.startsAt <= at }) else {
                return nil
            }
            var source = Source(kind: .subscription, id: lineage.name)
            source.product = context.names[fact.product]
            source.transaction = fact.id.exactText
            source.entitlements = catalog?.product(source.product ?? "")?.entitlements ?? []
            source.startsAt = lineage.ownedFrom == Int64.min ? fact.startsAt : lineage.ownedFrom
            source.expiresAt = lineage.ownedUntil
            source.why = .transferred
            assign(&source, lineage)
            return source
        }
    }

    /// A purchase for one profile serves none until it is assigned (T1).
    private func assign(_ source: inout Source, _ lineage: CustomerCase.OwnedLineage) {
        guard let product = catalog?.product(source.product ?? ""), product.scope == .profile else {
            return
        }
        let transactions = Set(lineage.state.transactions.map(\.id))
        let profile = assignments.profile(of: transactions, at: at)
        source.profile = profile ?? ""
        if profile == nil, source.isActive {
            source.isActive = false
            source.why = .needsAssignment
        }
    }

    // MARK: Grants and free periods

    private func grants() -> [Source] {
        if context.state.customer.grants.isEmpty { return [] }
        let voids = context.state.customer.voidTimes
        return context.state.customer.effectiveGrants.compactMap { grant in
            if isUnits(grant) { return nil }
            var source = Source(kind: .grant, id: context.text(of: grant.id))
            let entitlement = context.names[grant.entitlement]
            let feature = context.names[grant.feature]
            let meter = context.names[grant.meter]
            source.entitlements = entitlement.isEmpty ? [] : [entitlement]
            if !feature.isEmpty {
                source.features = [catalog?.feature(named: feature)?.name ?? feature]
            }
            if grant.meter != 0, grant.isUnlimited {
                source.features.append("meter:" + (catalog?.meter(named: meter)?.name ?? meter))
            }
            source.profile = grant.profile == 0 ? nil : context.names[grant.profile]
            source.startsAt = grant.startsAt
            let voided = voids[grant.id]
            let end = min(grant.expiresAt.orNil ?? Int64.max, voided ?? Int64.max)
            source.expiresAt = end == Int64.max ? nil : end
            source.isActive = grant.startsAt <= at && at < end
            source.state = source.isActive ? .active : .expired
            if at < grant.startsAt {
                source.state = .pending
                source.why = .notStarted
            } else if !source.isActive {
                source.state = voided.map { $0 <= at } == true ? .voided : .expired
                source.why = source.state == .voided ? .grantVoided : .expired
            }
            return source
        }
    }

    /// A grant of units belongs to a meter and is burnt there; one of an entitlement is access, whatever its amount.
    private func isUnits(_ grant: CustomerState.GrantFact) -> Bool {
        guard grant.amount != Event.absent, !grant.isUnlimited, grant.entitlement == 0 else {
            return false
        }
        let feature = context.names[grant.feature]
        return grant.meter != 0 || catalog?.meter(named: feature) != nil
            || catalog?.feature(named: feature)?.meter != nil
    }

    /// What was promised when the profile began, opening what the catalog in force now calls by that name (rule 8).
    private func freePeriods() -> [Source] {
        guard let catalog else { return [] }
        var sources: [Source] = []
        for profile in profiles where !profile.isDeleted {
            let start = profile.startedAt
            let promised = context.catalog(at: start)?.catalog.freePeriods ?? []
            for rule in promised where rule.profileKind == profile.kind {
                let end = zone.zone(at: start).adding(rule.duration, to: start)
                var source = Source(kind: .freePeriod, id: rule.name)
                source.features = catalog.freePeriod(rule.name)?.features ?? rule.features
                source.profile = profile.profile
                source.startsAt = start
                source.expiresAt = end
                source.isActive = start <= at && at < end
                source.state = source.isActive ? .active : at < start ? .pending : .expired
                source.why = source.isActive ? nil : at < start ? .notStarted : .freePeriodExpired
                sources.append(source)
            }
        }
        return sources
    }
}

extension CustomerState {
    /// The grants, each id once: the first in canonical order.
    var effectiveGrants: [GrantFact] {
        var seen: Set<Reference> = []
        return grants.filter { seen.insert($0.id).inserted }
    }

    /// When each grant was first withdrawn.
    var voidTimes: [Reference: Int64] {
        Dictionary(voids.map { ($0.id, $0.voidedAt) }, uniquingKeysWith: min)
    }
}
