import DaybookDomain
import DaybookEvents

/// Every reason for access that the customer has at the asked time, on or off.
struct AccessSources {
    private let context: ReferenceCase
    private let catalog: Catalog
    private let overrides: DebugOverrides
    private let assignments: Assignments
    /// The time at which sources are judged: rule 10, as if T were the trial's end.
    private var at: Int64
    /// In the order of display.
    private(set) var all: [AccessSource] = []

    init(_ context: ReferenceCase, _ catalog: Catalog, _ profiles: ReferenceProfiles) {
        self.context = context
        self.catalog = catalog
        overrides = DebugOverrides(context)
        assignments = Assignments(context, profiles)
        at = context.at
        if !overrides.active("expire_trial").isEmpty {
            let standings = lineages.flatMap {
                subscription($0, counting($0)).standings(at: context.at, told: context.at)
            }
            let ends = standings.filter { $0.state == "trial" }.map(\.period.end)
            at = ends.max() ?? context.at
        }
        var sources = debugSources() + grantSources() + nonRenewingSources()
        for lineage in lineages {
            let transactions = counting(lineage)
            let own =
                subscriptionSources(lineage, transactions)
                + nonConsumableSources(lineage, transactions)
            sources += own.isEmpty ? placeholder(lineage) + announced(lineage, transactions) : own
        }
        sources += profiles.all.flatMap { freePeriodSources($0, profiles) }
        all = sources.sorted(by: AccessSource.isShownFirst)
    }

    private var lineages: [LineageFacts] { context.lineages }

    /// The transactions of a lineage that count at T.
    func counting(_ facts: LineageFacts) -> [TransactionFacts] {
        facts.transactions.filter { transaction in
            // Rule 10: clear hides facts that start before it.
            transaction.startsAt >= overrides.hiddenBefore && !transaction.isConsumable
                && counts(transaction)
        }
    }

    /// DZ-23: a shared purchase of a product that cannot be shared is no source; OL-26: nor does it serve a profile
    /// where the catalog does not say so.
    private func isShareable(_ transaction: TransactionFacts) -> Bool {
        guard transaction.isFamilyShared, let product = catalog.product(transaction.product) else {
            return true
        }
        return product.familyShareable
            && (product.scope != .profile || catalog.policies.familyServesOneProfile)
    }

    // MARK: Lineages

    private func subscription(
        _ facts: LineageFacts, _ transactions: [TransactionFacts]
    ) -> SubscriptionLineage {
        SubscriptionLineage(
            facts: facts, transactions: transactions.filter { $0.kind == .autoRenewable },
            policies: catalog.policies, groups: { [catalog] in catalog.product($0)?.group })
    }

    private func subscriptionSources(
        _ facts: LineageFacts, _ transactions: [TransactionFacts]
    ) -> [AccessSource] {
        let lineage = subscription(facts, transactions)
        let standings = lineage.standings(at: at, told: context.at)
        // Of two that end together, the one that began later is shown.
        return standings.sorted { $0.period.start > $1.period.start }.map { standing in
            var source = source(
                facts, standing.period.facts, displayClass: 2, state: standing.state,
                isActive: standing.isActive, end: standing.end, willRenew: standing.willRenew)
            source.startsAt = standing.period.start
            if standing.state == "trial" {
                // MS-40: 7 to 0; a begun day counts whole.
                let left = standing.period.expiresAt - at
                source.trialDays = left / 86_400_000 + (left % 86_400_000 > 0 ? 1 : 0)
            }
            return source
        }
    }

    /// A subscription that was reported and begins later.
    private func announced(
        _ facts: LineageFacts, _ transactions: [TransactionFacts]
    ) -> [AccessSource] {
        guard facts.events.contains(where: { $0.occurredAt <= at }) else { return [] }
        let periods = subscription(facts, transactions).periods.filter { at < $0.start }
        let sources = periods.sorted { $0.start < $1.start }.compactMap {
            waiting(facts, $0.facts, from: $0.start, until: $0.end)
        }
        return Array(sources.prefix(1))
    }

    /// Access that begins at a later time.
    private func waiting(
        _ facts: LineageFacts, _ transaction: TransactionFacts, from start: Int64, until end: Int64
    ) -> AccessSource? {
        var source = source(
            facts, transaction, displayClass: 2, state: "pending", isActive: false, end: end,
            willRenew: false)
        source.startsAt = start
        return start < source.end ?? Int64.max && catalog.product(transaction.product) != nil
            ? source : nil
    }

