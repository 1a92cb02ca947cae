import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a publication would change.
struct PublicationQuestion {
    let core: LedgerCore

    /// Checks a publication as `publish` does, counts the answers that it would change, and writes nothing.
    func dryRun(
        _ publication: CatalogPublication, progress: (Int) -> Void = { _ in }
    ) throws -> PublicationDryRun {
        try core.refresh()
        let last = core.state.withLock { $0.head.recordedAt }
        let now = LedgerClock(wall: core.clock(), last: last).now
        let (plan, catalogs, position) = try plan(publication, now: now)
        let effectiveAt = plan.entry.effectiveAt
        var dryRun = PublicationDryRun(
            version: plan.entry.version, effectiveAt: effectiveAt, scope: plan.entry.scope,
            isInForceAlready: plan.isInForceAlready,
            supersededAt: catalogs.supersession(after: effectiveAt),
            moments: effectiveAt < now ? [effectiveAt, now] : [effectiveAt], customers: 0,
            changedCustomers: 0, changedAnswers: 0, position: position)
        guard !plan.isInForceAlready else { return dryRun }
        let after = plan.history(after: catalogs)
        let zone = plan.entry.catalog.defaultTimeZone
        let table = core.zoneTables.table(named: zone)
        for environment in Environment.allCases {
            var seen: Set<ExactText> = []
            let present = Moment(at: now, knownAt: .position(position))
            for subject in try customers(in: environment, present) {
                var changes = 0
                var isNew = true
                for instant in dryRun.moments where isNew {
                    let (context, _) = try core.customerCase(
                        subject, environment,
                        Moment(at: instant, knownAt: .position(position)))
                    if instant == dryRun.moments[0] {
                        isNew = seen.insert(ExactText(context.subject)).inserted
                        guard isNew else { continue }
                        dryRun.customers += 1
                    }
                    var zones = context.zones
                    if let table { zones.add(table, named: zone) }
                    let other = context.with(zones: zones, catalogs: after)
                    if Self.status(context) != Self.status(other) { changes += 1 }
                }
                dryRun.changedAnswers += changes
                if changes > 0 { dryRun.changedCustomers += 1 }
                progress(dryRun.customers)
            }
        }
        return dryRun
    }

    /// Every customer whose status a publication may change; one who was given nothing is not known by that.
    private func customers(
        in environment: Environment, _ moment: Moment
    ) throws -> [String] {
        let (named, all) = core.state.withLock {
            ($0.subjects(in: environment), $0.subjectsAndReceivers(in: environment))
        }
        guard all.count > named.count else { return named }
        let known = Set(named.map { ExactText($0) })
        return try all.filter { subject in
            try known.contains(ExactText(subject))
                || core.customerCase(subject, environment, moment).question.isKnown
        }
    }

    private static func status(_ context: CustomerCase) -> Status? {
        StatusQuestion(context)?.answer(profile: nil, locale: nil)
    }

    private func plan(
        _ publication: CatalogPublication, now: Int64
    ) throws -> (plan: PublicationPlan, catalogs: CatalogHistory, position: Int64) {
        try core.readKeys()
        let prepared = PreparedPublication(
            publication, core.zoneTables.directory, core.catalogCache)
        return try core.state.withLock { state in
            let source = state.names.id(of: "ledger") ?? 0
            let plan = try PublicationCheck(app: core.app, catalogs: state.catalogs).plan(
                prepared, now: now, position: state.head.position + 1,
                isTaken: {
                    let key = EventKey(.production, source, Reference("catalog/\($0)"))
                    return try state.position(of: key, in: core.store) != nil
                })
            return (plan, state.catalogs, state.head.position)
        }
    }
}
