import DaybookDomain
import DaybookEvents

/// What is different about customers between two moments.
struct Differences {
    let core: LedgerCore

    /// What is different about a customer between two moments, each with what was true and what was known then.
    func difference(
        of subject: String, profile: String? = nil, environment: Environment = .production,
        from: Moment, to: Moment
    ) throws -> (difference: CustomerDifference, from: AsOf, to: AsOf) {
        let (before, old) = try CustomerAnswers(core: core).status(
            of: subject, profile: profile, environment: environment, moment: from)
        let (after, new) = try CustomerAnswers(core: core).status(
            of: subject, profile: profile, environment: environment, moment: to)
        let difference = CustomerDifference(
            subject: subject, environment: environment,
            changes: JSONDifference.between(before.compared(old), after.compared(new)))
        return (difference, old, new)
    }

    /// Every customer about whom something is different between two moments, in the order of environments and names.
    func differences(
        in environment: Environment? = nil, from: Moment, to: Moment,
        progress: (Int, Int) throws -> Void = { _, _ in },
        _ visit: (CustomerDifference) throws -> Void
    ) throws -> Int {
        let names = try namesToCompare(from, to).filter {
            environment == nil || $0.environment == environment
        }
        var people = 0
        for (index, (environment, name)) in names.enumerated() {
            let (after, new) = try CustomerAnswers(core: core).status(
                of: name, environment: environment, moment: to)
            // Several ids of one person are one customer.
            if haveSameBytes(after.subject, name) {
                people += 1
                let (before, old) = try CustomerAnswers(core: core).status(
                    of: name, environment: environment, moment: from)
                let changes = JSONDifference.between(before.compared(old), after.compared(new))
                if !changes.isEmpty {
                    try visit(
                        CustomerDifference(
                            subject: name, environment: environment, changes: changes))
                }
            }
            try progress(index + 1, names.count)
        }
        return people
    }

    /// Fills in what a receipt's events changed: what is different in the status at the commit's own time, and which
    /// earlier answers were others (rule 24).
    /// - Parameter customerCountMax: At most so many customers are looked at, in the order of first naming.
    func tell(in receipt: inout Receipt, customerCountMax: Int = 100) throws {
        guard let first = receipt.positions.first, let last = receipt.positions.last else { return }
        let named = try Restatements(core: core).customersNamed(from: first, through: last)
        receipt.omitted = max(0, named.count - customerCountMax)
        let at = receipt.recordedAt - receipt.clockLead
        for customer in named.prefix(customerCountMax) {
            let difference = try difference(
                of: customer.subject, environment: customer.environment,
                from: Moment(at: at, knownAt: .position(first - 1)),
                to: Moment(at: at, knownAt: .position(last))
            ).difference
            if !difference.changes.isEmpty { receipt.changes.append(difference) }
            let restatements = try Restatements(core: core).restatements(
                of: customer.subject, environment: customer.environment, from: first, through: last)
            guard !restatements.isEmpty else { continue }
            receipt.restatements.append(
                CustomerRestatements(
                    subject: customer.subject, environment: customer.environment,
                    restatements: restatements))
        }
    }
}

extension Differences {
    /// The names of all customers about whom something may be different, in the order of environments and names.
    private func namesToCompare(
        _ first: Moment, _ second: Moment
    ) throws -> [(environment: Environment, name: String)] {
        if let at = first.at, at == second.at, let names = try namesBetween(first, second) {
            return names
        }
        let cut = try core.translating {
            try core.resolve(second.knownAt, now: core.clock()).position
        }
        return core.state.withLock { state in
            let persons = Persons(state, cut: cut)
            return Environment.allCases.flatMap { environment in
                let ids =
                    state.subjects(in: environment).map { state.names.id(of: $0) ?? 0 }
                    + state.receivers(in: environment, cut: cut)
                // The name that is shown may be one of which no event but an alias tells.
                let shown = ids.map { id in
                    ExactText(state.names[persons[CustomerKey(environment, id)].shown])
                }
                return Set(shown).map(\.text).sorted(by: precedesInBytes).map { (environment, $0) }
            }
        }
    }

    /// The names of the customers whom the events concern that only one of the moments knows; `nil` where these publish
    /// a catalog, which may concern every customer.
    private func namesBetween(
        _ first: Moment, _ second: Moment
    ) throws -> [(environment: Environment, name: String)]? {
        let now = core.clock()
        let asked = try core.translating {
            try [first, second].map { try core.resolve($0.knownAt, now: now).position }
        }
        let head = try core.head().position
        let (old, new) = (min(head, asked[0]), min(head, asked[1]))
        let between = min(old, new)..<max(old, new)
        if between.isEmpty { return [] }
        if try core.catalogs().versions.contains(where: { between.contains($0.position - 1) }) {
            return nil
        }
        let keys = try Restatements(core: core).namesConcerned(
            from: between.lowerBound + 1, through: between.upperBound)
        return core.state.withLock { state in
            let persons = Persons(state, cut: new)
            var names: [Environment: Set<String>] = [:]
            for key in keys {
                let shown = persons[key].shown
                names[key.environment, default: []].formUnion([
                    state.names[key.name], state.names[shown],
                ])
            }
            return Environment.allCases.flatMap { environment in
                (names[environment] ?? []).sorted(by: precedesInBytes).map { (environment, $0) }
            }
        }
    }
}

extension Status {
    /// What two moments are compared by: everything but the moment itself.
    package func compared(_ asOf: AsOf) -> JSONObject {
        var object = json(asOf)
        object["as_of"] = nil
        object["catalog"] = asOf.catalog.map(JSONValue.integer)
        return object
    }
}
