public import DaybookEvents

extension UsageState {
    /// Takes one event of the customer, in canonical order; never fails.
    /// - Parameter type: The event's, which its caller knows.
    public mutating func evolve(_ event: Event, as type: EventType) {
        switch type {
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
                    isCommit: type == .usageCommitted, amount: event.amount,
                    key: event.key))
        case .usageReversed:
            reversals.append(
                .init(at: event.occurredAt, target: event.reference, meter: event.meter))
        // What this build has no word for begins no period, and is no evidence that one began.
        case .usageReset where event.isDecidedReset || event.isScheduledReset: reset(event)
        case .gaugePinned:
            pins.append(
                .init(at: event.occurredAt, meter: event.meter, reference: event.reference))
        default: break
        }
    }

    private mutating func reset(_ event: Event) {
        let reset = Reset(
            meter: event.meter, effectiveAt: event.timeB, isScheduled: !event.isDecidedReset,
            movesAnchor: event.movesAnchor, preservesOverage: event.preservesOverage)
        guard reset.isScheduled,
            let earlier = resets.firstIndex(where: { $0.isScheduled && $0.meter == reset.meter })
        else { return resets.append(reset) }
        resets[earlier].effectiveAt = max(resets[earlier].effectiveAt, reset.effectiveAt)
    }
}
