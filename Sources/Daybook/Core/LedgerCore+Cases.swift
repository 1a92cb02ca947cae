import DaybookDomain
import DaybookEvents
import DaybookStore

/// How long the state is held: every question and every decision needs it, so a case is gathered while holding it only
/// where all of it is at hand.
///
/// For any other the state is copied first: a copy costs little by itself, and what the next commit changes in what
/// both share is copied then, parts of tables and a few short lists. Positions of keys are not needed for a case, and
/// not held.
extension LedgerCore {
    /// What other questions may read and fold while holding the state: about a millisecond.
    package static let eventsUnderLockMax: Int64 = 4_096

    /// Gathers one customer's case at a moment; every answer is made from one.
    /// - Parameter customer: The number of the customer's id, where that was found already (`atHand`).
    package func customerCase(
        _ subject: String, _ environment: Environment, _ moment: Moment, customer: NameID? = nil
    ) throws -> (question: CustomerCase, asOf: AsOf) {
        noteReader()
        try refresh()
        return try translating {
            let now = clock()
            let cut = try resolve(moment.knownAt, now: now)
            let question = CaseQuestion(
                subject: subject, environment: environment, moment: moment, now: now,
                cut: cut.position, isOpen: cut.isOpen)
            let gathering: Gathering = try state.withLock { state in
                let builder = question.builder(state)
                // Of what is known now the ids are found once, to see how much there is and to gather it.
                let key =
                    cut.position >= state.head.position
                    ? try customer.map { CustomerKey(environment, $0) }
                        ?? builder.key(environment, subject) : nil
                let members =
                    key.map { builder.members($0) }
                    ?? state.members(named: subject, in: environment, cut: cut.position)
                let count = state.eventsToFold(
                    of: members, environment, cut: cut.position, at: builder.at, lookingAbove: 0)
                let isAtHand = count == 0 && !state.mayOwnOthersLineages(members, environment)
                return isAtHand
                    ? .done(try question.answer(builder, key)) : .folding(builder, key)
            }
            switch gathering {
            case .done(let answer): return answer
            case .folding(let builder, let key): return try question.answer(builder, key)
            }
        }
    }

    /// What is at hand about a customer who is asked about now.
    package struct AtHand {
        /// What was decided before about the customer as they are now, if it still stands.
        package var decision: (decision: Decision, asOf: AsOf)?
        /// The number of the customer's id, where an event names it as it is asked for.
        package var customer: NameID?
    }

    /// Looks for a decision that still stands.
    package func atHand(
        _ question: CheckQuestion, for subject: String, _ environment: Environment
    ) throws -> AtHand {
        noteReader()
        try refresh()
        return try translating {
            let wall = clock()
            return state.withLock { state in
                let time = LedgerClock(wall: wall, last: state.head.recordedAt)
                let exact = state.exactCustomer(named: subject, in: environment)
                guard
                    let name = exact ?? state.customers(named: subject, in: environment).first,
                    name != 0
                else { return AtHand() }
                let standing = state.standing(
                    question, about: CustomerKey(environment, name), at: time.now)
                return AtHand(
                    decision: standing.map {
                        (
                            $0.decision,
                            AsOf(
                                at: time.now, position: state.head.position, catalog: $0.catalog,
                                isOpen: true, clockLead: time.lead)
                        )
                    }, customer: exact)
            }
        }
    }

    /// Remembers a decision about a customer as they are now, where it stands for some time.
    /// - Parameter customer: The number of the customer's id, where that is known.
    package func remember(
        _ question: CheckQuestion, _ decision: Decision, _ check: Check, _ asOf: AsOf,
        customer: NameID? = nil
    ) {
        guard let until = check.standing(question, decision),
            let standing = StandingDecision(
                question, decision, catalog: asOf.catalog, times: asOf.at..<until,
                upon: check.context)
        else { return }
        state.withLock { $0.remember(standing, about: check.context, customer: customer) }
    }

