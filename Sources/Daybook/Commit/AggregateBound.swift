import DaybookDomain
import DaybookEvents
import DaybookStore

/// Holds every aggregate to the number of events that it may have (rule 30: at most 10⁶, checked at append).
///
/// Why: a late event folds its whole aggregate anew, and every answer is linear in it; one client that repeats itself
/// must not make a customer unanswerable. Counted are arrivals, so a voided event still counts, and an alias joins what
/// two aggregates have. Streams of the ledger itself are folded in no aggregate and have no bound.
struct AggregateBound {
    /// In eight bytes: a file may have events of a million of them.
    private struct Aggregate: Hashable {
        /// A number of the ledger; below 0: of a stream that no event has reached yet, 63 bits of its name's hash.
        private let number: Int64

        static func known(_ id: UInt32) -> Aggregate { Aggregate(number: Int64(id)) }

        /// With a key that only this process has.
        static func beginning(_ name: StreamName) -> Aggregate {
            Aggregate(number: Int64(name.hashValue) | Int64.min)
        }

        /// `nil`: the ledger does not have it yet.
        var id: UInt32? { number < 0 ? nil : UInt32(truncatingIfNeeded: number) }
    }

    let eventsMax: Int64
    /// Events of each aggregate, with those that were taken here.
    private var counts: [Aggregate: Int64] = [:]
    /// Aggregates that an alias taken here joins to another.
    private var joined: [Aggregate: Aggregate] = [:]
    /// Aggregates of customers who have IDs and no stream of their own yet.
    private var found: [StreamName: Aggregate] = [:]
    private var persons: PersonBound
    /// How many events are taken here at most; `nil`: any number, or an alias may be among them.
    private let coming: Int64?

    /// - Parameters:
    ///   - coming: How many events are taken here at most.
    ///   - mayJoin: Whether an alias may be among them.
    init(_ bounds: AggregateBounds, coming: Int? = nil, mayJoin: Bool = true) {
        eventsMax = bounds.eventsMax
        persons = PersonBound(idsMax: bounds.idsMax)
        self.coming = mayJoin ? nil : coming.map { Int64($0) }
    }

    /// Counts one report that is about to be appended.
    /// - Parameter stream: The report's, where it has begun.
    /// - Throws: `aggregate_full`; nothing was counted then.
    mutating func take(
        _ report: PreparedEvent, _ stream: UInt32?, _ group: GroupDecision, _ state: LedgerState
    ) throws(EventProblem) {
        if report.isPlain, hasRoomForAll(stream, group, state) { return }
        try take(report.draft, in: report.stream, group, state)
    }

    /// Whether a customer or lineage by itself stays below the bound even if everything that comes is its own. Nothing
    /// is counted for such a one: it is the same for each of its events.
    private func hasRoomForAll(
        _ stream: UInt32?, _ group: GroupDecision, _ state: LedgerState
    ) -> Bool {
        guard let coming, coming <= eventsMax else { return false }
        guard let stream else { return state.identity.isEmpty }
        guard state.isAlone(stream) else { return false }
        return group.head(of: stream, state).version + coming <= eventsMax
    }

    /// Counts one event that is about to be appended.
    /// - Parameter name: The event's stream.
    /// - Throws: `aggregate_full`; nothing was counted then.
    /// - Complexity: O(1), besides the streams of an aggregate that is met for the first time.
    mutating func take(
        _ draft: EventDraft, in name: StreamName, _ group: GroupDecision, _ state: LedgerState
    ) throws(EventProblem) {
        guard name.kind != .ledger else { return }
        let aggregate = aggregate(of: name, state)
        if draft.type == .subjectAliased, let alias = draft.data["alias"]?.text,
            let canonical = draft.data["canonical"]?.text
        {
            try join(alias, canonical, name.environment, group, state)
        }
        let root = root(of: aggregate)
        let count = count(of: root, group, state)
        try EventProblem.require(
            count < eventsMax, .aggregateFull,
            name.kind == .lineage ? "data.original_transaction_id" : "subject",
            "\(name) has \(count) events, and \(eventsMax) are the most that one customer or lineage may have; look for an app that repeats itself, and record what is genuine under another id"
        )
        counts[root] = count + 1
    }

    /// Counts one event less, which was taken here by `take(_:in:_:_:)` and is not appended after all. It is no alias:
    /// what that joined would stay joined.
    mutating func giveBack(in name: StreamName, _ state: LedgerState) {
        guard name.kind != .ledger else { return }
        let root = root(of: aggregate(of: name, state))
        if let count = counts[root] { counts[root] = count - 1 }
    }

    private mutating func join(
        _ alias: String, _ canonical: String, _ environment: Environment, _ group: GroupDecision,
        _ state: LedgerState
    ) throws(EventProblem) {
        let left = root(of: aggregate(of: StreamName(environment, .customer, alias), state))
        let right = root(of: aggregate(of: StreamName(environment, .customer, canonical), state))
        guard left != right else {
            return try persons.join(alias, canonical, environment, state)
        }
        let sum = count(of: left, group, state) + count(of: right, group, state)
        // One place is the alias's own.
        try EventProblem.require(
            sum < eventsMax, .aggregateFull, "data.alias",
            "\(alias) and \(canonical) have \(sum) events together, and \(eventsMax) are the most that one customer may have; keep them apart"
        )
        try persons.join(alias, canonical, environment, state)
        joined[left] = right
        counts[right] = sum
    }

    private mutating func aggregate(of name: StreamName, _ state: LedgerState) -> Aggregate {
        guard let id = state.names.id(of: name.name) else { return .beginning(name) }
        if let stream = state.streamID(name.environment, name.kind, id) {
            return .known(state.aggregate(of: stream))
        }
        // A new stream of a customer who is known under another ID joins that aggregate.
        guard name.kind == .customer,
            state.identity.isLinked(CustomerKey(name.environment, id))
        else { return .beginning(name) }
        if let known = found[name] { return known }
        let person = state.person(CustomerKey(name.environment, id))
        let streams = person.members.compactMap {
            state.streamID(name.environment, .customer, $0)
        }
        // Of a person without any stream the first id stands for all.
        let aggregate =
            streams.min().map { .known(state.aggregate(of: $0)) }
            ?? Aggregate.beginning(
                StreamName(name.environment, .customer, state.names[person.members[0]]))
        found[name] = aggregate
        return aggregate
    }

    private mutating func root(of aggregate: Aggregate) -> Aggregate {
        var aggregate = aggregate
        while let next = joined[aggregate] {
            // Halves the way for the next look-up.
            if let further = joined[next] { joined[aggregate] = further }
            aggregate = next
        }
        return aggregate
    }

    private func count(of aggregate: Aggregate, _ group: GroupDecision, _ state: LedgerState)
        -> Int64
    {
        if let known = counts[aggregate] { return known }
        guard let id = aggregate.id else { return 0 }
        return state.streams(of: id).reduce(0) { $0 + group.head(of: $1, state).version }
    }
}
