public import Daybook

/// How far two ledgers had to be looked into to find the customers with different answers.
public struct LedgerComparison: Sendable, Equatable {
    /// Whether both have the same catalogs. Other catalogs may change any answer: then all customers are compared.
    public var areCatalogsSame = true
    /// Whether the sums of both ledgers were read from snapshots; else every aggregate was folded for them.
    public var isFromSnapshots = false
    /// Of the 256 buckets, how many have different sums.
    public var buckets = 0
    /// How many aggregates of these buckets were looked into, in both ledgers together.
    public var aggregates = 0
    /// How many customers' statuses were compared.
    public var customers = 0
    /// Of how many customers something is different.
    public var differing = 0

    /// A comparison of nothing so far: all counts 0, catalogs the same.
    public init() {}
}

extension Ledger {
    /// Every customer about whom something is different between two ledgers, found by the sums of 256 buckets: only the
    /// aggregates of buckets that differ are looked into, and only the customers whom those aggregates concern are
    /// compared.
    ///
    /// Sums are read from snapshots where a digested one stands at a ledger's head (`snapshot`); elsewhere every
    /// aggregate is folded once.
    /// - Parameters:
    ///   - other: What is compared with: a ledger of the same app in another file.
    ///   - environment: `nil`: all of them.
    ///   - at: What is true then is compared; `nil`: now.
    ///   - progress: Work done and work in all, of one part of the work after the other.
    ///   - visit: Is given each customer with a difference, from the other ledger to this one, in the order of
    ///     environments and names.
    /// - Throws: `LedgerError.badInput` for another app, for the same ledger, and where there is no catalog; `.store`;
    ///   what the closures throw.
    public func differences(
        from other: Ledger, in environment: Environment? = nil, at: Int64? = nil,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in },
        _ visit: (CustomerDifference) throws -> Void
    ) throws -> LedgerComparison {
        try checkComparable(with: other)
        let (before, after) = (try other.frozen(), try frozen())
        let last = max(before.head.recordedAt, after.head.recordedAt)
        let at = at ?? LedgerClock(wall: core.clock(), last: last).now
        var comparison = LedgerComparison()
        comparison.areCatalogsSame = before.catalogStatements == after.catalogStatements
        var people: Set<KnownName> = []
        if comparison.areCatalogsSame {
            let (old, new) = try core.translating {
                (try Self.sums(of: before, progress), try Self.sums(of: after, progress))
            }
            comparison.isFromSnapshots = old.isStored && new.isStored
            let buckets = old.sums.differing(from: new.sums)
            comparison.buckets = buckets.count
            if !buckets.isEmpty {
                people = try core.translating {
                    try self.people(in: Set(buckets), before, after, other, &comparison)
                }
            }
        } else {
            people = before.customers.union(after.customers)
        }
        let shown = Set(people.map(after.shown)).filter {
            environment == nil || $0.environment == environment
        }.sorted()
        for (index, customer) in shown.enumerated() {
            let (now, new) = try status(
                of: customer.name, environment: customer.environment,
                moment: Moment(at: at, knownAt: .position(after.head.position)))
            let (then, old) = try other.status(
                of: customer.name, environment: customer.environment,
                moment: Moment(at: at, knownAt: .position(before.head.position)))
            let changes = JSONDifference.between(then.compared(old), now.compared(new))
            comparison.customers += 1
            if !changes.isEmpty {
                comparison.differing += 1
                try visit(
                    CustomerDifference(
                        subject: customer.name, environment: customer.environment,
                        changes: changes))
            }
            try progress(Int64(index + 1), Int64(shown.count))
        }
        return comparison
    }

    private func checkComparable(with other: Ledger) throws {
        try LedgerError.require(
            haveSameBytes(app, other.app), "another_app",
            "a ledger of \(other.app) is compared with none of \(app)")
        let isSameFile = path != nil && path == other.path
        try LedgerError.require(
            self !== other && !isSameFile, "same_ledger",
            "both are the same ledger; say two moments of it to compare them")
    }

    private func frozen() throws -> LedgerState {
        try refresh()
        return core.state.withLock { $0 }
    }

    /// The sums as the snapshot at the head says them, else by folding everything.
    private static func sums(
        of state: LedgerState, _ progress: @Sendable (Int64, Int64) throws -> Void
    ) throws -> (sums: BucketSums, isStored: Bool) {
        if let sums = state.snapshotSums { return (sums, true) }
        return (try BucketSums.folding(state, progress: progress), false)
    }

    /// All customers whom differing aggregates of these buckets concern, by the names that either ledger has for them.
    private func people(
        in buckets: Set<Int>, _ before: LedgerState, _ after: LedgerState, _ other: Ledger,
        _ comparison: inout LedgerComparison
    ) throws -> Set<KnownName> {
        let old = try before.digests(ofAggregatesIn: buckets)
        let new = try after.digests(ofAggregatesIn: buckets)
        comparison.aggregates = old.count + new.count
        var people: Set<KnownName> = []
        for name in Set(old.keys).union(new.keys) where old[name]?.digest != new[name]?.digest {
            if let aggregate = old[name]?.aggregate {
                try other.addPeople(of: aggregate, before, to: &people)
            }
            if let aggregate = new[name]?.aggregate {
                try addPeople(of: aggregate, after, to: &people)
            }
        }
        let (said, says) = (Set(before.identityStatements), Set(after.identityStatements))
        let statements = said.symmetricDifference(says)
        for state in [before, after] {
            var search = ConcernSearch(state)
            for statement in statements {
                let environment = statement.stream.environment
                for name in [statement.stream.name, statement.other] where !name.isEmpty {
                    people.insert(KnownName(environment: environment, name: name))
                    guard let id = state.names.id(of: name) else { continue }
                    search.addWithHeirs(CustomerKey(environment, id))
                }
            }
            state.add(search.found, to: &people)
        }
        return people
    }

    /// The customers whose answers an aggregate can change.
    private func addPeople(
        of aggregate: UInt32, _ state: LedgerState, to people: inout Set<KnownName>
    ) throws {
        var search = ConcernSearch(state)
        for stream in state.streams(of: aggregate) {
            let record = state.stream(stream)
            if record.kind == .lineage {
                try Restatements(core: core).addPeople(ofLineage: stream, state, &search)
            } else {
                search.add(CustomerKey(record.environment, record.name))
            }
        }
        state.add(search.found, to: &people)
    }
}

