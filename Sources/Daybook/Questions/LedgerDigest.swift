import DaybookDomain
import DaybookEvents

/// The digest of a whole ledger.
package struct LedgerDigest {
    let core: LedgerCore

    /// The digest of all folded states, and how many units there are (rule 23).
    func digest(
        knownAt: Moment.Knowledge? = nil
    ) throws -> (digest: StateDigest, unitCount: Int) {
        try core.refresh()
        return try core.translating {
            let cut = try core.resolve(knownAt, now: core.clock()).position
            return try Self.digest(of: try core.knownState(at: cut))
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
}
