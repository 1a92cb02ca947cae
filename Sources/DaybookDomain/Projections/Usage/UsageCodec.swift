import DaybookEvents

extension UsageState {
    /// Raised whenever the fold's meaning changes (rule 22).
    public static let version: UInt16 = 4

    /// Walks the state for a writer, a reader or a digest.
    public mutating func code(_ coder: inout some StateCoder) {
        let noEntry = UsageEntry(
            at: 0, amount: 0, meter: 0, coveredBy: 0, profile: 0, reference: .none, key: .none)
        coder.array(&entries, noEntry) {
            $0.integer(&$1.at)
            $0.integer(&$1.amount)
            $0.name(&$1.meter)
            $0.name(&$1.coveredBy)
            $0.name(&$1.profile)
            $0.reference(&$1.reference)
            $0.reference(&$1.key)
        }
        let noReservation = Reservation(
            at: 0, id: .none, meter: 0, amount: 0, expiresAt: 0, coveredBy: 0, profile: 0,
            key: .none)
        coder.array(&reservations, noReservation) {
            $0.integer(&$1.at)
            $0.reference(&$1.id)
            $0.name(&$1.meter)
            $0.integer(&$1.amount)
            $0.integer(&$1.expiresAt)
            $0.name(&$1.coveredBy)
            $0.name(&$1.profile)
            $0.reference(&$1.key)
        }
        coder.array(&outcomes, .init(at: 0, id: .none, isCommit: false, amount: 0, key: .none)) {
            $0.integer(&$1.at)
            $0.reference(&$1.id)
            $0.bool(&$1.isCommit)
            $0.integer(&$1.amount)
            $0.reference(&$1.key)
        }
        coder.array(&reversals, .init(at: 0, target: .none, meter: 0)) {
            $0.integer(&$1.at)
            $0.reference(&$1.target)
            $0.name(&$1.meter)
        }
        coder.array(&resets, .init(meter: 0, effectiveAt: 0, isScheduled: false)) {
            $0.name(&$1.meter)
            $0.integer(&$1.effectiveAt)
            $0.bool(&$1.isScheduled)
        }
        coder.array(&pins, .init(at: 0, meter: 0, reference: .none)) {
            $0.integer(&$1.at)
            $0.name(&$1.meter)
            $0.reference(&$1.reference)
        }
        coder.array(&consumables, .init(transaction: .none)) {
            $0.reference(&$1.transaction)
            $0.rank(&$1.coreRank)
            $0.name(&$1.product)
            $0.integer(&$1.quantity)
            $0.integer(&$1.at)
            $0.name(&$1.source)
            $0.reference(&$1.key)
            $0.rank(&$1.revocationRank)
            $0.integer(&$1.revokedAt)
            $0.integer(&$1.refundedMilli)
            $0.integer(&$1.firstAssertedAt)
        }
        coder.bool(&isSaturated)
    }
}
