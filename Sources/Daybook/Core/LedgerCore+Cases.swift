import DaybookDomain
import DaybookEvents
import DaybookStore

/// How long the state is held: every question and every decision needs it, so none may read and fold much of one
/// customer while holding it.
///
/// A question about little is answered while it is held. For one about much the state is copied first: a copy costs
/// nothing by itself, but whatever the next commit changes in what both share is copied then, which is worth it for a
/// long fold alone.
extension LedgerCore {
    /// About a millisecond of reading and folding.
    package static let eventsUnderLockMax: Int64 = 4_096

    /// Gathers one customer's case at a moment; every answer is made from one.
    package func customerCase(
        _ subject: String, _ environment: Environment, _ moment: Moment
    ) throws -> (question: CustomerCase, asOf: AsOf) {
        try refresh()
        return try translating {
            let now = clock()
            let cut = try resolve(moment.knownAt, now: now)
            let last = state.withLock { $0.head.recordedAt }
            return try reading(
                about: subject, environment, cut: cut.position,
                at: moment.at ?? LedgerClock(wall: now, last: last).now
            ) { state in
                let time = LedgerClock(wall: now, last: state.head.recordedAt)
                let at = moment.at ?? time.now
                let builder = CaseBuilder(state: state, store: store, cut: cut.position, at: at)
                let question = try builder.build(environment, subject)
                let asOf = AsOf(
                    at: at, knownAt: moment.knownAtInstant,
                    position: min(cut.position, state.head.position),
                    catalog: question.catalog(at: at)?.version, isOpen: cut.isOpen,
                    clockLead: moment.at == nil ? time.lead : 0)
                return (question, asOf)
            }
        }
    }

    private enum Reading<Result: Sendable>: Sendable {
        case done(Result)
        case long(LedgerState)
    }

    /// Works something out about a customer.
    /// - Parameters:
    ///   - at: What time is asked about, of which a folded state at hand may tell; `nil`: every event is read.
    package func reading<Result: Sendable>(
        about subject: String, _ environment: Environment, cut: Int64, at: Int64?,
        _ body: (LedgerState) throws -> Result
    ) throws -> Result {
        let reading: Reading<Result> = try state.withLock { state in
            let isLong =
                state.eventsToFold(subject, environment, cut: cut, at: at)
                > Self.eventsUnderLockMax
            return isLong ? .long(state) : .done(try body(state))
        }
        switch reading {
        case .done(let result): return result
        case .long(let state): return try body(state)
        }
    }
}

extension LedgerState {
    /// How many events are read and folded to answer about a customer; of what is at hand, none.
    package func eventsToFold(
        _ subject: String, _ environment: Environment, cut: Int64, at: Int64?
    ) -> Int64 {
        let members = members(named: subject, in: environment, cut: cut)
        let streams = members.compactMap { streamID(environment, .customer, $0) }
        let lineages = members.flatMap { self.lineages(naming: CustomerKey(environment, $0)) }
        let own = streams.reduce(0) { $0 + headOf($1).version }
        let bought = lineages.reduce(0) { $0 + headOf($1).version }
        let all = own + bought
        guard let at, all > LedgerCore.eventsUnderLockMax, cut >= head.position else { return all }
        var count: Int64 = 0
        if let first = streams.min(), !isAtHand(aggregate(of: first), at) { count += own }
        for lineage in lineages where !isAtHand(lineage, at) { count += headOf(lineage).version }
        return count
    }

    private func isAtHand(_ aggregate: UInt32, _ at: Int64) -> Bool {
        guard let known = cache?.state(of: aggregate, stamp(of: aggregate)) else { return false }
        return known.newest.occurredAt <= at
    }
}
