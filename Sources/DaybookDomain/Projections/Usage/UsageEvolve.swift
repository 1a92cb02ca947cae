public import DaybookEvents

extension UsageState {
    /// Takes one event of the customer, in canonical order; never fails.
    public mutating func evolve(_ event: Event, names: borrowing NameTable) {
        switch event.type {
        case .usageRecorded:
            entries.append(
                .init(
                    at: event.occurredAt, amount: event.amount.orNil ?? 0, meter: event.meter,
                    coveredBy: event.coveredBy, profile: event.profile,
                    reference: event.reference, key: event.key))
        case .usageReserved:
            reservations.append(
                .init(
                    at: event.occurredAt, id: event.reference, meter: event.meter,
                    amount: event.amount.orNil ?? 0, expiresAt: event.timeA,
                    coveredBy: event.coveredBy))
        case .usageCommitted, .usageReleased:
            outcomes.append(
                .init(
                    at: event.occurredAt, id: event.reference,
                    isCommit: event.type == .usageCommitted, amount: event.amount))
        case .usageReversed:
            reversals.append(.init(at: event.occurredAt, target: event.reference))
        case .usageReset:
            // A scheduled reset is evidence of what time does by itself (rule 14).
            if event.bits(0, 2) > 1 {
                resets.append(.init(meter: event.meter, effectiveAt: event.timeB))
            }
        case .gaugePinned:
            pins.append(
                .init(at: event.occurredAt, meter: event.meter, reference: event.reference))
        case .purchaseCompleted where event.isConsumable: buy(event, names: names)
        case .purchaseRefunded, .purchaseRevoked, .purchaseRefundReversed:
            if event.isConsumable { revoke(event, names: names) }
        default: break
        }
    }

    private mutating func index(of transaction: Reference) -> Int {
        if let index = consumables.lastIndex(where: { $0.transaction == transaction }) {
            return index
        }
        consumables.append(ConsumableFact(transaction: transaction))
        return consumables.count - 1
    }

    private mutating func buy(_ event: Event, names: borrowing NameTable) {
        let index = index(of: event.reference)
        let rank = StatementRank(event)
        let current = consumables[index].coreRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        consumables[index].coreRank = rank
        consumables[index].product = event.product
        consumables[index].quantity = event.amount.orNil ?? 1
        consumables[index].at = event.startsAt.orNil ?? event.occurredAt
        consumables[index].source = event.source
        consumables[index].key = event.key
    }

    private mutating func revoke(_ event: Event, names: borrowing NameTable) {
        let index = index(of: event.reference)
        let rank = StatementRank(event)
        let current = consumables[index].revocationRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        consumables[index].revocationRank = rank
        consumables[index].revokedAt =
            event.type == .purchaseRefundReversed ? Event.absent : event.revokedAt
        consumables[index].refundedMilli =
            event.type == .purchaseRefunded ? event.amount.orNil ?? 100_000 : 100_000
    }
}
