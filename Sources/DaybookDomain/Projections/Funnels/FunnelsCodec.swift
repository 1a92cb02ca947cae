import DaybookEvents

extension FunnelState {
    /// Raised whenever the fold's meaning changes (rule 22).
    public static let version: UInt16 = 3

    /// Writes the state for the digest, field by field in a fixed order.
    func write(to writer: inout StateWriter) {
        // Evidence of refusals reaches no digest (rule 23).
        writer.array(steps, where: { !EventType.isEvidence($0.typeCode) }) {
            $0.integer($1.at)
            $0.integer(Int64($1.typeCode))
            $0.name($1.context)
            $0.name($1.variant)
            $0.name($1.profile)
            $0.integer($1.duration)
            $0.bool($1.isTrial)
        }
    }
}
