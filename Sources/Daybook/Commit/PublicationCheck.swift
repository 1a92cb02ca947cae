import DaybookDomain
import DaybookEvents

/// What a publication would come to, before anything is written.
struct PublicationPlan {
    /// As it would stand in the history; its position is that of the event to come.
    var entry: CatalogVersion
    /// The same document rules already, for the same customers: there is nothing to write.
    var isInForceAlready = false

    /// The history with the publication in it.
    func history(after history: CatalogHistory) -> CatalogHistory {
        guard !isInForceAlready else { return history }
        var history = history
        history.publish(entry)
        return history
    }
}

/// Checks a publication against everything that was published before (rule 8). Publishing, its dry run and importing
/// use the same rules.
struct PublicationCheck {
    let app: String
    let catalogs: CatalogHistory

    /// - Parameters:
    ///   - now: The clock of the commit.
    ///   - position: Where the event would stand.
    ///   - isTaken: Whether a version number is in use, by a catalog that can be read or not.
    func plan(
        _ prepared: PreparedPublication, now: Int64, position: Int64,
        isTaken: (Int64) throws -> Bool
    ) throws(LedgerError) -> PublicationPlan {
        let publication = prepared.publication
        let effectiveAt = publication.effectiveAt ?? now
        try LedgerError.require(
            EventBounds.times.contains(effectiveAt), "out_of_bounds",
            "\(effectiveAt) is outside \(EventBounds.timeMin) to \(EventBounds.timeMax), the years 1970 to 9999"
        )
        try LedgerError.require(
            effectiveAt >= now || catalogs.isEmpty || publication.isRetroactive, "retroactive",
            "the catalog would take effect at \(RFC3339.format(effectiveAt)), which is past, and answers about the past would change"
        )
        var plan: PublicationPlan
        if let version = publication.rollBackTo {
            plan = PublicationPlan(entry: try older(version))
        } else {
            plan = PublicationPlan(entry: try newer(prepared, isTaken: isTaken))
        }
        plan.entry.effectiveAt = effectiveAt
        plan.entry.position = position
        if publication.effectiveAt == nil, let latest = catalogs.latest(at: now),
            latest.documentDigest == plan.entry.documentDigest, latest.scope == plan.entry.scope
        {
            plan.isInForceAlready = true
            plan.entry = latest
        }
        return plan
    }

    private func older(_ version: Int64) throws(LedgerError) -> CatalogVersion {
        guard var entry = catalogs.versions.last(where: { $0.version == version }) else {
            let known = Set(catalogs.versions.map(\.version)).sorted().map(String.init)
            throw .bad(
                "unknown_version",
                "no catalog version \(version); there are \(known.joined(separator: ", "))")
        }
        entry.scope = .all
        return entry
    }

    private func newer(
        _ prepared: PreparedPublication, isTaken: (Int64) throws -> Bool
    ) throws(LedgerError) -> CatalogVersion {
        if case .cohort(let percent) = prepared.publication.scope, !(0...100).contains(percent) {
            throw .bad("out_of_bounds", "a cohort of \(percent) percent; say 0 to 100")
        }
        guard let reading = prepared.reading else {
            preconditionFailure("a publication that rolls nothing back has a document")
        }
        let catalog = try LedgerError.reading { () throws(CatalogProblems) in try reading.get() }
        try check(catalog)
        var version = catalogs.versionMax + 1
        do {
            while try isTaken(version) { version += 1 }
        } catch {
            throw .store(StoreError.wrapping(error))
        }
        return CatalogVersion(
            version: version, effectiveAt: 0, scope: prepared.publication.scope, position: 0,
            catalog: catalog, documentDigest: prepared.digest)
    }

    /// The app is this ledger's, and no published name means something else.
    func check(_ catalog: Catalog) throws(LedgerError) {
        try LedgerError.require(
            catalog.app == app, "other_app",
            "the catalog is of app \"\(catalog.app)\", this ledger is \"\(app)\"")
        let conflicts = catalogs.conflicts(with: catalog)
        guard conflicts.isEmpty else { throw .catalogConflict(conflicts) }
    }

}
