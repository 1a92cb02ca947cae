import DaybookDomain
import DaybookEvents
import DaybookStore
import Logging

/// What `LedgerState.apply` cannot do in memory: reads catalogs, finds corrected events, loads tables of zones.
struct Settling: Sendable {
    let store: any EventStore
    let catalogCache: CatalogCache
    let zoneTables: ZoneTables
    let keys: KeyFiles
    let log: Logger

    /// Leaves a state with nothing pending; the caller holds the state.
    /// - Throws: `StoreError` where the store cannot be read; what was done until then stays done.
    func settle(_ state: inout LedgerState) throws {
        state.regroup()
        while let event = state.pending.first {
            switch event.type {
            case .catalogPublished, .catalogRolledBack: try noteCatalog(event, &state)
            default: try noteCorrection(event, &state)
            }
            state.finishPending()
        }
        state.regroup()
        loadZones(&state)
    }

    private func noteCatalog(_ event: Event, _ state: inout LedgerState) throws {
        guard let row = try store.rows(at: [event.position]).first else { return }
        if event.type == .catalogRolledBack {
            state.catalogs.rollBack(
                to: event.amount, effectiveAt: event.timeA.orNil ?? event.occurredAt,
                position: event.position)
            return
        }
        let digest = row.reference ?? ""
        let outcome = try catalogCache.outcome(digest) {
            guard let bytes = try store.document(sha256: digest) else {
                throw StoreError(
                    .damaged,
                    "the catalog of position \(event.position) (\(digest)) is not in the ledger")
            }
            return bytes
        }
        let catalog: Catalog
        do throws(CatalogProblems) {
            catalog = try outcome.get()
        } catch {
            // Published by code that accepted it; a rule that became stricter must not close the ledger.
            log.tell(.warning, "catalog at position \(event.position) cannot be read: \(error)")
            return
        }
        guard let kind = event.catalogScope else {
            // Written by newer code: its scope cannot be told, so it applies to no customer.
            return log.tell(
                .warning, "catalog at position \(event.position) is for an unknown scope")
        }
        // A cohort without a share is everyone: earlier code recorded none.
        let scope = CatalogScope(kind, percent: event.money.orNil) ?? .cohort(100)
        state.catalogs.publish(
            CatalogVersion(
                version: event.amount, effectiveAt: event.timeA, scope: scope,
                position: event.position, catalog: catalog, documentDigest: digest))
    }

    private func noteCorrection(_ event: Event, _ state: inout LedgerState) throws {
        let environment = state.stream(event.stream).environment
        if event.type == .correctionAmended { try noteZone(inPatchAt: event.position, &state) }
        // The target must be known where it is an alias; every other aggregate is folded anew because of the correction
        // itself.
        var target = EventKey(environment, event.nameA, event.reference)
        var seen: Set<EventKey> = []
        try keys.read(into: &state)
        // A correction of a correction reaches through to what that one corrected; a circle of them reaches nothing.
        while seen.insert(target).inserted,
            let position = try state.position(of: target, in: store),
            let row = try store.rows(at: [position]).first
        {
            switch row.event.type {
            case .correctionVoided, .correctionAmended:
                target = EventKey(environment, row.event.nameA, row.event.reference)
            case .subjectAliased, .subjectUnaliased:
                return state.touch(link: row.event, environment)
            default: return
            }
        }
    }

    /// A zone that only a correction names; a damaged one names none, and `verify` tells of it.
    private func noteZone(inPatchAt position: Int64, _ state: inout LedgerState) throws {
        guard let row = try store.rows(at: [position]).first,
            let recorded = try? state.recorded(row),
            let zone = recorded.draft.data.value(at: ["patch", "tz"])?.text,
            let id = state.names.id(of: zone)
        else { return }
        state.note(zone: id)
    }

    /// Every zone that a customer or a catalog names, as a table.
    func loadZones(_ state: inout LedgerState) {
        for catalog in state.catalogs.versions {
            add(catalog.catalog.defaultTimeZone, to: &state.zones)
        }
        for id in state.takeNewZones() { add(state.names[id], to: &state.zones) }
    }

    private func add(_ name: String, to zones: inout ZoneSet) {
        guard !zones.contains(name), let table = zoneTables.table(named: name) else { return }
        zones.add(table, named: name)
    }
}
