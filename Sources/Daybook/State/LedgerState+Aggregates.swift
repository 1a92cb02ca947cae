import DaybookDomain
import DaybookEvents
import DaybookStore

/// Which streams are folded together: those of one person, and every lineage by itself (rule 7).
///
/// Aggregates are put together anew after a batch, not after each event: one walk then looks at every link once,
/// however many aliases of one person the batch holds. Until then an aggregate is what it was, and its stamp says so.
extension LedgerState {
    /// A stream begins. It can belong to an existing aggregate only where an alias names its customer.
    package mutating func touch(_ record: StreamRecord) {
        let key = CustomerKey(record.environment, record.name)
        if record.kind == .customer, identity.isLinked(key) { touched.insert(key) }
    }

    /// An alias or an un-alias was recorded, voided, or holds again: what was one person may be two now.
    package mutating func touch(link event: Event, _ environment: Environment) {
        let alias = CustomerKey(environment, event.nameA)
        touched.insert(alias)
        let others = event.nameB == 0 ? identity.everLinked(to: alias) : [event.nameB]
        for name in others { touched.insert(CustomerKey(environment, name)) }
    }

    /// Keeps the state of a customer who begins with an event that was just applied, so that the next question about
    /// the customer need not read it: the app that used something asks again.
    package func keepAtHand(beginningWith event: Event) {
        let (stream, entry) = (event.stream, streams[event.stream])
        guard entry.head.version == 1, entry.record.kind == .customer, isAlone(entry, stream),
            event.type != .subjectAliased, event.type != .subjectUnaliased,
            !corrections.concerns(EventKey(entry.record.environment, event.source, event.key))
        else { return }
        var folded = AggregateState(kind: .customer)
        folded.evolve(event, names: names)
        cache?.keep(SharedAggregate(consume folded), of: stream, stamp(of: entry))
    }

    /// Puts the streams of every person who was touched into one aggregate each.
    /// - Complexity: O(*n* log *n*) in the links and streams of these persons, of those that they were with before,
    ///   too.
    package mutating func regroup() {
        if touched.isEmpty { return }
        let outcome = Regrouping.outcome(self)
        touched = []
        groupingStepCount += outcome.stepCount
        for aggregate in outcome.former { streams.setMembers(of: aggregate, []) }
        for group in outcome.groups {
            for stream in group where self.aggregate(of: stream) != group[0] {
                streams.setAggregate(of: stream, group[0])
            }
            streams.setMembers(of: group[0], group)
        }
    }
}

/// Works out which streams are one aggregate from now on.
private struct Regrouping {
    struct Outcome {
        /// Aggregates that are not what they were.
        var former: Set<UInt32> = []
        /// The streams of each new one, ascending.
        var groups: [[UInt32]] = []
        var stepCount = 0
    }

    private let state: LedgerState
    private var walks: [Environment: IdentityWalk] = [:]
    private var seen: Set<CustomerKey> = []
    private var waiting: [CustomerKey] = []
    private var outcome = Outcome()

    private init(_ state: LedgerState) {
        self.state = state
        waiting = Array(state.touched)
    }

    /// The new aggregates of all customers who were touched; they hold no copy of the state.
    static func outcome(_ state: LedgerState) -> Outcome {
        var regrouping = Regrouping(state)
        while let customer = regrouping.waiting.popLast() {
            if !regrouping.seen.contains(customer) { regrouping.take(customer) }
        }
        regrouping.outcome.stepCount = regrouping.walks.values.reduce(0) { $0 + $1.stepCount }
        return regrouping.outcome
    }

    private mutating func take(_ customer: CustomerKey) {
        let environment = customer.environment
        var walk =
            walks.removeValue(forKey: environment)
            ?? IdentityWalk(
                state.identity, environment, cut: Int64.max, corrections: state.corrections,
                names: state.names)
        let members = walk.person(customer.name).members
        walks[environment] = walk
        for name in members { seen.insert(CustomerKey(environment, name)) }
        let joined = members.compactMap { state.streamID(environment, .customer, $0) }.sorted()
        guard let first = joined.first else { return }
        let isUnchanged =
            joined.allSatisfy { state.aggregate(of: $0) == first }
            && state.streams(of: first).count == joined.count
        if isUnchanged { return }
        outcome.groups.append(joined)
        // A customer who was in one of these aggregates before may now stand alone.
        for stream in joined where outcome.former.insert(state.aggregate(of: stream)).inserted {
            for other in state.streams(of: state.aggregate(of: stream)) {
                let record = state.stream(other)
                waiting.append(CustomerKey(record.environment, record.name))
            }
        }
    }
}
