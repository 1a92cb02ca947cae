public import Daybook
public import DaybookDomain
public import DaybookEvents

/// The event that made a state wrong.
extension Ledger {
    private static let subjectCountMax = 20

    /// Finds the event since which a condition holds, by bisection over what was known.
    ///
    /// The valid time stays the same: "as of then, with which event did it become so?" Of all customers, each look
    /// begins at the newest snapshot that is not younger.
    /// - Parameters:
    ///   - condition: Whether a feature or a meter is allowed or denied, or how much of a meter is used.
    ///   - holds: `false`: since which event it fails.
    ///   - subject: `nil`: of any customer.
    ///   - profile: The profile that is asked about; `nil`: the customer as a whole.
    ///   - environment: The environment whose customers are looked at.
    ///   - at: Valid time, milliseconds since 1970 UTC; `nil`: now.
    ///   - from: A position at which it is not so yet; `nil`: before the first event.
    ///   - through: A position at which it is so; `nil`: the end.
    ///   - progress: Folds done, and how many there may be at most.
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have, a condition on a type of events, and
    ///   for positions beyond the end or out of order.
    public func bisect(
        _ condition: AnswerCondition, holds: Bool = true, of subject: String? = nil,
        profile: String? = nil, environment: Environment = .production, at: Int64? = nil,
        from: Int64? = nil, through: Int64? = nil,
        progress: @Sendable (Int, Int) throws -> Void = { _, _ in }
    ) throws -> Bisection {
        try refresh()
        return try core.translating {
            let head = try core.store.head()
            let last = try core.resolve(
                through.map { .position($0) } ?? .position(head.position), now: 0
            )
            .position
            let first = try core.resolve(.position(from ?? 0), now: 0).position
            try check(condition, first, last)
            let instant = at ?? LedgerClock(wall: core.clock(), last: head.recordedAt).now
            let look = ConditionLook(
                ledger: self, condition: condition, profile: profile, environment: environment,
                at: instant)
            try look.checkNames(through: last)
            let most = 2 * (Int64.bitWidth - (last - first).leadingZeroBitCount) + 2
            var folds = 0
            var search = BisectionSearch()
            let turn = try search.turn(first, last) { position in
                folds += 1
                try progress(folds, most)
                return try look.holds(of: subject, knownAt: position) == holds
            }
            var result = Bisection(
                condition: condition, holds: holds, outcome: .never, at: instant, from: first,
                through: last, folds: search.folds, subjects: [])
            switch turn {
            case .never: break
            case .always: result.outcome = .always
            case .at(let position):
                let frozen = core.state.withLock { $0 }
                guard
                    let entry = try CustomerHistory(core: core).entries(
                        try core.store.rows(at: [position]), frozen, cut: Int64.max,
                        until: Int64.max
                    ).first
                else { throw StoreError(.damaged, "position \(position) cannot be read") }
                result.outcome = .turned(by: entry)
                if holds, subject == nil {
                    let found = try look.subjects(
                        knownAt: position, countMax: Self.subjectCountMax)
                    result.subjects = found.first
                    result.subjectsOmitted = found.count - found.first.count
                }
            }
            return result
        }
    }

    private func check(_ condition: AnswerCondition, _ first: Int64, _ last: Int64) throws {
        if case .event(let type) = condition {
            throw LedgerError.bad(
                "bad_condition",
                "\(type) happens and is over: nothing holds since; write allowed:NAME, denied:NAME or used:METER>=N"
            )
        }
        try LedgerError.require(
            first <= last, "bad_range",
            "position \(first), where to begin, is behind \(last), where to end")
    }
}

/// Whether a condition holds as known at a position.
private struct ConditionLook: Sendable {
    let ledger: Ledger
    let condition: AnswerCondition
    let profile: String?
    let environment: Environment
    let at: Int64

    /// A name that no catalog has is a mistake of the question; one that older catalogs lack is none.
    func checkNames(through last: Int64) throws {
        let catalogs = try ledger.catalogs().known(at: last)
        do throws(UnknownName) {
            try condition.checkNames(in: catalogs)
        } catch {
            throw LedgerError.bad("unknown_name", error.description)
        }
    }

    func holds(of subject: String?, knownAt position: Int64) throws -> Bool {
        guard let subject else {
            return try subjects(knownAt: position, countMax: 1).count > 0
        }
        let (question, _) = try ledger.core.customerCase(
            subject, environment, Moment(at: at, knownAt: .position(position)))
        return holds(of: question)
    }

    private func holds(of question: CustomerCase) -> Bool {
        (try? condition.holds(of: question, after: nil, profile: profile)) ?? false
    }

    /// Of how many it holds, and the first of them in the order of their names' bytes.
    func subjects(
        knownAt position: Int64, countMax: Int
    ) throws -> (first: [String], count: Int) {
        let known = try ledger.core.knownState(at: position).forgetful()
        // Before the first event there is no customer.
        guard known.head.position > 0 else { return ([], 0) }
        let pass = CustomerPass(
            state: known, store: ledger.core.store, environment: environment, at: at,
            workers: AggregatePass.workersDefault)
        let found = try pass.run((names: [String](), count: 0)) { found, question in
            guard question.isKnown, holds(of: question) else { return }
            found.count += 1
            // Which ones are kept does not depend on the worker that folds them.
            let place = found.names.sortedPrefixCount { precedesInBytes($0, question.subject) }
            if place < countMax { found.names.insert(question.subject, at: place) }
            if found.names.count > countMax { found.names.removeLast() }
        }
        let names = found.flatMap(\.names).sorted(by: precedesInBytes)
        return (Array(names.prefix(countMax)), found.reduce(0) { $0 + $1.count })
    }
}
