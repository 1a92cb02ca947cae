import DaybookDomain
import DaybookEvents
import DaybookStore

/// A look at the subjects of metrics, at one time and state of knowledge.
struct MetricsPass {
    let state: LedgerState
    let core: LedgerCore
    let rules: MetricRules
    private let catalog: Catalog?
    /// The time of the filter's cohort.
    private let firstSeen: Range<Int64>?
    private let builder: CaseBuilder
    private let fold: AggregateFold
    private var cut: Int64 { builder.cut }
    private var at: Int64 { builder.at }

    /// - Parameters:
    ///   - cut: Only what was recorded at or before this position is known; of the state perhaps only a part.
    ///   - zone: Days begin at its midnight.
    init(
        _ state: LedgerState, _ core: LedgerCore, cut: Int64, at: Int64, _ rules: MetricRules,
        in zone: ZoneTable
    ) {
        self.state = state
        self.core = core
        self.rules = rules
        catalog = state.catalogs.known(at: cut).newest?.catalog
        builder = CaseBuilder(state: state.forgetful(), store: core.store, cut: cut, at: at)
        fold = AggregateFold(state, cut: cut)
        firstSeen = rules.filter.cohort?.range(in: zone)
    }

    /// Every subject once.
    func forEach(
        in environment: Environment, progress: (Int, Int) throws -> Void,
        _ body: (MetricSubject) throws -> Void
    ) throws {
        let customers = state.subjectsAndReceivers(in: environment, cut: cut)
        let lineages = state.lineageStreams(in: environment)
        let total = customers.count + lineages.count
        var seen: Set<NameID> = []
        var done = 0
        func advance() throws {
            done += 1
            if done % 1_000 == 0 || done == total { try progress(done, total) }
        }
        for name in customers {
            try advance()
            guard let id = state.customer(named: name, in: environment), id != 0 else { continue }
            if let subject = try person(CustomerKey(environment, id), &seen) { try body(subject) }
        }
        for stream in lineages {
            try advance()
            if let subject = try ownerless(stream) { try body(subject) }
        }
    }

    /// The id under which a customer is shown.
    func shown(_ key: CustomerKey) -> String { builder.shown(key) }

    /// A customer with all ids that are the same person.
    /// - Parameter seen: One id of each person who was looked at; several ids of one person count once.
    /// - Returns: `nil` for one of whom nothing is known, and for one who was seen.
    func person(_ key: CustomerKey, _ seen: inout Set<NameID>) throws -> MetricSubject? {
        let members = builder.members(key)
        guard seen.insert(members.min() ?? key.name).inserted else { return nil }
        let heads = members.compactMap {
            state.streamID(key.environment, .customer, $0).map { state.headOf($0).position }
        }
        let events = try fold.events(environment: key.environment, heads: heads)
        var folded = AggregateState(kind: .customer)
        for event in events { folded.evolve(event, names: state.names, until: at) }
        let context = core.zoneTables.completing(try builder.build(key, folded: folded))
        guard context.isKnown else { return nil }
        let version = rules.filter.catalogVersion == nil ? nil : context.catalog(at: at)?.version
        return MetricSubject(
            context, events: events,
            lineages: try context.lineages.map { try lineage($0, key.environment) },
            catalog: catalog, rules: rules
        ).filtered(by: rules.filter, firstSeen: firstSeen, catalog: version)
    }

    /// A lineage for the times at which no customer owned it; `nil` where one always did.
    func ownerless(_ stream: UInt32) throws -> MetricSubject? {
        guard let owned = try builder.ownerless(stream) else { return nil }
        let environment = state.stream(stream).environment
        return MetricSubject(
            builder.unowned(owned, environment), events: [],
            lineages: [try lineage(owned, environment)], catalog: catalog, rules: rules
        ).filtered(by: rules.filter, firstSeen: firstSeen, catalog: nil)
    }

    private func lineage(
        _ owned: CustomerCase.OwnedLineage, _ environment: Environment
    ) throws -> MetricSubject.Lineage {
        guard let name = state.names.id(of: owned.name),
            let stream = state.streamID(environment, .lineage, name)
        else { return .init(owned: owned, events: []) }
        return .init(
            owned: owned,
            events: try fold.events(
                environment: environment, heads: [state.headOf(stream).position]))
    }
}
