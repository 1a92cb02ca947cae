import DaybookEvents

extension FunnelState {
    /// Raised whenever the fold's meaning changes (rule 22).
    public static let version: UInt16 = 1

    /// Walks the state for a writer, a reader or a digest.
    public mutating func code(_ coder: inout some StateCoder) {
        coder.array(&steps, Step(at: 0, typeCode: 0, context: 0, variant: 0, duration: 0)) {
            $0.integer(&$1.at)
            var code = Int64($1.typeCode)
            $0.integer(&code)
            $1.typeCode = UInt16(truncatingIfNeeded: code)
            $0.name(&$1.context)
            $0.name(&$1.variant)
            $0.integer(&$1.duration)
        }
    }
}
