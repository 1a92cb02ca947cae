public import DaybookDomain
public import DaybookEvents
public import DaybookStore

/// Questions. All of them answer from one cut and change nothing.
extension Ledger {
    /// May this customer do that? (rules §2.10)
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have.
    public func check(
        _ question: CheckQuestion, for subject: String, environment: Environment = .production,
        moment: Moment = .now
    ) throws -> (decision: Decision, asOf: AsOf) {
        let (customer, asOf) = try namedCase(subject, environment, moment)
        guard let check = Check(customer) else { throw try noCatalog(asOf) }
        do throws(UnknownName) {
            return (try check.decide(question), asOf)
        } catch {
            throw LedgerError.badInput([
                InputProblem(
                    line: nil, column: nil, code: "unknown_name", reason: error.description)
            ])
        }
    }

    /// The same for one feature or meter, now, in production.
    public func check(_ name: String, for subject: String) throws -> Decision {
        try check(CheckQuestion(name), for: subject).decision
    }

    /// Everything about one customer, in the app's own words.
    public func status(
        of subject: String, profile: String? = nil, environment: Environment = .production,
        moment: Moment = .now, locale: String? = nil
    ) throws -> (status: Status, asOf: AsOf) {
        let (customer, asOf) = try namedCase(subject, environment, moment)
        guard let question = StatusQuestion(customer) else { throw try noCatalog(asOf) }
        return (question.answer(profile: profile, locale: locale), asOf)
    }

    /// The case with the texts of all that an answer shows by name.
    private func namedCase(
        _ subject: String, _ environment: Environment, _ moment: Moment
    ) throws -> (question: CustomerCase, asOf: AsOf) {
        var (question, asOf) = try customerCase(subject, environment, moment)
        if question.namesToLookUp.isEmpty { return (question, asOf) }
        let bare = question
        question = try translating {
            try reading(about: subject, environment, cut: asOf.position, at: nil) { state in
                try ReferenceTexts(state: state, store: store, cut: asOf.position)
                    .completing(bare)
            }
        }
        return (question, asOf)
    }

    static var noCatalog: LedgerError {
        .badInput([
            InputProblem(
                line: nil, column: nil, code: "no_catalog",
                reason: "the ledger has no catalog; publish one")
        ])
    }

    /// Why an answer has no rules to go by: there are none, or none was known then.
    func noCatalog(_ asOf: AsOf) throws -> LedgerError {
        guard let first = try catalogs().versions.map(\.position).min() else {
            return Self.noCatalog
        }
        return .badInput([
            InputProblem(
                line: nil, column: nil, code: "no_catalog_known",
                reason:
                    "no catalog was known at position \(asOf.position), so there were no rules yet; the first one is at position \(first)"
            )
        ])
    }

    /// The digest of all folded states, and how many units there are (rule 23).
    /// - Parameter knownAt: `nil`: everything that is recorded. Else the digest of a ledger that ends there.
    public func digest(
        knownAt: Moment.Knowledge? = nil
    ) throws -> (digest: StateDigest, unitCount: Int) {
        try refresh()
        return try translating {
            let cut = try resolve(knownAt, now: clock()).position
            return try Self.digest(of: try knownState(at: cut))
        }
    }

    static func digest(of state: LedgerState) throws -> (digest: StateDigest, unitCount: Int) {
        let parts = try UnitPass(state, workers: UnitPass.workersDefault).run(UnitSum()) {
            $0.add($1, $2, state)
        }
        return parts.reduce(into: (StateDigest(), 0)) { sum, part in
            sum.0.add(part.digest)
            sum.1 += part.unitCount
        }
    }

    /// The last position, and when it was recorded.
    public func head() throws -> StoreHead {
        try refresh()
        return state.withLock { $0.head }
    }

    /// How many links were looked at to find out who is who, since the ledger was opened.
    package var groupingStepCount: Int { state.withLock { $0.groupingStepCount } }

    /// The published catalogs, in the order in which they take effect.
    public func catalogs() throws -> CatalogHistory {
        try refresh()
        return state.withLock { $0.catalogs }
    }

    /// Every customer that any event names, by name, in the order of the names' bytes.
    public func subjects(in environment: Environment = .production) throws -> [String] {
        try refresh()
        return try translating { state.withLock { $0.subjects(in: environment) } }
    }
}

extension LedgerState {
    /// Every customer that any event names, in the order of the names' bytes.
    func subjects(in environment: Environment) -> [String] {
        // A state of the past knows the numbers of streams that were still to come.
        var known: Set<NameID> = []
        for id in 1..<UInt32(storedStreamCount + 1) {
            let entry = streams[id]
            let isTheirs = entry.record.environment == environment && entry.record.kind == .customer
            if isTheirs, entry.head.position > 0 { known.insert(entry.record.name) }
        }
        forEachNaming { customer, _ in
            if customer.environment == environment { known.insert(customer.name) }
        }
        return known.map { names[$0] }.sorted(by: precedesInBytes)
    }

    /// Every customer to whom somebody gave everything: they may have lines that do not name them.
    /// - Parameter cut: Only what was recorded at or before this position is known.
    func receivers(in environment: Environment, cut: Int64 = Int64.max) -> Set<NameID> {
        var found: Set<NameID> = []
        identity.forEach({ _, _ in }) { key, handover in
            if key.environment == environment, handover.position <= cut, handover.to != 0 {
                found.insert(handover.to)
            }
        }
        return found
    }

    /// The name under which a unit enters the digest: the person's shown name, or the line's.
    func unitName(_ unit: UInt32) -> StreamName {
        let record = stream(unit)
        guard record.kind == .customer else { return streamName(unit) }
        let person = identity.person(
            CustomerKey(record.environment, record.name), cut: Int64.max,
            corrections: corrections, names: names)
        return StreamName(record.environment, .customer, names[person.shown])
    }
}
