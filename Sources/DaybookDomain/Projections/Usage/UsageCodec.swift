import DaybookEvents

extension UsageState {
    /// Raised whenever the fold's meaning changes (rule 22).
    public static let version: UInt16 = 7

    /// Writes the state for the digest, field by field in a fixed order.
    func write(to writer: inout StateWriter) {
        writer.array(entries) {
            $0.integer($1.at)
            $0.integer($1.amount)
            $0.name($1.meter)
            $0.name($1.coveredBy)
            $0.name($1.profile)
            $0.reference($1.reference)
            $0.reference($1.key)
        }
        writer.array(reservations) {
            $0.integer($1.at)
            $0.reference($1.id)
            $0.name($1.meter)
            $0.integer($1.amount)
            $0.integer($1.expiresAt)
            $0.name($1.coveredBy)
            $0.name($1.profile)
            $0.reference($1.key)
        }
        writer.array(outcomes) {
            $0.integer($1.at)
            $0.reference($1.id)
            $0.bool($1.isCommit)
            $0.integer($1.amount)
            $0.reference($1.key)
        }
        writer.array(reversals) {
            $0.integer($1.at)
            $0.reference($1.target)
            $0.name($1.meter)
        }
        // A scheduled one is evidence, which reaches no digest (rule 23).
        writer.array(resets, where: { !$0.isScheduled }) {
            $0.name($1.meter)
            $0.integer($1.effectiveAt)
            $0.bool($1.isScheduled)
            $0.bool($1.movesAnchor)
            $0.bool($1.preservesOverage)
        }
        writer.array(pins) {
            $0.integer($1.at)
            $0.name($1.meter)
            $0.reference($1.reference)
        }
        writer.bool(isSaturated)
    }
}
