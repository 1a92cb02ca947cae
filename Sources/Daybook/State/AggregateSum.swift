import DaybookDomain
import DaybookEvents

/// The digest of some aggregates.
package struct AggregateSum: Sendable {
    package var digest = StateDigest()
    package var aggregateCount = 0

    /// Adds an aggregate; one to which nothing happened besides evidence does not count (rule 23).
    package mutating func add(
        _ aggregate: UInt32, _ folded: borrowing AggregateState, _ state: LedgerState
    ) {
        guard folded.isInDigest else { return }
        digest.add(aggregate: state.aggregateName(aggregate), folded, names: state.names)
        aggregateCount += 1
    }

    package mutating func add(_ other: AggregateSum) {
        digest.add(other.digest)
        aggregateCount += other.aggregateCount
    }
}
