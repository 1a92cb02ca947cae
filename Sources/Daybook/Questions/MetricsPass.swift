import DaybookDomain
import DaybookEvents
import DaybookStore
import Synchronization

/// A look at the subjects of metrics, at one time and state of knowledge, by one thread: it remembers who is who.
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

    /// The id under which a customer is shown.
    func shown(_ key: CustomerKey) -> String { builder.shown(key) }

    /// All ids of a customer's person.
    func members(of key: CustomerKey) -> [NameID] { builder.members(key) }

    /// One id that stands for all of a customer's.
    func person(of key: CustomerKey) -> NameID { builder.members(key).min() ?? key.name }

    /// A customer with all ids that are the same person.
    /// - Returns: `nil` for one of whom nothing is known.
    func subject(_ key: CustomerKey) throws -> MetricSubject? {
        let members = builder.members(key)
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

extension MetricsPass {
    /// How many subjects a worker takes at a time, with a pass of its own.
    private static let turnCount = 256

    /// Looks at every subject of an environment once, several at a time.
    /// - Parameters:
    ///   - makePass: Makes a pass for one thread.
    ///   - initial: What each worker begins with.
    ///   - progress: Of the subjects, how many are done.
    ///   - visit: Is given every subject once, on a worker's thread.
    /// - Returns: What each worker made of its subjects, in no order.
    static func run<Sum: Sendable>(
        in environment: Environment, cut: Int64, workers: Int,
        _ makePass: @Sendable () -> MetricsPass, _ initial: Sum,
        progress: @Sendable (Int, Int) throws -> Void,
        _ visit: @Sendable (inout Sum, MetricSubject) throws -> Void
    ) throws -> [Sum] {
        let state = makePass().state
        let people = Self.people(makePass(), environment, cut)
        let lineages = state.lineageStreams(in: environment)
        let total = people.count + lineages.count
        let done = Atomic(0)
        return try Parallel.run(
            workers: workers, turns: (total + turnCount - 1) / turnCount,
            workspace: { _ in initial }
        ) { sum, number, _ in
            let pass = makePass()
            let turn = number * turnCount..<min((number + 1) * turnCount, total)
            for index in turn {
                let subject =
                    index < people.count
                    ? try pass.subject(people[index])
                    : try pass.ownerless(lineages[index - people.count])
                if let subject { try visit(&sum, subject) }
            }
            let now = done.add(turn.count, ordering: .relaxed).newValue
            if number % 4 == 0 || now == total { try progress(now, total) }
        }
    }

    /// One id of every customer: several ids of one person count once.
    static func people(
        _ pass: MetricsPass, _ environment: Environment, _ cut: Int64
    ) -> [CustomerKey] {
        var seen: Set<NameID> = []
        return pass.state.subjectsAndReceivers(in: environment, cut: cut).compactMap { name in
            guard let id = pass.state.customer(named: name, in: environment), id != 0 else {
                return nil
            }
            let key = CustomerKey(environment, id)
            return seen.insert(pass.person(of: key)).inserted ? key : nil
        }
    }
}
