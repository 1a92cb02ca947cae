import DaybookDomain
import DaybookEvents
import DaybookStore

/// Gathers everything that a question about one customer at (T, K) needs.
package struct CaseBuilder {
    package var state: LedgerState { persons.state }
    /// Only what was recorded at or before this position is known.
    package let cut: Int64
    package let at: Int64
    /// Decided but not committed, by stream.
    private let undecided: [UInt32: [OrderedEvent]]
    /// Those of these streams that are lineages.
    private let undecidedLineages: [UInt32]
    /// Folds the aggregates where only some of the events take part; `nil`: all within the cut do.
    package var prefix: PrefixFold?
    /// Lineages that were folded already for this cut and time, by their streams; one that is not among them has no
    /// events. `nil`: none was.
    package var foldedLineages: [UInt32: AggregateState]?
    /// Which ids are one person at the cut: each person is looked up once.
    private let persons: Persons

    package init(
        state: consuming LedgerState, cut: Int64, at: Int64,
        undecided: [UInt32: [OrderedEvent]] = [:], undecidedLineages: [UInt32]? = nil,
        prefix: PrefixFold? = nil
    ) {
        self.cut = cut
        self.at = at
        self.undecided = undecided
        var lineages = undecidedLineages ?? []
        if undecidedLineages == nil {
            for stream in undecided.keys where state.stream(stream).kind == .lineage {
                lineages.append(stream)
            }
        }
        self.undecidedLineages = lineages
        self.prefix = prefix
        persons = Persons(state, cut: cut)
    }

    package func build(_ environment: Environment, _ subject: String) throws -> CustomerCase {
        guard let key = try key(environment, subject) else { return bare(environment, subject) }
        return try build(key)
    }

    /// The customer whom a text names within the cut; `nil`: there is none.
    package func key(_ environment: Environment, _ subject: String) throws -> CustomerKey? {
        guard let name = persons.state.customer(named: subject, in: environment), name != 0 else {
            return nil
        }
        if cut >= persons.state.head.position || UUIDText.spellings(of: subject) == nil {
            return CustomerKey(environment, name)
        }
        // Within the cut perhaps only one spelling was known, or none.
        return try persons.state.customers(named: subject, in: environment).lazy
            .map { CustomerKey(environment, $0) }.first(where: isNamed)
    }

    /// Whether any event within the cut names the customer.
    /// - Complexity: O(*e*) in the events of the customer and of the lineages that name them.
    private func isNamed(_ key: CustomerKey) throws -> Bool {
        if !persons.state.identity.linkPositions(of: key, cut: cut).isEmpty
            || !persons.state.identity.handoverPositions(of: key, cut: cut).isEmpty
        {
            return true
        }
        func events(_ stream: UInt32) throws -> [Event] {
            let head = persons.state.headOf(stream).position
            return head > 0 ? try persons.state.log.stream(endingAt: head, cut: cut) : []
        }
        if let own = persons.state.streamID(key.environment, .customer, key.name),
            try !events(own).isEmpty
        {
            return true
        }
        return try persons.state.lineages(naming: key).contains { lineage in
            try events(lineage).contains { $0.namedCustomers.contains(key.name) }
        }
    }

    /// - Parameter folded: The customer's own aggregate, where it was folded already for this cut and time.
    package func build(_ key: CustomerKey, folded: AggregateState? = nil) throws -> CustomerCase {
        let environment = key.environment
        let person = persons[key]
        let streams = (person.members + newSpellings(of: person.members, environment)).compactMap {
            persons.state.streams.entry(environment, .customer, $0)
        }
        let customer =
            try folded.map { SharedAggregate($0) }
            ?? aggregate(streams, .customer, environment)
        var lineages: [CustomerCase.OwnedLineage] = []
        var others: [String] = []
        for number in candidateLineages(person.members, environment) {
            let stream = persons.state.streams[number]
            let lineage = try aggregate([stream], .lineage, environment)
            guard lineage.eventCount > 0 else { continue }
            let ownership = Ownership(
                lineage.state.lineage, environment, person.memberSet, at: at, persons,
                persons.state.names)
            let name = persons.state.names[stream.record.name]
            if ownership.isEver {
                lineages.append(
                    .init(name: name, folded: lineage, stretches: ownership.stretches))
            } else if lineage.state.lineage.names(anyOf: person.memberSet) {
                // The index of namings knows the future; the lineage as folded for this cut does not (law 4).
                others.append(name)
            }
        }
        lineages.sort { precedesInBytes($0.name, $1.name) }
        others.sort(by: precedesInBytes)
        return CustomerCase(
            environment: environment, subject: persons.state.names[person.shown],
            isKnown: customer.eventCount > 0 || !lineages.isEmpty, folded: customer,
            lineages: lineages,
            lineagesOfOthers: others, catalogs: persons.state.catalogs.known(at: cut),
            zones: persons.state.zones,
            names: persons.state.names, at: at)
    }

    /// The other spellings of ids that are UUIDs, where the events that are not committed yet are the first to have
    /// them: with these the two become one person.
    private func newSpellings(of members: [NameID], _ environment: Environment) -> [NameID] {
        if undecided.isEmpty { return [] }
        return members.flatMap { member -> [NameID] in
            guard let (lower, upper) = UUIDText.spellings(of: persons.state.names[member]) else {
                return []
            }
            return [lower, upper].compactMap { other in
                guard let name = persons.state.names.id(of: other), !members.contains(name),
                    let stream = persons.state.streamID(environment, .customer, name),
                    undecided[stream]?.isEmpty == false
                else { return nil }
                return name
            }
        }
    }

    /// All ids of a customer's person, in the order of their bytes.
    package func members(_ key: CustomerKey) -> [NameID] { persons[key].members }

    /// The name under which a customer is shown.
    package func shown(_ key: CustomerKey) -> String { persons.state.names[persons[key].shown] }

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
        let stream = persons.state.streams[stream]
        let environment = stream.record.environment
        let folded = try aggregate([stream], .lineage, environment)
        let lineage = folded.state.lineage
        let ownership = Ownership(lineage, environment, [], at: at, persons, persons.state.names)
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
        let stream = persons.state.streams[stream]
        let environment = stream.record.environment
        let lineage = try aggregate([stream], .lineage, environment)
        guard lineage.eventCount > 0 else { return nil }
        let ownership = Ownership(
            lineage.state.lineage, environment, [0], at: at, persons, persons.state.names)
        guard ownership.isEver else { return nil }
        return .init(
            name: persons.state.names[stream.record.name], folded: lineage,
            stretches: ownership.stretches)
    }

    /// The case of no customer, with a lineage that none owned.
    package func unowned(
        _ lineage: CustomerCase.OwnedLineage, _ environment: Environment
    ) -> CustomerCase {
        bare(environment, "", [lineage])
    }

    /// The state of a lineage, and its owner at the asked time; 0: no customer.
    package func lineage(_ stream: UInt32) throws -> (lineage: LineageState, owner: NameID) {
        let stream = persons.state.streams[stream]
        let environment = stream.record.environment
        let lineage = try aggregate([stream], .lineage, environment).state.lineage
        return (
            lineage, Ownership(lineage, environment, [], at: at, persons, persons.state.names).owner
        )
    }

    private func bare(
        _ environment: Environment, _ subject: String,
        _ lineages: [CustomerCase.OwnedLineage] = []
    ) -> CustomerCase {
        CustomerCase(
            environment: environment, subject: subject, isKnown: false,
            folded: SharedAggregate(kind: .customer), lineages: lineages, lineagesOfOthers: [],
            catalogs: persons.state.catalogs.known(at: cut), zones: persons.state.zones,
            names: persons.state.names,
            at: at)
    }

    /// The live state where it answers the question, else a fold of the aggregate's events.
    private func aggregate(
        _ streams: [StreamTable.Entry], _ kind: StreamKind, _ environment: Environment
    ) throws -> SharedAggregate {
        if let prefix {
            return SharedAggregate(
                try prefix.fold(streams.map(\.record.id), kind, environment, until: at))
        }
        guard let first = streams.min(by: { $0.record.id < $1.record.id }) else {
            return SharedAggregate(kind: kind)
        }
        if kind == .lineage, let foldedLineages {
            return SharedAggregate(foldedLineages[first.record.id] ?? AggregateState(kind: kind))
        }
        let aggregate = persons.state.streams.first(of: first)
        let extra = undecided.isEmpty ? [] : streams.flatMap { undecided[$0.record.id] ?? [] }
        if cut >= persons.state.head.position,
            persons.state.identity.isEmpty
                || persons.state.streams(of: aggregate.record.id).count == streams.count
        {
            var live = try persons.state.live(aggregate)
            var isUsable = live.newest.occurredAt <= at
            for event in extra where isUsable {
                isUsable = live.accepts(event.event) && event.event.occurredAt <= at
                if isUsable { live.evolve(event.event, names: persons.state.names) }
            }
            if isUsable { return live }
        }
        return SharedAggregate(
            try AggregateFold(persons.state, cut: cut, until: at).fold(
                kind: kind, environment: environment,
                heads: streams.map(\.head.position), extra: extra))
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
        // In most ledgers no ids were ever linked, and no customer gave another one everything.
        let isAnyLinked = !persons.state.identity.isEmpty
        var people = members
        var known = isAnyLinked || !undecidedLineages.isEmpty ? Set(members) : []
        var lineages: [UInt32] = []
        var found: Set<UInt32> = []
        var next = 0
        while next < people.count {
            let name = people[next]
            next += 1
            let key = CustomerKey(environment, name)
            for lineage in persons.state.lineages(naming: key) where found.insert(lineage).inserted
            {
                lineages.append(lineage)
            }
            guard isAnyLinked else { continue }
            for handover in persons.state.handovers(of: [name], in: environment, cut: cut) {
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
        for stream in undecidedLineages where !found.contains(stream) {
            guard persons.state.stream(stream).environment == environment else { continue }
            let isTheirs = (undecided[stream] ?? []).contains { undecided in
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
        _ lineage: LineageState, _ environment: Environment, _ members: MemberSet, at: Int64,
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
    fileprivate func names(anyOf members: MemberSet) -> Bool {
        claims.contains { members.contains($0) } || transfers.contains { members.contains($0.to) }
    }
}
