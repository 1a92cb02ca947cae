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
    /// Folds the units where only some of the events take part; `nil`: all within the cut do.
    package var prefix: PrefixFolder?
    /// Lines that were folded already for this cut and time, by their streams; one that is not among them has no
    /// events. `nil`: none was.
    package var foldedLines: [UInt32: UnitState]?
    /// Who is who at the cut: each person is looked up once.
    private let persons: Persons

    package init(
        state: LedgerState, store: any EventStore, cut: Int64, at: Int64,
        undecided: [UInt32: [OrderedEvent]] = [:], prefix: PrefixFolder? = nil
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
        guard let name = state.customer(named: subject, in: environment), name != 0 else {
            return unknown(environment, subject)
        }
        if cut >= state.head.position || UUIDText.spellings(of: subject) == nil {
            return try build(CustomerKey(environment, name))
        }
        // Within the cut perhaps only one spelling was known, or none.
        for name in state.customers(named: subject, in: environment) {
            let key = CustomerKey(environment, name)
            if try isNamed(key) { return try build(key) }
        }
        return unknown(environment, subject)
    }

    /// Whether any event within the cut names the customer.
    /// - Complexity: O(*e*) in the events of the customer and of the lines that name them.
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
        return try state.lines(naming: key).contains { line in
            try events(line).contains { $0.namedCustomers.contains(key.name) }
        }
    }

    /// - Parameter folded: The customer's own unit, where it was folded already for this cut and time.
    package func build(_ key: CustomerKey, folded: UnitState? = nil) throws -> CustomerCase {
        let environment = key.environment
        let person = persons[key]
        let streams = person.members.compactMap {
            state.streamID(environment, .customer, $0)
        }
        let customer = try folded ?? unit(streams, .customer, environment)
        var lines: [CustomerCase.OwnedLine] = []
        var others: [String] = []
        for stream in candidateLines(person.members, environment) {
            let line = try unit([stream], .line, environment)
            guard line.eventCount > 0 else { continue }
            let ownership = Ownership(
                line.line, environment, person.memberSet, at: at, persons, state.names)
            let name = state.names[state.stream(stream).name]
            if ownership.isEver {
                lines.append(
                    .init(
                        name: name, state: line.line, funnel: line.funnel,
                        ownedFrom: ownership.from, ownedUntil: ownership.until,
                        stretches: ownership.stretches))
            } else if line.line.names(anyOf: person.memberSet) {
                // The index of namings knows the future; the line as folded for this cut does not (law 4).
                others.append(name)
            }
        }
        lines.sort { precedesInBytes($0.name, $1.name) }
        others.sort(by: precedesInBytes)
        return CustomerCase(
            environment: environment, subject: state.names[person.shown],
            isKnown: customer.eventCount > 0 || !lines.isEmpty, state: customer, lines: lines,
            linesOfOthers: others, catalogs: state.catalogs.known(at: cut), zones: state.zones,
            names: state.names, at: at)
    }

    /// All ids of a customer's person, in the order of their bytes.
    package func members(_ key: CustomerKey) -> [NameID] { persons[key].members }

    /// The name under which a customer is shown.
    package func shown(_ key: CustomerKey) -> String { state.names[persons[key].shown] }

    /// Whose a line is: the first customer whom its own events name (rule 7), and whoever has it at the asked time.
    package struct Belonging: Equatable {
        /// 0: nobody.
        var first: NameID = 0
        /// 0: nobody.
        package var owner: NameID = 0
        /// When the first one was named; `Event.absent`: nobody was.
        var namedAt = Event.absent
        /// Whether somebody who is not the owner handed it over as theirs.
        package var isDisputed = false
    }

    /// Whose a line is.
    package func belonging(of stream: UInt32) throws -> Belonging {
        let environment = state.stream(stream).environment
        let line = try unit([stream], .line, environment).line
        let ownership = Ownership(line, environment, [], at: at, persons, state.names)
        return Belonging(
            first: line.owner, owner: ownership.owner, namedAt: line.ownerNamedAt,
            isDisputed: line.claims.contains { claimant in
                let key = CustomerKey(environment, claimant)
                return persons[key].shown
                    != persons[CustomerKey(environment, ownership.owner)].shown
            })
    }

    /// What is known of a line, and who has it at the asked time; 0: nobody.
    package func line(_ stream: UInt32) throws -> (line: LineState, owner: NameID) {
        let environment = state.stream(stream).environment
        let line = try unit([stream], .line, environment).line
        return (line, Ownership(line, environment, [], at: at, persons, state.names).owner)
    }

    private func unknown(_ environment: Environment, _ subject: String) -> CustomerCase {
        CustomerCase(
            environment: environment, subject: subject, isKnown: false,
            state: UnitState(kind: .customer), lines: [], linesOfOthers: [],
            catalogs: state.catalogs.known(at: cut), zones: state.zones, names: state.names,
            at: at)
    }

    /// The live state where it answers the question, else a fold of the unit's events.
    private func unit(
        _ streams: [UInt32], _ kind: StreamKind, _ environment: Environment
    ) throws -> UnitState {
        if let prefix { return try prefix.fold(streams, kind, environment, until: at) }
        guard let first = streams.min() else { return UnitState(kind: kind) }
        if kind == .line, let foldedLines { return foldedLines[first] ?? UnitState(kind: kind) }
        let unit = state.unit(of: first)
        let extra = streams.flatMap { undecided[$0] ?? [] }
        let isWhole = state.streams(of: unit).count == streams.count
        if cut >= state.head.position, isWhole {
            var live = try state.live(unit)
            var isUsable = live.newest.occurredAt <= at
            for event in extra where isUsable {
                isUsable = live.accepts(event.event) && event.event.occurredAt <= at
                if isUsable { live.evolve(event.event, names: state.names) }
            }
            if isUsable { return live }
        }
        return try UnitFolder(state, cut: cut, until: at).fold(
            kind: kind, environment: environment, heads: streams.map { state.headOf($0).position },
            extra: extra)
    }

    /// Every line that could be the person's: named with them, or handed over by somebody.
    /// - Parameter members: Of whole persons.
    /// - Complexity: O(*n*) in the ids, lines and transfers that lead to the person.
    package func candidateLines(_ members: [NameID], _ environment: Environment) -> [UInt32] {
        var people = members
        var known = Set(members)
        var lines: [UInt32] = []
        var found: Set<UInt32> = []
        var next = 0
        while next < people.count {
            let name = people[next]
            next += 1
            let key = CustomerKey(environment, name)
            for line in state.lines(naming: key) where found.insert(line).inserted {
                lines.append(line)
            }
            for handover in state.identity.handovers(
                of: [name], in: environment, cut: cut, corrections: state.corrections,
                names: state.names)
            where handover.to == name && !known.contains(handover.from) {
                for giver in persons[CustomerKey(environment, handover.from)].members
                where known.insert(giver).inserted {
                    people.append(giver)
                }
            }
        }
        for (stream, events) in undecided where !found.contains(stream) {
            let record = state.stream(stream)
            guard record.kind == .line, record.environment == environment else { continue }
            let isTheirs = events.contains { undecided in
                undecided.event.namedCustomers.contains(where: known.contains)
            }
            if isTheirs { lines.append(stream) }
        }
        return lines
    }
}

