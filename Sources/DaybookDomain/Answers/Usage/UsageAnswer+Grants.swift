import DaybookEvents

extension UsageAnswer {
    // MARK: Grants and credits

    /// What can be burned on a meter besides its free quota: grants, each id once, and credits.
    func grants(_ meter: Meter) -> [UnitGrant] {
        if context.state.customer.grants.isEmpty { return credits(meter) }
        let names = context.names
        let customer = context.state.customer
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
                    key: context.text(of: grant.key), profile: grant.profile,
                    rollover: rollover, recurrence: recurrence(of: grant, on: meter),
                    id: grant.id))
        }
        return grants + credits(meter)
    }

    /// When the units come again; `nil`: never. The periods of a meter that has none never end.
    private func recurrence(
        of grant: CustomerState.GrantFact, on meter: Meter
    ) -> PeriodTimeline? {
        guard let word = Vocabulary.recurrence(grant.recurrence) else { return nil }
        guard let length = CivilDuration(iso8601: word).flatMap(PeriodLength.init) else {
            return timeline(of: meter)
        }
        return PeriodTimeline(length, anchor: grant.startsAt, in: zone)
    }

    /// A grant counts on one meter: the one that it names, by whatever name, else the one that counts its feature.
    private func serves(_ grant: CustomerState.GrantFact, _ meter: Meter) -> Bool {
        for id in [grant.meter, grant.feature] where id != 0 {
            let name = context.names[id]
            let own = catalog.meter(named: name)?.name ?? catalog.feature(named: name)?.meter
            if let own { return own == meter.name }
        }
        return false
    }

    /// Bought credits never expire; a refund takes back what is left of its share (docs/rules.md#one-time-purchases).
    func credits(_ meter: Meter) -> [UnitGrant] {
        if context.lineages.isEmpty { return [] }
        return context.lineages.flatMap { lineage in
            lineage.state.transactions.flatMap { fact -> [UnitGrant] in
                guard fact.isConsumable, isBelieved(fact, lineage.state),
                    let given = units(of: fact, on: meter)
                else { return [] }
                return lineage.stretches.map { credit(fact, given, lineage, $0) }
            }
        }
    }

    /// What a purchase is worth on a meter; `nil`: it is of no use there.
    ///
    /// What a unit is worth was promised at the purchase (rule 8), by whatever catalog names it (rule 33).
    private func units(of fact: TransactionFact, on meter: Meter) -> Int64? {
        let name = context.names[fact.product]
        let promised = context.catalog(at: fact.startsAt)?.catalog.product(name)
        guard let credits = (promised ?? catalog.product(name))?.credits,
            catalog.meter(named: credits.meter)?.name == meter.name
        else { return nil }
        // Checked at append since; what an older ledger holds must not turn credits into debt.
        let quantity = max(0, fact.quantity)
        let (amount, overflow) = credits.amount.multipliedReportingOverflow(by: quantity)
        return overflow ? Int64.max / 1_000_000 : amount
    }

    /// The credits that the customer had in one stretch of owning them. The customer who gave them away keeps what was
    /// burned; the one who got them burns what was left.
    private func credit(
        _ fact: TransactionFact, _ given: Int64, _ lineage: CustomerCase.OwnedLineage,
        _ stretch: CustomerCase.OwnedLineage.Stretch
    ) -> UnitGrant {
        let received = min(given, stretch.unitsOnArrival.orNil ?? given)
        let amount = max(0, received - (stretch.unitsOnDeparture.orNil ?? 0))
        var grant = UnitGrant(
            amount: amount, startsAt: max(fact.startsAt, stretch.from), endsAt: stretch.until,
            promisedEnd: Int64.max, priority: 100,
            source: context.names[fact.coreRank.source],
            key: context.text(of: fact.coreRank.key), profile: 0)
        grant.lineage = lineage.name
        if fact.revokedAt != Event.absent,
            fact.revocationRank.classRank >= fact.coreRank.classRank
        {
            // Several parts of a purchase each give back their share.
            let milli = min(max(0, fact.refundedMilli), 100_000)
            let share = (amount.multipliedSaturated(by: milli) &+ 99_999) / 100_000
            grant.clawback = (fact.revokedAt, min(amount, share))
        }
        return grant
    }

    /// Rule 11: a client's word counts for the catalog's hours after it was first given.
    private func isBelieved(_ fact: TransactionFact, _ lineage: LineageState) -> Bool {
        guard fact.isProvisional else { return !fact.coreRank.isNone }
        if fact.coreRank.isNone { return false }
        let periods = LineagePeriods(
            lineage: lineage, names: context.names, catalog: catalog, at: context.at,
            hiddenBefore: nil)
        return context.at < periods.believedUntil(fact, among: periods.facts)
    }
}

extension Int64 {
    /// The product, held at the limits of the type.
    func multipliedSaturated(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? Int64.max - 100_000 : Int64.min) : product
    }
}
