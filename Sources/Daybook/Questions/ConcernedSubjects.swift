import DaybookDomain
import DaybookEvents
import DaybookStore

/// The customers and lineages of an environment that a stretch of the history can change.
struct ConcernedSubjects {
    /// In the order of first naming; several may be one person.
    var customers: [CustomerKey]
    /// Ascending.
    var lineages: [UInt32]
    /// Whether a catalog is among the events, which may concern everyone.
    var hasCatalog = false

    /// - Parameters:
    ///   - state: With all of the stretch, and with its keys where that has corrections.
    ///   - after: Exclusive.
    init(
        _ core: LedgerCore, _ state: LedgerState, _ environment: Environment, after: Int64,
        through: Int64
    ) throws {
        let restatements = Restatements(core: core)
        var search = ConcernSearch(state)
        var hasCatalog = false
        try core.store.scan(
            after: Checkpoint(position: after), through: Checkpoint(position: through),
            chunkCount: 1_000
        ) { events in
            for index in events.indices {
                let event = events[index]
                hasCatalog =
                    hasCatalog || event.type == .catalogPublished
                    || event.type == .catalogRolledBack
                try restatements.concerned(event, state, &search)
            }
        }
        self.hasCatalog = hasCatalog
        customers = search.found.filter { $0.environment == environment }
        lineages = search.lineages.filter { state.stream($0).environment == environment }.sorted()
    }
}