    /// So many commits after a question are taken in beside those who ask, 128 of the largest: seconds of a writer at
    /// full speed.
    private static let commitsBesideMax = 16_384

    private func noteReader() {
        // Read first: many threads ask, and a write takes the line of memory from all others.
        if commitsBeside.load(ordering: .relaxed) < Self.commitsBesideMax {
            commitsBeside.store(Self.commitsBesideMax, ordering: .relaxed)
        }
    }

    private enum Gathering {
        case done((CustomerCase, AsOf))
        case folding(CaseBuilder, CustomerKey?)
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
        noteReader()
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
    /// How many events are read and folded to answer about a customer; of what is at hand, none, unless there is so
    /// little that it makes no difference.
    package func eventsToFold(
        _ subject: String, _ environment: Environment, cut: Int64, at: Int64?
    ) -> Int64 {
        eventsToFold(
            of: members(named: subject, in: environment, cut: cut), environment, cut: cut, at: at,
            lookingAbove: LedgerCore.eventsUnderLockMax)
    }

    /// Whether the customer may have lineages that name none of their ids, which `eventsToFold` does not count: those
    /// of another customer who gave them everything.
    fileprivate func mayOwnOthersLineages(
        _ members: [NameID], _ environment: Environment
    ) -> Bool {
        !identity.isEmpty && !handovers(of: members, in: environment).isEmpty
    }

    /// - Parameter limit: What is at hand is looked for only where there are more events.
    fileprivate func eventsToFold(
        of members: [NameID], _ environment: Environment, cut: Int64, at: Int64?,
        lookingAbove limit: Int64
    ) -> Int64 {
        var own: Int64 = 0
        var bought: Int64 = 0
        var first: StreamTable.Entry?
        for member in members {
            if let stream = streams.entry(environment, .customer, member) {
                own += stream.head.version
                if first.map({ stream.record.id < $0.record.id }) ?? true { first = stream }
            }
            for lineage in lineages(naming: CustomerKey(environment, member)) {
                bought += headOf(lineage).version
            }
        }
        let all = own + bought
        guard let at, all > limit, cut >= head.position else { return all }
        var count: Int64 = 0
        if let first, !isAtHand(streams.first(of: first), at) { count += own }
        for member in members {
            for lineage in lineages(naming: CustomerKey(environment, member)) {
                let stream = streams[lineage]
                if !isAtHand(stream, at) { count += stream.head.version }
            }
        }
        return count
    }

    /// - Parameter first: The first stream of an aggregate, whose number it has.
    private func isAtHand(_ first: StreamTable.Entry, _ at: Int64) -> Bool {
        let known = cache?.state(of: first.record.id, stamp(of: first))
        return known.map { $0.newest.occurredAt <= at } ?? false
    }
}

/// A question about one customer at a moment.
private struct CaseQuestion {
    let subject: String
    let environment: Environment
    let moment: Moment
    let now: Int64
    let cut: Int64
    let isOpen: Bool

    func builder(_ state: consuming LedgerState) -> CaseBuilder {
        let at = moment.at ?? time(state.head.recordedAt).now
        state.keys = nil
        return CaseBuilder(state: state, cut: cut, at: at)
    }

    /// - Parameter key: The customer whom the subject names; `nil`: not looked up yet, or there is none.
    func answer(
        _ builder: CaseBuilder, _ key: CustomerKey?
    ) throws -> (CustomerCase, AsOf) {
        let question = try key.map { try builder.build($0) } ?? builder.build(environment, subject)
        let asOf = AsOf(
            at: builder.at, knownAt: moment.knownAtInstant,
            position: min(cut, builder.state.head.position),
            catalog: question.catalog(at: builder.at)?.version, isOpen: isOpen,
            clockLead: moment.at == nil ? time(builder.state.head.recordedAt).lead : 0)
        return (question, asOf)
    }

    /// - Parameter last: The newest recorded time.
    private func time(_ last: Int64) -> LedgerClock { LedgerClock(wall: now, last: last) }
}
