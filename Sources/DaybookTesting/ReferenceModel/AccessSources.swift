import DaybookDomain
import DaybookEvents

/// Every reason for access that the customer has at the asked time, on or off.
struct AccessSources {
    private let question: ReferenceCase
    private let catalog: Catalog
    private let overrides: DebugOverrides
    private let assignments: Assignments
    /// In the order of display.
    private(set) var all: [AccessSource] = []

    init(_ question: ReferenceCase, _ catalog: Catalog, _ profiles: ReferenceProfiles) {
        self.question = question
        self.catalog = catalog
        overrides = DebugOverrides(question)
        assignments = Assignments(question, profiles)
        var sources = debugSources() + grantSources() + nonRenewingSources()
        for line in question.lines {
            let facts = LineFacts(name: line.name, events: line.events)
            let transactions = counting(facts)
            sources += subscriptionSources(facts, transactions)
            sources += nonConsumableSources(facts, transactions)
        }
        all = sources.sorted(by: AccessSource.isShownFirst)
    }

    /// The transactions of a line that count at T.
    func counting(_ facts: LineFacts) -> [TransactionFacts] {
        facts.transactions(question.kind).filter { transaction in
            // Rule 10: clear hides facts that start before it.
            guard transaction.startsAt >= overrides.hiddenBefore else { return false }
            // DZ-23: a shared purchase of a product that cannot be shared is no source.
            if transaction.isFamilyShared,
                catalog.product(transaction.product)?.familyShareable == false
            {
                return false
            }
            return Self.isBelieved(
                transaction, hours: catalog.policies.clientAssertedHours, at: question.at)
        }
    }

    /// Rule 11: a client's word counts until its own end or some hours after it was first given.
    static func isBelieved(
        _ transaction: TransactionFacts, hours: Int64, at instant: Int64
    ) -> Bool {
        guard let assertedAt = transaction.assertedAt else { return true }
        // MS-65: by default it never counts, not even before it was given.
        guard hours > 0 else { return false }
        return instant < min(transaction.statedEnd ?? Int64.max, assertedAt + hours * 3_600_000)
    }

    private func subscriptionSources(
        _ facts: LineFacts, _ transactions: [TransactionFacts]
    ) -> [AccessSource] {
        let line = SubscriptionLine(
            facts: facts, transactions: transactions.filter { $0.kind == .autoRenewable },
            policies: catalog.policies)
        guard var standing = line.standing(at: question.at) else { return [] }
        if standing.state == "trial", !overrides.active("expire_trial").isEmpty,
            // Rule 10: as if T were the trial's end.
            let expired = line.standing(at: standing.period.end)
        {
            standing = expired
        }
        let transaction = standing.period.facts
        let source = AccessSource(
            displayClass: transaction.isFamilyShared ? 3 : 2, name: facts.name,
            state: standing.state, isActive: standing.isActive,
            end: standing.end == Int64.max ? nil : standing.end, willRenew: standing.willRenew,
            entitlements: catalog.product(transaction.product)?.entitlements ?? [])
        return served(source, by: transaction)
    }

    /// rules.md §2.5: an unbounded source that a refund ends.
    private func nonConsumableSources(
        _ facts: LineFacts, _ transactions: [TransactionFacts]
    ) -> [AccessSource] {
        transactions.filter { $0.kind == .nonConsumable && $0.startsAt <= question.at }
            .flatMap { oneTimeSources(facts.name, $0, end: nil, activeState: "lifetime") }
    }

    /// rules.md §2.5: the duration promised at the start, each after the one before or beside it.
    private func nonRenewingSources() -> [AccessSource] {
        let all = question.lines.flatMap { line in
            let facts = LineFacts(name: line.name, events: line.events)
            return counting(facts).filter { $0.kind == .nonRenewing }.map { (line.name, $0) }
        }
        var sources: [AccessSource] = []
        var ends: [String: Int64] = [:]
        for (name, transaction) in all.sorted(by: { Self.isBoughtFirst($0.1, $1.1) }) {
            let bought = transaction.startsAt
            // Rule 8: what was promised is read from the catalog in force at that start.
            guard let product = question.catalog(at: bought)?.product(transaction.product),
                let duration = product.duration
            else { continue }
            let start = product.extendsCurrent ? max(bought, ends[product.id] ?? bought) : bought
            var end = question.zoneHistory.zone(at: bought).adding(duration, to: start)
            if let revokedAt = transaction.revokedAt, !keepsAccess(transaction) {
                end = min(end, revokedAt)
            }
            ends[product.id] = max(end, ends[product.id] ?? end)
            guard start <= question.at else { continue }
            sources += oneTimeSources(name, transaction, end: end, activeState: "active")
        }
        return sources
    }

