import DaybookDomain
import DaybookEvents

/// The digest of a whole ledger.
package struct LedgerDigest {
    let core: LedgerCore

    /// The digest of all folded states, and how many aggregates there are (rule 23).
    func digest(
        knownAt: Moment.Knowledge? = nil
    ) throws -> (digest: StateDigest, aggregateCount: Int) {
        return try core.answering {
            let cut = try core.resolve(knownAt, now: core.clock()).position
            return try Self.digest(of: try core.knownState(at: cut))
        }
    }

    static func digest(of state: LedgerState) throws -> (digest: StateDigest, aggregateCount: Int) {
        let parts = try AggregatePass(state, workers: AggregatePass.workersDefault).run(
            AggregateSum()
        ) {
            $0.add($1, $2, state)
        }
        return parts.reduce(into: (StateDigest(), 0)) { sum, part in
            sum.0.add(part.digest)
            sum.1 += part.aggregateCount
        }
    }
}
