import DaybookEvents

extension UsageAnswer {
    // MARK: Grants and credits

    /// What can be burned on a meter besides its free quota: grants, each id once, and credits.
    func grants(_ meter: Meter) -> [UnitGrant] {
        let names = question.names
        let customer = question.state.customer
        let voids = customer.voidTimes
        var grants: [UnitGrant] = []
        for grant in customer.effectiveGrants {
            guard grant.amount != Event.absent, !grant.isUnlimited, grant.entitlement == 0,
                serves(grant, meter)
            else { continue }
            let voided = voids[grant.id]
            let rollover: (Int64, Int64)? =
                grant.rolloverMax == Event.absent
                ? nil : (grant.rolloverMin.orNil ?? 0, grant.rolloverMax)
            grants.append(
                UnitGrant(
                    amount: max(0, grant.amount), startsAt: grant.startsAt,
                    endsAt: min(grant.expiresAt.orNil ?? Int64.max, voided ?? Int64.max),
                    promisedEnd: grant.expiresAt.orNil ?? Int64.max,
                    priority: grant.priority, source: names[grant.source],
                    key: question.text(of: grant.key), profile: grant.profile,
                    rollover: rollover))
        }
        return grants + credits(meter)
    }

    /// A grant counts on one meter: the one that it names, by whatever name, else the one that counts its feature.
    private func serves(_ grant: CustomerState.GrantFact, _ meter: Meter) -> Bool {
        for id in [grant.meter, grant.feature] where id != 0 {
            let name = question.names[id]
            let own = catalog.meter(named: name)?.name ?? catalog.feature(named: name)?.meter
            if let own { return own == meter.name }
        }
        return false
    }

    /// Bought credits never expire; a refund takes back what is left of its share (rules §2.5).
    private func credits(_ meter: Meter) -> [UnitGrant] {
        question.state.usage.consumables.compactMap { fact in
            // What a unit is worth was promised at the purchase (rule 8), by whatever catalog names it (rule 33).
            let name = question.names[fact.product]
            let product =
                question.catalog(at: fact.at)?.catalog.product(name) ?? catalog.product(name)
            guard !fact.coreRank.isNone, isBelieved(fact), let credits = product?.credits,
                catalog.meter(named: credits.meter)?.name == meter.name
            else { return nil }
            let (amount, overflow) = credits.amount.multipliedReportingOverflow(by: fact.quantity)
            let given = overflow ? Int64.max / 1_000_000 : amount
            var grant = UnitGrant(
                amount: given, startsAt: fact.at, endsAt: Int64.max, promisedEnd: Int64.max,
                priority: 100,
                source: question.names[fact.source], key: question.text(of: fact.key),
                profile: 0)
            if fact.revokedAt != Event.absent,
                fact.revocationRank.classRank >= fact.coreRank.classRank
            {
                let share = (given.multipliedSaturated(by: fact.refundedMilli) &+ 99_999) / 100_000
                grant.clawback = (fact.revokedAt, min(given, share))
            }
            return grant
        }
    }
}

extension UsageAnswer {
    /// Rule 11: a client's word counts for the catalog's hours after it was first given.
    private func isBelieved(_ fact: UsageState.ConsumableFact) -> Bool {
        guard fact.coreRank.classRank == 0 else { return true }
        let hours = catalog.policies.clientAssertedHours
        guard hours > 0 else { return false }
        let first = fact.firstAssertedAt.orNil ?? fact.at
        return question.at < first.addingSaturated(hours * 3_600_000)
    }
}

extension CustomerState {
    /// When each grant was first withdrawn.
    var voidTimes: [Reference: Int64] {
        Dictionary(voids.map { ($0.id, $0.voidedAt) }, uniquingKeysWith: min)
    }
}

extension Int64 {
    /// The product, held at the limits of the type.
    func multipliedSaturated(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? Int64.max - 100_000 : Int64.min) : product
    }
}