/// A customer by a name that some ledger has for them.
private struct KnownName: Hashable, Comparable {
    var environment: Environment
    var name: String

    static func < (left: KnownName, right: KnownName) -> Bool {
        left.environment == right.environment
            ? precedesInBytes(left.name, right.name)
            : left.environment.rawValue < right.environment.rawValue
    }
}

extension LedgerState {
    /// Which catalogs apply to which customers and when: what two ledgers must have alike for the same facts to mean
    /// the same.
    fileprivate var catalogStatements: [String] {
        catalogs.versions.map {
            "\($0.version)|\($0.effectiveAt)|\($0.scope)|\($0.documentDigest)"
        }
    }

    fileprivate func add(_ customers: [CustomerKey], to people: inout Set<KnownName>) {
        for customer in customers {
            people.insert(
                KnownName(environment: customer.environment, name: names[customer.name]))
        }
    }

    fileprivate var customers: Set<KnownName> {
        var people: Set<KnownName> = []
        for environment in Environment.allCases {
            for name in subjects(in: environment)
                + receivers(in: environment).map({ names[$0] })
            {
                people.insert(KnownName(environment: environment, name: name))
            }
        }
        return people
    }

    /// The name under which a customer is shown.
    fileprivate func shown(_ customer: KnownName) -> KnownName {
        guard let id = self.customer(named: customer.name, in: customer.environment) else {
            return customer
        }
        let person = identity.person(
            CustomerKey(customer.environment, id), cut: Int64.max, corrections: corrections,
            names: names)
        return KnownName(environment: customer.environment, name: names[person.shown])
    }
}