    /// docs/rules.md#one-time-purchases: an unbounded source that a refund ends.
    private func nonConsumableSources(
        _ facts: LineageFacts, _ transactions: [TransactionFacts]
    ) -> [AccessSource] {
        transactions.filter { $0.kind == .nonConsumable && $0.startsAt <= at }.map {
            oneTimeSource(facts, $0, end: Int64.max, activeState: "lifetime", displayClass: 1)
        }
    }

    /// docs/rules.md#one-time-purchases: the duration promised at the start, each after the one before or beside it.
    private func nonRenewingSources() -> [AccessSource] {
        let all = lineages.flatMap { lineage in
            counting(lineage).filter { $0.kind == .nonRenewing }.map { (lineage, $0) }
        }
        var sources: [AccessSource] = []
        var ends: [String: Int64] = [:]
        for (lineage, transaction) in all.sorted(by: { Self.isBoughtFirst($0.1, $1.1) }) {
            let bought = transaction.startsAt
            // Rule 8: what was promised is read from the catalog in force at that start; rule 33: or from the one that
            // names the product now.
            guard let product = product(transaction, at: bought), let duration = product.duration
            else { continue }
            var start = product.extendsCurrent ? max(bought, ends[product.id] ?? bought) : bought
            var end = context.zoneHistory.zone(at: bought).adding(duration, to: start)
            if let revokedAt = transaction.revokedAt, !transaction.keepsAccess(catalog.policies) {
                start = min(start, max(bought, revokedAt))
                end = max(start, min(end, revokedAt))
            }
            ends[product.id] = max(end, ends[product.id] ?? end)
            if at < start, bought <= at {
                sources += [waiting(lineage, transaction, from: start, until: end)].compactMap(
                    \.self)
            }
            guard start <= at else { continue }
            var source = oneTimeSource(
                lineage, transaction, end: end, activeState: "active", displayClass: 2)
            source.startsAt = start
            sources.append(source)
        }
        return sources
    }

    private static func isBoughtFirst(_ left: TransactionFacts, _ right: TransactionFacts) -> Bool {
        left.startsAt != right.startsAt
            ? left.startsAt < right.startsAt : precedes(left.transaction, right.transaction)
    }

    private func product(_ transaction: TransactionFacts, at instant: Int64) -> Product? {
        context.catalog(at: instant)?.product(transaction.product)
            ?? catalog.product(transaction.product)
    }

    private func oneTimeSource(
        _ facts: LineageFacts, _ transaction: TransactionFacts, end: Int64, activeState: String,
        displayClass: Int
    ) -> AccessSource {
        var end = end
        var state = activeState
        if let revokedAt = transaction.revokedAt, !transaction.keepsAccess(catalog.policies) {
            end = max(transaction.startsAt, min(end, revokedAt))
            if revokedAt <= at {
                let isRevoked = transaction.isRevocation || transaction.isFamilyShared
                state = isRevoked ? "revoked" : "refunded"
            }
        }
        if state == activeState, at >= end { state = "expired" }
        return source(
            facts, transaction, displayClass: displayClass, state: state,
            isActive: state == activeState, end: end, willRenew: false)
    }

    /// A lineage of which nothing counts: a client's word that is not believed (rule 11), or a renewal without a period
    /// (NZ-08).
    private func placeholder(_ facts: LineageFacts) -> [AccessSource] {
        let begun = facts.transactions.filter {
            // Rule 6: credits give no access, whatever a later statement calls the product.
            overrides.hiddenBefore <= $0.startsAt && $0.startsAt <= at && !$0.isConsumable
        }
        if let transaction = begun.last(where: { $0.kind != .nonRenewing || !counts($0) }) {
            guard isShareable(transaction) else { return [] }
            let until = transaction.believedUntil(hours: catalog.policies.clientAssertedHours)
            let isLifetime = catalog.product(transaction.product)?.kind == .nonConsumable
            return [
                source(
                    facts, transaction, displayClass: isLifetime ? 1 : 2, state: "unverified",
                    isActive: false,
                    end: max(transaction.startsAt, until), willRenew: false)
            ]
        }
        // Rule 10: a source without a beginning cannot have begun after it was cleared.
        guard overrides.hiddenBefore == Int64.min,
            case .some(let product) = facts.unknownProduct(at: context.at)
        else { return [] }
        let named = product.flatMap { catalog.product($0) }
        let source = AccessSource(
            displayClass: 2, name: facts.name, state: "pending", isActive: false, end: nil,
            willRenew: false, entitlements: named?.entitlements ?? [])
        return [scoped(source, facts, named)]
    }

    private func counts(_ transaction: TransactionFacts) -> Bool {
        isShareable(transaction)
            && at < transaction.believedUntil(hours: catalog.policies.clientAssertedHours)
    }

