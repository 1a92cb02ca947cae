public import DaybookDomain
import DaybookEvents
import DaybookStore

/// What publishing a catalog, or going back to one, would come to.
public struct PublicationPreview: Sendable, Equatable {
    /// The version that it would get, or that would rule again.
    public var version: Int64
    /// Milliseconds since 1970 UTC.
    public var effectiveAt: Int64
    public var scope: CatalogScope
    /// The same document rules already for the same customers; publishing it adds nothing.
    public var isInForceAlready: Bool
    /// When a catalog that is published already takes over from it; `nil`: none does.
    public var supersededAt: Int64?
    /// The times at which every customer's status was asked for: when it takes effect and, where that is past, now.
    public var moments: [Int64]
    /// People who were asked about; several ids of one person are one.
    public var customers: Int
    public var changedCustomers: Int
    /// Of the answers at these times, how many would be others.
    public var changedAnswers: Int
    /// The last position that was seen.
    public var position: Int64
}

extension Ledger {
    /// Checks a publication as `publish` does, counts the answers that it would change, and writes nothing.
    ///
    /// Everybody's status is worked out twice, with and without it: a back-dated catalog should not be published
    /// unseen (rule 8).
    /// - Parameter progress: People asked about so far.
    /// - Throws: What `publish` would throw: `LedgerError.badInput`, `.catalogConflict`, `.store`.
    /// - Complexity: O(*c*) in the customers of all environments, tens of microseconds each.
    public func preview(
        _ publication: CatalogPublication, progress: (Int) -> Void = { _ in }
    ) throws -> PublicationPreview {
        try refresh()
        let last = state.withLock { $0.head.recordedAt }
        let now = LedgerClock(wall: clock(), last: last).now
        let (plan, catalogs, position) = try plan(publication, now: now)
        let effectiveAt = plan.entry.effectiveAt
        var preview = PublicationPreview(
            version: plan.entry.version, effectiveAt: effectiveAt, scope: plan.entry.scope,
            isInForceAlready: plan.isInForceAlready,
            supersededAt: catalogs.supersession(after: effectiveAt),
            moments: effectiveAt < now ? [effectiveAt, now] : [effectiveAt], customers: 0,
            changedCustomers: 0, changedAnswers: 0, position: position)
        guard !plan.isInForceAlready else { return preview }
        let after = plan.history(after: catalogs)
        let zone = plan.entry.catalog.defaultTimeZone
        let table = zoneTables.table(named: zone)
        for environment in Environment.allCases {
            var seen: Set<ExactText> = []
            for subject in try subjects(in: environment) {
                var changes = 0
                var isNew = true
                for instant in preview.moments where isNew {
                    let (question, _) = try customerCase(
                        subject, environment,
                        Moment(at: instant, knownAt: .position(position)))
                    if instant == preview.moments[0] {
                        isNew = seen.insert(ExactText(question.subject)).inserted
                        guard isNew else { continue }
                        preview.customers += 1
                    }
                    var zones = question.zones
                    if let table { zones.add(table, named: zone) }
                    let other = question.with(zones: zones, catalogs: after)
                    if Self.status(question) != Self.status(other) { changes += 1 }
                }
                preview.changedAnswers += changes
                if changes > 0 { preview.changedCustomers += 1 }
                progress(preview.customers)
            }
        }
        return preview
    }

    private static func status(_ question: CustomerCase) -> Status? {
        StatusQuestion(question)?.answer(profile: nil, locale: nil)
    }

    private func plan(
        _ publication: CatalogPublication, now: Int64
    ) throws -> (plan: PublicationPlan, catalogs: CatalogHistory, position: Int64) {
        try readKeys()
        let prepared = PreparedPublication(publication, zoneTables.directory, shelf)
        return try state.withLock { state in
            let source = state.names.id(of: "ledger") ?? 0
            let plan = try PublicationCheck(app: app, catalogs: state.catalogs).plan(
                prepared, now: now, position: state.head.position + 1,
                isTaken: { version throws(LedgerError) in
                    let key = EventKey(.production, source, Reference("catalog/\(version)"))
                    do {
                        return try state.position(of: key, in: store) != nil
                    } catch {
                        throw .store(Self.storeError(error))
                    }
                })
            return (plan, state.catalogs, state.head.position)
        }
    }
}
