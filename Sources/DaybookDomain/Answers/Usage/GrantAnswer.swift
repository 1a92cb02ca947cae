public import DaybookEvents

/// One grant of one customer at one time: what it gives, and what is left of it.
public struct GrantAnswer: Sendable, Equatable {
    /// Where a grant stands at the asked time.
    public enum State: String, Sendable, CaseIterable {
        /// It begins later.
        case pending
        case active
        /// Its time is over.
        case expired
        case voided
        /// It holds, nothing is left of its units, and they do not come again.
        case used
    }

    /// The grant's own id, under which it is voided.
    public var id: Reference
    /// Of the event that issued it: the kind of its source, as a name, and its key.
    public var source: NameID
    /// The key of that event.
    public var key: Reference
    /// As far as its text is known.
    public var name: String
    /// Of several that fit the first of voided, pending, expired and used.
    public var state: State
    /// The entitlement that it gives, as the event names it; `nil`: none.
    public var entitlement: String?
    /// The feature that it is for, as the event names it; `nil`: none.
    public var feature: String?
    /// The meter that its units are of, by the catalog's name where it has one; `nil`: the event names none.
    public var meter: String?
    /// `nil`: the whole customer's.
    public var profile: String?
    /// Units; `nil` for access, and for units without end.
    public var amount: Int64?
    /// Whether the event says `unlimited`: units without end, or access as long as it holds.
    public var isUnlimited: Bool
    /// How many units are left; `nil` where no number of them was given, and where no meter of the catalog counts them.
    public var left: Int64?
    /// When it begins, inclusive, in milliseconds since 1970 UTC.
    public var startsAt: Int64
    /// Exclusive; a void ends it. `nil`: without end.
    public var expiresAt: Int64?
    /// How often the units come again: a word of `Vocabulary.recurrences`; `nil`: once.
    public var every: String?
}

/// Units that were set aside and neither used nor given back.
public struct ReservationAnswer: Sendable, Equatable {
    /// The reservation's own id, under which it is committed or released.
    public var id: Reference
    /// Of the event that set them aside.
    public var key: Reference
    /// As far as its text is known.
    public var name: String
    /// By the catalog's name; where the catalog in force does not have it, as the event names it.
    public var meter: String
    /// How many units are held.
    public var amount: Int64
    /// The profile for which they are held; `nil`: none in particular.
    public var profile: String?
    /// When they were set aside, in milliseconds since 1970 UTC.
    public var reservedAt: Int64
    /// Exclusive: then the units go back.
    public var expiresAt: Int64
}

extension UsageAnswer {
    /// Every grant of the customer, each id once, in canonical order.
    public func allGrants() -> [GrantAnswer] {
        let customer = context.state.customer
        let grants = customer.effectiveGrants
        if grants.isEmpty { return [] }
        let voids = customer.voidTimes
        let balances = grantBalances()
        return grants.map { grant in
            let end = min(grant.expiresAt.orNil ?? Int64.max, voids[grant.id] ?? Int64.max)
            let isUnits =
                grant.amount != Event.absent && !grant.isUnlimited && grant.entitlement == 0
            let left = isUnits ? balances[grant.id] : nil
            let state: GrantAnswer.State
            if let voided = voids[grant.id], voided <= context.at {
                state = .voided
            } else if context.at < grant.startsAt {
                state = .pending
            } else if context.at >= end {
                state = .expired
            } else {
                state = left == 0 && grant.recurrence == 0 ? .used : .active
            }
            return GrantAnswer(
                id: grant.id, source: grant.source, key: grant.key,
                name: context.text(of: grant.id), state: state,
                entitlement: name(grant.entitlement), feature: name(grant.feature),
                meter: name(grant.meter).map { catalog.meter(named: $0)?.name ?? $0 },
                profile: name(grant.profile), amount: isUnits ? grant.amount : nil,
                isUnlimited: grant.isUnlimited, left: left, startsAt: grant.startsAt,
                expiresAt: end == Int64.max ? nil : end,
                every: Vocabulary.recurrence(grant.recurrence))
        }
    }

    /// Every reservation that is open at the asked time, also where a subscription covers it, in canonical order.
    public func openReservations() -> [ReservationAnswer] {
        let usage = context.state.usage
        if usage.reservations.isEmpty { return [] }
        let outcomes = usage.firstOutcomes
        let reversals = Reversals(usage)
        var seen: Set<Reference> = []
        return usage.reservations.compactMap { reservation in
            guard seen.insert(reservation.id).inserted, reservation.at <= context.at,
                context.at < reservation.expiresAt
            else { return nil }
            if let outcome = outcomes[reservation.id], outcome.at < reservation.expiresAt {
                return nil
            }
            let name = context.names[reservation.meter]
            let meter = catalog.meter(named: name)
            let ids = meter.map(meterIDs) ?? [reservation.meter]
            let reversed = reversals.targets(of: ids)
            guard !reversed.contains(reservation.id), !reversed.contains(reservation.key) else {
                return nil
            }
            return ReservationAnswer(
                id: reservation.id, key: reservation.key, name: context.text(of: reservation.id),
                meter: meter?.name ?? name,
                amount: reservation.amount, profile: self.name(reservation.profile),
                reservedAt: reservation.at, expiresAt: reservation.expiresAt)
        }
    }

    private func name(_ id: NameID) -> String? { id == 0 ? nil : context.names[id] }
}