/// Who owns a line over time, walked along its transfers (rule 7).
private struct Ownership {
    /// Each time for which the person owned it, up to the asked one, in order.
    private(set) var stretches: [CustomerCase.OwnedLine.Stretch] = []
    /// Whoever has it at the asked time; 0: nobody.
    private(set) var owner: NameID = 0

    /// The last time for which the person owned it.
    var from: Int64 { stretches.last?.from ?? Int64.min }
    var until: Int64 { stretches.last?.until ?? Int64.max }
    /// Whether the person owned it at any time up to the asked one.
    var isEver: Bool { !stretches.isEmpty }

    private struct Step {
        var order: OrderKey
        var to: NameID
        /// Of a consumable, the credits that were left.
        var units = Event.absent
    }

    init(
        _ line: LineState, _ environment: Environment, _ members: Set<NameID>, at: Int64,
        _ persons: Persons, _ names: NameTable
    ) {
        owner = line.owner
        if members.contains(owner) { stretches = [.init()] }
        var since = OrderKey.first
        var transfers = line.transfers[...]
        // What somebody owns moves as a whole without their credits, which only a transfer by name moves (rule 6).
        let movesAlong = !line.isConsumable
        // Every turn goes on to a later transfer, so it ends, whatever circles they make.
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

    /// The first time after which an owner gave everything away.
    private static func handover(
        by owner: NameID, after since: OrderKey, _ environment: Environment, _ builder: CaseBuilder
    ) -> Identity.Handover? {
        let (identity, corrections) = (builder.state.identity, builder.state.corrections)
        let names = builder.state.names
        let owners = identity.person(
            CustomerKey(environment, owner), cut: builder.cut, corrections: corrections,
            names: names
        ).members
        return identity.handovers(
            of: owners, in: environment, cut: builder.cut, corrections: corrections, names: names
        ).first {
            owners.contains($0.from) && !owners.contains($0.to)
                && since.precedes($0.order, names: names)
        }
    }
}

extension LineState {
    /// Whether any event of the line, as folded, names one of these customers.
    fileprivate func names(anyOf members: Set<NameID>) -> Bool {
        claims.contains { members.contains($0) } || transfers.contains { members.contains($0.to) }
    }
}
