import DaybookDomain
import DaybookEvents
import DaybookStore

/// Answers that were given and would be given otherwise now (rule 24).
package struct Restatements {
    let core: LedgerCore

    package init(core: LedgerCore) { self.core = core }

    /// The difference that a stretch of positions makes to what could be said about a customer's past before.
    package func restatements(
        of subject: String, environment: Environment = .production, from: Int64,
        through: Int64? = nil
    ) throws -> [Restatement] {
        try core.refresh()
        return try takenInRestatements(
            of: subject, environment: environment, from: from, through: through)
    }

    /// The same of what this ledger has taken in.
    private func takenInRestatements(
        of subject: String, environment: Environment, from: Int64, through: Int64?
    ) throws -> [Restatement] {
        guard from > 1 else { return [] }
        return try core.translating {
            guard let first = try core.store.rows(at: [from]).first else { return [] }
            try core.takeIn(through: max(from, through ?? from))
            let instants = try CustomerHistory(core: core).takenInHistory(
                of: subject, environment: environment,
                moment: Moment(knownAt: through.map { .position($0) })
            ).flatMap { Self.times(of: $0.event.draft) }
            // A copy, because many moments are asked about and no caller should wait for that.
            let state = core.state.withLock { $0.remembering() }
            func builder(_ cut: Int64) -> (Int64) throws -> CustomerCase {
                { at in
                    try CaseBuilder(state: state, cut: cut, at: at).build(
                        environment, subject)
                }
            }
            // What was recorded ahead of the clock has answered no question about the time in between.
            let until = min(
                first.recordedAt, LedgerClock(wall: core.clock(), last: state.head.recordedAt).now)
            guard try builder(from - 1)(until).isKnown else { return [] }
            return try RestatementSearch(
                until: until, before: builder(from - 1),
                after: builder(through ?? state.head.position)
            ).restatements(instants: instants)
        }
    }

    /// Fills in what the events of a receipt changed about the past.
    package func tell(in receipt: inout ReportReceipt) throws {
        guard let first = receipt.firstPosition, let last = receipt.lastPosition else { return }
        let found = try restatements(from: first, through: last)
        (receipt.restatements, receipt.restatementsOmitted) = found
    }

    /// The restatements of every customer that a stretch of positions names.
    package func restatements(
        from: Int64, through: Int64, customerCountMax: Int = 100
    ) throws -> (customers: [CustomerRestatements], omitted: Int) {
        let named = try customersNamed(from: from, through: through)
        let customers = try named.prefix(customerCountMax).compactMap { customer in
            let found = try takenInRestatements(
                of: customer.subject, environment: customer.environment, from: from,
                through: through)
            return found.isEmpty
                ? nil
                : CustomerRestatements(
                    subject: customer.subject, environment: customer.environment,
                    restatements: found)
        }
        return (customers, max(0, named.count - customerCountMax))
    }

    /// The customers whose answers a stretch of positions can change, each person once, in the order of first naming.
    package func customersNamed(
        from: Int64, through: Int64
    ) throws -> [(environment: Environment, subject: String)] {
        let named = try namesConcerned(from: from, through: through)
        return core.state.withLock { state in
            let persons = Persons(state, cut: Int64.max)
            var seen: Set<CustomerKey> = []
            return named.compactMap { name in
                let shown = persons[name].shown
                let isNew = seen.insert(CustomerKey(name.environment, shown)).inserted
                return isNew ? (name.environment, state.names[shown]) : nil
            }
        }
    }

    /// The names of the customers whose answers a stretch of positions can change, in the order of first naming.
    package func namesConcerned(from: Int64, through: Int64) throws -> [CustomerKey] {
        try core.refresh()
        try core.readKeys()
        return try core.translating {
            try core.takeIn(through: through)
            guard through - from < LedgerCore.eventsUnderLockMax else {
                return try namesConcerned(from, through, core.state.withLock { $0 })
            }
            return try core.state.withLock { try namesConcerned(from, through, $0) }
        }
    }

    private func namesConcerned(
        _ from: Int64, _ through: Int64, _ state: LedgerState
    ) throws -> [CustomerKey] {
        var search = ConcernSearch(state)
        try core.store.scan(
            after: Checkpoint(position: from - 1), through: Checkpoint(position: through),
            chunkCount: 1_000
        ) { events in
            for index in events.indices { try concerned(events[index], state, &search) }
        }
        return search.found
    }

    /// The customers whose answers an event can change: those of its stream, of its lineage, and of the target of a
    /// correction.
    package func concerned(
        _ event: Event, _ state: LedgerState, _ search: inout ConcernSearch
    ) throws {
        let stream = state.stream(event.stream)
        switch stream.kind {
        case .customer:
            search.add(CustomerKey(stream.environment, stream.name))
            switch event.type {
            case .purchaseTransferred, .subjectAliased, .subjectUnaliased:
                // Every id that was ever of the same person, and the customers who got everything from one of them.
                for name in [event.nameA, event.nameB] where name != 0 {
                    search.addWithEverLinked(CustomerKey(stream.environment, name))
                }
            default: break
            }
        case .lineage:
            guard search.lineages.insert(stream.id).inserted else { return }
            try addPeople(ofLineage: stream.id, state, &search)
        case .ledger:
            if event.type == .rateRecorded { search.hasRates = true }
            let target = EventKey(stream.environment, event.nameA, event.reference)
            guard event.type == .correctionVoided || event.type == .correctionAmended,
                search.follow(correctionAt: event.position),
                // What it names may have come after it.
                let position = try state.position(of: target, in: core.store),
                let row = try core.store.rows(at: [position]).first
            else { return }
            try concerned(row.event, state, &search)
        }
    }

    /// All customers who ever had a lineage, or may have got it from one who had.
    package func addPeople(
        ofLineage lineage: UInt32, _ state: LedgerState, _ search: inout ConcernSearch
    ) throws {
        let environment = state.stream(lineage).environment
        for row in try core.store.stream(endingAt: state.headOf(lineage).position) {
            let giver = row.event.type == .purchaseTransferred ? row.event.nameA : 0
            for name in row.event.namedCustomers + [giver] where name != 0 {
                search.addWithHeirs(CustomerKey(environment, name))
            }
        }
    }

    /// Every time that an event names.
    private static func times(of draft: EventDraft) -> [Int64] {
        var times = [draft.occurredAt, draft.source.signedAt].compactMap(\.self)
        for member in draft.data.members where member.name.hasSuffix("_at") {
            if let time = member.value.integer { times.append(time) }
        }
        return times
    }
}
