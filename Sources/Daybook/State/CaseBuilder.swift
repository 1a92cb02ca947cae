import DaybookDomain
import DaybookEvents
import DaybookStore

/// Gathers everything that a question about one customer at (T, K) needs.
package struct CaseBuilder {
    package let state: LedgerState
    package let store: any EventStore
    /// Only what was recorded at or before this position is known.
    package let cut: Int64
    package let at: Int64
    /// Decided but not committed, by stream.
    package var undecided: [UInt32: [OrderedEvent]] = [:]
    /// Folds the aggregates where only some of the events take part; `nil`: all within the cut do.
    package var prefix: PrefixFold?
    /// Lineages that were folded already for this cut and time, by their streams; one that is not among them has no
    /// events. `nil`: none was.
    package var foldedLineages: [UInt32: AggregateState]?
    /// Which ids are one person at the cut: each person is looked up once.
    private let persons: Persons

    package init(
        state: LedgerState, store: any EventStore, cut: Int64, at: Int64,
        undecided: [UInt32: [OrderedEvent]] = [:], prefix: PrefixFold? = nil
    ) {
        self.state = state
        self.store = store
        self.cut = cut
        self.at = at
        self.undecided = undecided
        self.prefix = prefix
        persons = Persons(state, cut: cut)
    }

    package func build(_ environment: Environment, _ subject: String) throws -> CustomerCase {
        guard let key = try key(environment, subject) else { return unknown(environment, subject) }
        return try build(key)
    }

    /// The customer whom a text names within the cut; `nil`: there is none.
    package func key(_ environment: Environment, _ subject: String) throws -> CustomerKey? {
        guard let name = state.customer(named: subject, in: environment), name != 0 else {
            return nil
        }
        if cut >= state.head.position || UUIDText.spellings(of: subject) == nil {
            return CustomerKey(environment, name)
        }
        // Within the cut perhaps only one spelling was known, or none.
        return try state.customers(named: subject, in: environment).lazy
            .map { CustomerKey(environment, $0) }.first(where: isNamed)
    }

    /// Whether any event within the cut names the customer.
    /// - Complexity: O(*e*) in the events of the customer and of the lineages that name them.
    private func isNamed(_ key: CustomerKey) throws -> Bool {
        if !state.identity.linkPositions(of: key, cut: cut).isEmpty
            || !state.identity.handoverPositions(of: key, cut: cut).isEmpty
        {
            return true
        }
        func events(_ stream: UInt32) throws -> [Event] {
            let head = state.headOf(stream).position
            return head > 0 ? try state.log.stream(endingAt: head, cut: cut) : []
        }
        if let own = state.streamID(key.environment, .customer, key.name),
            try !events(own).isEmpty
        {
            return true
        }
        return try state.lineages(naming: key).contains { lineage in
            try events(lineage).contains { $0.namedCustomers.contains(key.name) }
        }
    }

    /// - Parameter folded: The customer's own aggregate, where it was folded already for this cut and time.
    package func build(_ key: CustomerKey, folded: AggregateState? = nil) throws -> CustomerCase {
        let environment = key.environment
        let person = persons[key]
        let streams = person.members.compactMap {
            state.streamID(environment, .customer, $0)
        }
        let customer = try folded ?? aggregate(streams, .customer, environment)
        var lineages: [CustomerCase.OwnedLineage] = []
        var others: [String] = []
        for stream in candidateLineages(person.members, environment) {
            let lineage = try aggregate([stream], .lineage, environment)
            guard lineage.eventCount > 0 else { continue }
            let ownership = Ownership(
                lineage.lineage, environment, person.memberSet, at: at, persons, state.names)
            let name = state.names[state.stream(stream).name]
            if ownership.isEver {
                lineages.append(
                    .init(
                        name: name, state: lineage.lineage, funnel: lineage.funnel,
                        stretches: ownership.stretches))
            } else if lineage.lineage.names(anyOf: person.memberSet) {
                // The index of namings knows the future; the lineage as folded for this cut does not (law 4).
                others.append(name)
            }
        }
        lineages.sort { precedesInBytes($0.name, $1.name) }
        others.sort(by: precedesInBytes)
        return CustomerCase(
            environment: environment, subject: state.names[person.shown],
            isKnown: customer.eventCount > 0 || !lineages.isEmpty, state: customer,
            lineages: lineages,
            lineagesOfOthers: others, catalogs: state.catalogs.known(at: cut), zones: state.zones,
            names: state.names, at: at)
    }

    /// All ids of a customer's person, in the order of their bytes.
    package func members(_ key: CustomerKey) -> [NameID] { persons[key].members }

    /// The name under which a customer is shown.
    package func shown(_ key: CustomerKey) -> String { state.names[persons[key].shown] }

    /// Who owns a lineage: the first customer whom its own events name (rule 7), and the owner at the asked time.
    package struct Belonging: Equatable {
        /// 0: no customer.
        var first: NameID = 0
        /// 0: no customer.
        package var owner: NameID = 0
        /// When the first one was named; `Event.absent`: none was.
        var namedAt = Event.absent
        /// Whether a customer who is not the owner claimed it.
        package var isDisputed = false
    }

    /// Who owns a lineage, first and at the asked time.
    package func belonging(of stream: UInt32) throws -> Belonging {
        let environment = state.stream(stream).environment
        let lineage = try aggregate([stream], .lineage, environment).lineage
        let ownership = Ownership(lineage, environment, [], at: at, persons, state.names)
        return Belonging(
            first: lineage.owner, owner: ownership.owner, namedAt: lineage.ownerNamedAt,
            isDisputed: lineage.claims.contains { claimant in
                let key = CustomerKey(environment, claimant)
                return persons[key].shown
                    != persons[CustomerKey(environment, ownership.owner)].shown
            })
    }

    /// A lineage for the times at which it had no owner; `nil` where it always had one, or has no events.
    package func ownerless(_ stream: UInt32) throws -> CustomerCase.OwnedLineage? {
        let environment = state.stream(stream).environment
        let lineage = try aggregate([stream], .lineage, environment)
        guard lineage.eventCount > 0 else { return nil }
        let ownership = Ownership(lineage.lineage, environment, [0], at: at, persons, state.names)
        guard ownership.isEver else { return nil }
        return .init(
            name: state.names[state.stream(stream).name], state: lineage.lineage,
            funnel: lineage.funnel, stretches: ownership.stretches)
    }

    /// The case of no customer, with a lineage that none owned.
    package func unowned(
        _ lineage: CustomerCase.OwnedLineage, _ environment: Environment
    ) -> CustomerCase {
        CustomerCase(
            environment: environment, subject: "", isKnown: false,
            state: AggregateState(kind: .customer), lineages: [lineage], lineagesOfOthers: [],
            catalogs: state.catalogs.known(at: cut), zones: state.zones, names: state.names,
            at: at)
    }

    /// The state of a lineage, and its owner at the asked time; 0: no customer.
    package func lineage(_ stream: UInt32) throws -> (lineage: LineageState, owner: NameID) {
        let environment = state.stream(stream).environment
        let lineage = try aggregate([stream], .lineage, environment).lineage
        return (lineage, Ownership(lineage, environment, [], at: at, persons, state.names).owner)
    }

    private func unknown(_ environment: Environment, _ subject: String) -> CustomerCase {
        CustomerCase(
            environment: environment, subject: subject, isKnown: false,
            state: AggregateState(kind: .customer), lineages: [], lineagesOfOthers: [],
            catalogs: state.catalogs.known(at: cut), zones: state.zones, names: state.names,
            at: at)
    }

    /// The live state where it answers the question, else a fold of the aggregate's events.
    private func aggregate(
        _ streams: [UInt32], _ kind: StreamKind, _ environment: Environment
    ) throws -> AggregateState {
        if let prefix { return try prefix.fold(streams, kind, environment, until: at) }
        guard let first = streams.min() else { return AggregateState(kind: kind) }
        if kind == .lineage, let foldedLineages {
            return foldedLineages[first] ?? AggregateState(kind: kind)
        }
        let aggregate = state.aggregate(of: first)
        let extra = streams.flatMap { undecided[$0] ?? [] }
        let isWhole = state.streams(of: aggregate).count == streams.count
        if cut >= state.head.position, isWhole {
            var live = try state.live(aggregate)
            var isUsable = live.newest.occurredAt <= at
            for event in extra where isUsable {
                isUsable = live.accepts(event.event) && event.event.occurredAt <= at
                if isUsable { live.evolve(event.event, names: state.names) }
            }
            if isUsable { return live }
        }
        return try AggregateFold(state, cut: cut, until: at).fold(
            kind: kind, environment: environment, heads: streams.map { state.headOf($0).position },
            extra: extra)
    }

    /// Every lineage that the person could own: it names one of the ids, or another customer gave them everything.
    /// - Parameter members: Of whole persons.
    /// - Complexity: O(*n*) in the ids, lineages and transfers that lead to the person.
    package func candidateLineages(_ members: [NameID], _ environment: Environment) -> [UInt32] {
        var next = Int64.max
        return candidateLineages(members, environment, nextHandover: &next)
    }

    /// - Parameter nextHandover: Becomes the time of the first handover after the asked time that has to do with the
    ///   person or with one who gave them everything, where that is sooner.
    package func candidateLineages(
        _ members: [NameID], _ environment: Environment, nextHandover: inout Int64
    ) -> [UInt32] {
        var people = members
        var known = Set(members)
        var lineages: [UInt32] = []
        var found: Set<UInt32> = []
        var next = 0
        while next < people.count {
            let name = people[next]
            next += 1
            let key = CustomerKey(environment, name)
            for lineage in state.lineages(naming: key) where found.insert(lineage).inserted {
                lineages.append(lineage)
            }
            for handover in state.identity.handovers(
                of: [name], in: environment, cut: cut, corrections: state.corrections,
                names: state.names)
            {
                if handover.order.occurredAt > at {
                    nextHandover = min(nextHandover, handover.order.occurredAt)
                }
                guard handover.to == name, !known.contains(handover.from) else { continue }
                for giver in persons[CustomerKey(environment, handover.from)].members
                where known.insert(giver).inserted {
                    people.append(giver)
                }
            }
        }
        for (stream, events) in undecided where !found.contains(stream) {
            let record = state.stream(stream)
            guard record.kind == .lineage, record.environment == environment else { continue }
            let isTheirs = events.contains { undecided in
                undecided.event.namedCustomers.contains(where: known.contains)
            }
            if isTheirs { lineages.append(stream) }
        }
        return lineages
    }
}