    /// OL-09: a product for one profile serves the profile that it is assigned to, and no other.
    private func source(
        _ facts: LineageFacts, _ transaction: TransactionFacts, displayClass: Int, state: String,
        isActive: Bool, end: Int64, willRenew: Bool
    ) -> AccessSource {
        let product = catalog.product(transaction.product)
        let believed = transaction.believedUntil(hours: catalog.policies.clientAssertedHours)
        // Rule 11: a client's word ends with what it counts for.
        let end = state == "unverified" ? end : min(end, believed)
        var source = AccessSource(
            displayClass: transaction.isFamilyShared ? 3 : displayClass, name: facts.name,
            state: state, isActive: isActive && product != nil,
            end: end == Int64.max ? nil : end, willRenew: willRenew,
            entitlements: product?.entitlements ?? [])
        source.product = transaction.product
        source.startsAt = transaction.startsAt
        return scoped(source, facts, product)
    }

    private func scoped(
        _ source: AccessSource, _ facts: LineageFacts, _ product: Product?
    ) -> AccessSource {
        guard product?.scope == .profile else { return source }
        var source = source
        source.isForProfile = true
        source.profile = assignments.profile(ofAny: facts.transactionNames, at: at)
        return source
    }

    // MARK: Others

    private func grantSources() -> [AccessSource] {
        Grants(context).all.compactMap { grant in
            // Units are burned and give no access (rule 15).
            if grant.isUnits(catalog) { return nil }
            let isActive = grant.startsAt <= at && at < grant.end
            let ended = (grant.voidedAt ?? Int64.max) <= at ? "voided" : "expired"
            var source = AccessSource(
                displayClass: 4, name: grant.event.text("grant_id") ?? "",
                state: isActive ? "active" : at < grant.startsAt ? "pending" : ended,
                isActive: isActive, end: grant.end == Int64.max ? nil : grant.end,
                willRenew: false,
                entitlements: grant.event.text("entitlement").map { [$0] } ?? [])
            source.features =
                grant.event.text("feature").map {
                    [catalog.feature(named: $0)?.name ?? $0]
                } ?? []
            if grant.event.bool("unlimited") == true {
                source.meter = grant.event.text("meter").flatMap { catalog.meter(named: $0)?.name }
            }
            source.startsAt = grant.startsAt
            source.profile = grant.event.profile
            source.isForProfile = grant.event.profile != nil
            return source
        }
    }

    /// Rule 25: computed, for a profile that exists; locked after it.
    private func freePeriodSources(
        _ profile: ReferenceProfiles.Profile, _ profiles: ReferenceProfiles
    ) -> [AccessSource] {
        guard profile.exists(at: context.at) else { return [] }
        return profiles.freePeriods(of: profile, context, catalog).map { period in
            let isActive = profile.startsAt <= at && at < period.end
            var source = AccessSource(
                displayClass: 5, name: period.name,
                state: isActive ? "active" : at < profile.startsAt ? "pending" : "expired",
                isActive: isActive, end: period.end, willRenew: false, entitlements: [])
            source.features = period.features
            source.startsAt = profile.startsAt
            source.profile = profile.name
            source.isForProfile = true
            return source
        }
    }

    /// Rule 10: force is one more source.
    private func debugSources() -> [AccessSource] {
        overrides.active("force_entitlement").map { override in
            var source = AccessSource(
                displayClass: 0, name: "debug", state: "active", isActive: true, end: override.end,
                willRenew: false,
                entitlements: override.value.map { [$0] } ?? catalog.entitlements.map(\.name))
            source.startsAt = override.setAt
            return source
        }
    }

    /// The sources that serve a profile, or the customer as a whole.
    func serving(_ profile: String?) -> [AccessSource] {
        all.filter { !$0.isForProfile || $0.profile != nil && $0.profile == profile }
    }

    /// docs/rules.md#display: on if any source is on; the end is the latest of those and of what begins before it, none
    /// if one has none.
    func answer(
        _ entitlement: String, profile: String? = nil
    ) -> ReferenceAnswer.Entitlement {
        let sources = serving(profile).filter { $0.entitlements.contains(entitlement) }
        let active = sources.filter(\.isActive)
        var end = active.map { $0.end ?? Int64.max }.max() ?? Int64.min
        let waiting = sources.filter { $0.state == "pending" && $0.startsAt != nil }
        while let next = waiting.first(where: {
            $0.startsAt ?? Int64.max <= end && $0.end ?? Int64.max > end
        }) {
            end = next.end ?? Int64.max
        }
        return ReferenceAnswer.Entitlement(
            isActive: !active.isEmpty, state: sources.first?.state ?? "none",
            expiresAt: active.isEmpty || end == Int64.max ? nil : end,
            willRenew: sources.first?.willRenew ?? false, trialDays: sources.first?.trialDays)
    }
}