    private static func isBoughtFirst(_ left: TransactionFacts, _ right: TransactionFacts) -> Bool {
        left.startsAt != right.startsAt
            ? left.startsAt < right.startsAt : precedes(left.transaction, right.transaction)
    }

    private func keepsAccess(_ transaction: TransactionFacts) -> Bool {
        transaction.isProrated && catalog.policies.proratedRefundKeepsAccess
    }

    private func oneTimeSources(
        _ name: String, _ transaction: TransactionFacts, end: Int64?, activeState: String
    ) -> [AccessSource] {
        var end = end
        var state = activeState
        if let revokedAt = transaction.revokedAt, !keepsAccess(transaction) {
            end = min(end ?? Int64.max, revokedAt)
            if revokedAt <= question.at {
                let isRevoked = transaction.isRevocation || transaction.isFamilyShared
                state = isRevoked ? "revoked" : "refunded"
            }
        }
        let isActive = question.at < end ?? Int64.max
        if !isActive, state == activeState { state = "expired" }
        let displayClass =
            transaction.isFamilyShared ? 3 : transaction.kind == .nonConsumable ? 1 : 2
        let source = AccessSource(
            displayClass: displayClass, name: name, state: state, isActive: isActive, end: end,
            willRenew: false,
            entitlements: catalog.product(transaction.product)?.entitlements ?? [])
        return served(source, by: transaction)
    }

    /// OL-09: a product for one profile serves the profile that it is assigned to, and nobody else.
    private func served(
        _ source: AccessSource, by transaction: TransactionFacts
    ) -> [AccessSource] {
        guard catalog.product(transaction.product)?.scope == .profile else { return [source] }
        // OL-26: a shared purchase serves a profile only where the catalog says so.
        if transaction.isFamilyShared, !catalog.policies.familyServesOneProfile { return [] }
        var source = source
        source.isForProfile = true
        source.profile = assignments.profile(
            ofTransaction: transaction.transaction, at: question.at)
        return [source]
    }

    private func grantSources() -> [AccessSource] {
        Grants(question).all.compactMap { grant in
            guard grant.meter == nil, grant.startsAt <= question.at else { return nil }
            let isActive = question.at < grant.end
            let entitlement = grant.event.text("entitlement")
            var source = AccessSource(
                displayClass: 4, name: grant.event.text("grant_id") ?? "",
                state: isActive ? "grant" : "expired", isActive: isActive,
                end: grant.end == Int64.max ? nil : grant.end, willRenew: false,
                entitlements: entitlement.map { [$0] } ?? [])
            source.feature = grant.event.text("feature").map {
                catalog.feature(named: $0)?.name ?? $0
            }
            source.profile = grant.event.profile
            source.isForProfile = grant.event.profile != nil
            return source
        }
    }

    /// Rule 10: force is one more source.
    private func debugSources() -> [AccessSource] {
        overrides.active("force_entitlement").map { override in
            AccessSource(
                displayClass: 0, name: "debug", state: "debug", isActive: true, end: override.end,
                willRenew: false,
                entitlements: override.value.map { [$0] } ?? catalog.entitlements.map(\.name))
        }
    }

    /// The sources of an entitlement that serve the customer as a whole.
    func ofEntitlement(_ name: String) -> [AccessSource] {
        all.filter { !$0.isForProfile && $0.entitlements.contains(name) }
    }

    /// rules.md §2.2: on if any source is on; the end is the latest, none if one has none.
    func answer(_ entitlement: String) -> ReferenceAnswer.Entitlement {
        let sources = ofEntitlement(entitlement)
        let active = sources.filter(\.isActive)
        let ends = active.map(\.end)
        return ReferenceAnswer.Entitlement(
            isActive: !active.isEmpty, state: sources.first?.state ?? "none",
            expiresAt: ends.contains(nil) ? nil : ends.compactMap(\.self).max(),
            willRenew: sources.first?.willRenew ?? false)
    }
}