/// Who owns a lineage over time, walked along its transfers (rule 7).
private struct Ownership {
    /// Each time for which the person owned it, up to the asked one, in order.
    private(set) var stretches: [CustomerCase.OwnedLineage.Stretch] = []
    /// The owner at the asked time; 0: no customer.
    private(set) var owner: NameID = 0

    /// Whether the person owned it at any time up to the asked one.
    var isEver: Bool { !stretches.isEmpty }

    private struct Step {
        var order: OrderKey
        var to: NameID
        /// Of a consumable, the credits that were left.
        var units = Event.absent
    }

    init(
        _ lineage: LineageState, _ environment: Environment, _ members: Set<NameID>, at: Int64,
        _ persons: Persons, _ names: NameTable
    ) {
        owner = lineage.owner
        if members.contains(owner) { stretches = [.init()] }
        // What is bought after a transfer of everything is none of what was owned then.
        var since = OrderKey(
            occurredAt: lineage.firstEventAt.orNil ?? Int64.min, sequence: Int64.min, source: 0,
            key: .none)
        var transfers = lineage.transfers[...]
        // A transfer of everything leaves credits behind, which only a transfer of their lineage moves (rule 6).
        let movesAlong = !lineage.isConsumable
        // Every turn goes on to a later transfer, so it ends, even where transfers make circles.
        while true {
            let handover =
                movesAlong
                ? persons.gift(of: CustomerKey(environment, owner), after: since) : nil
            let next: Step
            if let transfer = transfers.first,
                handover.map({ transfer.order.precedes($0.order, names: names) }) ?? true
            {
                next = Step(order: transfer.order, to: transfer.to, units: transfer.units)
                transfers.removeFirst()
            } else if let handover {
                next = Step(order: handover.order, to: handover.to)
            } else {
                return
            }
            guard next.order.occurredAt <= at else { return }
            since = next.order
            move(next, isTheirs: members.contains(next.to), wasTheirs: members.contains(owner))
        }
    }

    private mutating func move(_ step: Step, isTheirs: Bool, wasTheirs: Bool) {
        owner = step.to
        if wasTheirs, !isTheirs, let last = stretches.indices.last {
            stretches[last].until = step.order.occurredAt
            stretches[last].unitsOnDeparture = step.units
        }
        if isTheirs, !wasTheirs {
            stretches.append(.init(from: step.order.occurredAt, unitsOnArrival: step.units))
        }
    }
}

extension LineageState {
    /// Whether any event of the lineage, as folded, names one of these customers.
    fileprivate func names(anyOf members: Set<NameID>) -> Bool {
        claims.contains { members.contains($0) } || transfers.contains { members.contains($0.to) }
    }
}
