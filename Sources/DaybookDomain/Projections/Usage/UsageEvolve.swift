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
                    coveredBy: event.coveredBy, profile: event.profile, key: event.key))
        case .usageCommitted, .usageReleased:
            outcomes.append(
                .init(
                    at: event.occurredAt, id: event.reference,
                    isCommit: event.type == .usageCommitted, amount: event.amount,
                    key: event.key))
        case .usageReversed:
            reversals.append(
                .init(at: event.occurredAt, target: event.reference, meter: event.meter))
        case .usageReset: reset(event)
        case .gaugePinned:
            pins.append(
                .init(at: event.occurredAt, meter: event.meter, reference: event.reference))
        case .purchaseCompleted where event.isConsumable: buy(event, names: names)
        case .purchaseRefunded, .purchaseRevoked, .purchaseRefundReversed:
            if event.isConsumable { revoke(event, names: names) }
        default: break
        }
    }

    private mutating func reset(_ event: Event) {
        let reset = Reset(
            meter: event.meter, effectiveAt: event.timeB, isScheduled: !event.isDecidedReset)
        guard reset.isScheduled,
            let earlier = resets.firstIndex(where: { $0.isScheduled && $0.meter == reset.meter })
        else { return resets.append(reset) }
        resets[earlier].effectiveAt = max(resets[earlier].effectiveAt, reset.effectiveAt)
    }

    private mutating func index(of transaction: Reference) -> Int {
        if let index = consumableIndex.index(of: transaction, in: consumables, \.transaction) {
            return index
        }
        consumables.append(ConsumableFact(transaction: transaction))
        return consumables.count - 1
    }

    private mutating func buy(_ event: Event, names: borrowing NameTable) {
        let index = index(of: event.reference)
        if event.trust.classRank == 0 {
            let first = consumables[index].firstAssertedAt
            consumables[index].firstAssertedAt =
                first == Event.absent ? event.signedAt : min(first, event.signedAt)
        }
        let rank = StatementRank(event)
        let current = consumables[index].coreRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        consumables[index].coreRank = rank
        consumables[index].product = event.product
        // Checked at append since; what an older ledger holds must not turn credits into debt.
        consumables[index].quantity = max(0, event.amount.orNil ?? 1)
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
            event.type == .purchaseRefunded
            ? min(max(0, event.amount.orNil ?? 100_000), 100_000) : 100_000
    }
}
