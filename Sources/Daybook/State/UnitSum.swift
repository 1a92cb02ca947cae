import DaybookDomain
import DaybookEvents

/// The digest of some units.
package struct UnitSum: Sendable {
    package var digest = StateDigest()
    package var unitCount = 0

    /// Takes a unit in; one to which nothing happened besides evidence is none (rule 23).
    package mutating func add(_ unit: UInt32, _ folded: borrowing UnitState, _ state: LedgerState) {
        guard folded.isInDigest else { return }
        digest.add(unit: state.unitName(unit), folded, names: state.names)
        unitCount += 1
    }

    package mutating func add(_ other: UnitSum) {
        digest.add(other.digest)
        unitCount += other.unitCount
    }
}
