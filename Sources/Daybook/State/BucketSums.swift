import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a ledger knows of all customers, as 256 sums: two ledgers differ only about customers with names that hash into
/// a bucket of which the sums differ.
///
/// A sum adds the digests of the bucket's aggregates (rule 23) and of its identity statements: aliases under the alias,
/// transfers of everything under the giver. The same for any order, split or number of workers. Catalogs are not in it.
package struct BucketSums: Sendable, Equatable {
    package static let count = 256

    package private(set) var sums: [StateDigest]
    /// Of the aggregates alone.
    package private(set) var aggregates = AggregateSum()

    package init() { sums = [StateDigest](repeating: StateDigest(), count: Self.count) }

    /// - Parameter sums: As many as there are buckets, as they were written down.
    package init(sums: [StateDigest]) { self.sums = sums }

    package static func == (left: BucketSums, right: BucketSums) -> Bool { left.sums == right.sums }

    /// Without a key, since two ledgers are compared by it.
    package static func bucket(of name: StreamName) -> Int {
        Int(truncatingIfNeeded: NameHash.of(name.description)) & (count - 1)
    }

    /// Takes in what another worker summed up.
    package mutating func add(_ other: BucketSums) {
        for bucket in 0..<Self.count { sums[bucket].add(other.sums[bucket]) }
        aggregates.add(other.aggregates)
    }

    /// Adds an identity statement.
    package mutating func add(_ statement: IdentityStatement) {
        sums[Self.bucket(of: statement.stream)].add(text: statement.text)
    }

    /// Adds a folded aggregate; one to which nothing happened besides evidence does not count.
    package mutating func add(
        _ aggregate: UInt32, _ folded: borrowing AggregateState, _ state: LedgerState
    ) {
        guard folded.isInDigest else { return }
        let name = state.aggregateName(aggregate)
        var digest = StateDigest()
        digest.add(aggregate: name, folded, names: state.names)
        sums[Self.bucket(of: name)].add(digest)
        aggregates.digest.add(digest)
        aggregates.aggregateCount += 1
    }

    /// The buckets of which the sums differ, ascending.
    package func differing(from other: BucketSums) -> [Int] {
        (0..<Self.count).filter { sums[$0] != other.sums[$0] }
    }
}

/// An alias, an un-alias or a transfer of everything that no correction voids.
package struct IdentityStatement: Hashable {
    /// The alias, or the giver.
    package var stream: StreamName
    /// The other id; empty: every other one.
    package var other: String
    /// All that it says, and its place in canonical order.
    package var text: String
}

extension LedgerState {
    /// All identity statements, in no order.
    package var identityStatements: [IdentityStatement] {
        var found: [IdentityStatement] = []
        func add(
            _ key: CustomerKey, _ other: NameID, _ word: String, _ order: OrderKey,
            _ target: EventKey
        ) {
            guard !corrections.isVoid(target, cut: Int64.max) else { return }
            let stream = StreamName(key.environment, .customer, names[key.name])
            let name = other == 0 ? "" : names[other]
            let source = order.source == 0 ? "" : names[order.source]
            found.append(
                IdentityStatement(
                    stream: stream, other: name,
                    text:
                        "\(word)|\(stream)|\(name)|\(order.occurredAt)|\(order.sequence)|\(source)|\(order.key.high)|\(order.key.low)"
                ))
        }
        identity.forEachLink { key, link in
            guard link.isAliasSide else { return }
            add(key, link.other, link.isOn ? "alias" : "unalias", link.order, link.target)
        }
        identity.forEachHandover { key, handover in
            guard key.name == handover.from else { return }
            add(key, handover.to, "transfer", handover.order, handover.target)
        }
        return found
    }

    /// The digest of every aggregate of some buckets, by name.
    package func digests(ofAggregatesIn buckets: Set<Int>) throws -> [StreamName: (
        aggregate: UInt32, digest: StateDigest
    )] {
        let folder = AggregateFold(self)
        var found: [StreamName: (aggregate: UInt32, digest: StateDigest)] = [:]
        for aggregate in aggregateIDs {
            let name = aggregateName(aggregate)
            guard buckets.contains(BucketSums.bucket(of: name)) else { continue }
            let record = stream(aggregate)
            let folded = try folder.fold(
                kind: record.kind, environment: record.environment,
                heads: streams(of: aggregate).map { headOf($0).position })
            guard folded.isInDigest else { continue }
            var digest = StateDigest()
            digest.add(aggregate: name, folded, names: names)
            found[name] = (aggregate, digest)
        }
        return found
    }
}
