public import DaybookEvents

/// Decides what counts against a meter: check and record in one step.
struct UsageDecider {
    let decider: Decider
    let check: Check
    private var context: CustomerCase { decider.context }

    func consume(
        _ name: String, _ amount: Int64, _ ref: String?
    ) throws(Rejection) -> Verdict {
        let meter = try decider.meter(name, check)
        let isGauge = meter.kind == .gauge
        // Not abs(): the least number has no positive counterpart.
        let isAmount = isGauge ? amount == 1 || amount == -1 : amount >= 1
        guard isAmount, amount <= EventBounds.amountMax else { throw .amountOutOfBounds(amount) }
        if meter.kind == .window {
            throw wrongKind(meter, "says how far back one may look, and is not consumed")
        }
        if meter.kind == .reading {
            throw wrongKind(meter, "holds what was read last; report readings with usage.recorded")
        }
        if isGauge, ref == nil { throw .ambiguousGauge(meter: meter.name) }
        if let ref, isCounted(meter, Reference(ref), amount) {
            if meter.kind == .counter, isReversed(meter, Reference(ref)) {
                throw .usageReversed(ref: ref)
            }
            let decision = try decision(meter, max(1, amount))
            return Verdict(events: [], decision: decision, isRepeated: true)
        }
        // What people are told of a use are the numbers after it.
        let decision = try decision(meter, max(1, amount), isBare: true)
        // Deleting what counts on a gauge is always allowed.
        guard decision.allowed || amount < 0 else {
            return refuse(meter, try self.decision(meter, amount))
        }
        var data: JSONObject = ["amount": .integer(amount), "meter": .string(meter.name)]
        if let ref { data["ref"] = .string(ref) }
        if let covering = coveredBy(decision, meter) { data["covered_by"] = .string(covering) }
        var events = [decider.event(.usageRecorded, data)] + dueReset(meter)
        if let usage = decision.usage, let remaining = usage.remaining, remaining == amount {
            events += limitReached(meter, usage, amount)
        }
        return Verdict(events: events, decision: decision)
    }

    func reserve(
        _ name: String, _ amount: Int64, _ reservation: String, _ timeout: Int64?
    ) throws(Rejection) -> Verdict {
        let meter = try decider.meter(name, check)
        guard amount >= 1, amount <= EventBounds.amountMax else { throw .amountOutOfBounds(amount) }
        guard meter.kind == .counter else {
            throw wrongKind(meter, "has no units that could be set aside")
        }
        let id = Reference(reservation)
        if context.state.usage.reservations.contains(where: { $0.id == id }) {
            throw .reservationExists(reservation)
        }
        let decision = try decision(meter, amount)
        guard decision.allowed else { return refuse(meter, decision) }
        let timeout = timeout ?? meter.reservationTimeoutMilliseconds
        var data: JSONObject = [
            "reservation_id": .string(reservation), "meter": .string(meter.name),
            "amount": .integer(amount),
            "expires_at": .integer(decider.now.addingSaturated(timeout)),
        ]
        if let covering = coveredBy(decision, meter) { data["covered_by"] = .string(covering) }
        return Verdict(
            events: [decider.event(.usageReserved, data)] + dueReset(meter), decision: decision)
    }

    func settle(
        _ reservation: String, _ amount: Int64?, isCommit: Bool
    ) throws(Rejection) -> Verdict {
        let id = Reference(reservation)
        guard let open = context.state.usage.reservations.first(where: { $0.id == id }) else {
            throw .unknownReservation(reservation)
        }
        let isSettled = context.state.usage.outcomes.contains {
            $0.id == id && $0.at < open.expiresAt
        }
        if isSettled { throw .reservationClosed(reservation) }
        guard decider.now < open.expiresAt else {
            throw .reservationExpired(reservation, expiredAt: open.expiresAt)
        }
        if let amount, amount < 1 || amount > open.amount { throw .amountOutOfBounds(amount) }
        var data: JSONObject = ["reservation_id": .string(reservation)]
        if let amount { data["amount"] = .integer(amount) }
        guard isCommit else {
            return Verdict(events: [decider.event(.usageReleased, data)])
        }
        return Verdict(
            events: [decider.event(.usageCommitted, data)]
                + limitReached(by: open, amount ?? open.amount))
    }

    /// Takes one use back: of the meter that is named, or of the only one that has it.
    func reverse(_ target: String, of name: String?) throws(Rejection) -> Verdict {
        let catalog = check.catalog
        let wanted = try name.map { name throws(Rejection) in try decider.meter(name, check).name }
        let id = Reference(target)
        let found = UsageTargets(context.state.usage, [id]).meters(of: id).map {
            catalog.meter(named: context.names[$0])?.name ?? context.names[$0]
        }
        let meters = Set(found).filter { wanted == nil || $0 == wanted }.sorted()
        guard let only = meters.first else { throw .unknownUsage(target) }
        guard meters.count == 1 else { throw .ambiguousUsage(target, meters: meters) }
        if let meter = catalog.meter(named: only), meter.kind != .counter, meter.kind != .reading {
            throw wrongKind(
                meter,
                meter.kind == .gauge
                    ? "goes down by consuming -1 of what left" : "counts nothing to take back")
        }
        return Verdict(events: [
            decider.event(
                .usageReversed, ["target": .string(target), "meter": .string(only)])
        ])
    }

    func reset(_ name: String, _ terms: Command.ResetTerms) throws(Rejection) -> Verdict {
        let meter = try decider.meter(name, check)
        guard meter.kind == .counter else {
            throw wrongKind(meter, "follows from what is there and cannot begin anew")
        }
        let instant = terms.effectiveAt ?? decider.now
        let period = check.usage.period(of: meter, at: instant)
        var data: JSONObject = [
            "meter": .string(meter.name), "trigger": "manual",
            "retain_anchor": .bool(terms.retainsAnchor),
            "period_start": .integer(max(0, period.start)), "effective_at": .integer(instant),
        ]
        if terms.preservesOverage { data["preserve_overage"] = true }
        return Verdict(events: [decider.event(.usageReset, data)])
    }

    private func wrongKind(_ meter: Meter, _ use: String) -> Rejection {
        .wrongKind(meter: meter.name, kind: meter.kind.rawValue, use: use)
    }

    /// - Parameter isBare: Without what a person would be shown.
    private func decision(
        _ meter: Meter, _ amount: Int64, isBare: Bool = false
    ) throws(Rejection) -> Decision {
        let question = CheckQuestion(meter.name, amount: amount, profile: decider.request.profile)
        do throws(UnknownName) {
            return try isBare ? check.bareDecision(question) : check.decide(question)
        } catch {
            throw .unknownName(name: error.name, nearest: error.nearest)
        }
    }

    /// The same meter and ref count once, whatever says it (rule 12); on a gauge the latest event says where it is.
    private func isCounted(_ meter: Meter, _ ref: Reference, _ amount: Int64) -> Bool {
        let ids = context.names.ids(of: meter)
        let last = context.state.usage.entries.last {
            ids.contains($0.meter) && $0.reference == ref
        }
        guard let last else { return meter.kind == .gauge && amount < 0 }
        return meter.kind == .gauge ? (last.amount > 0) == (amount > 0) : true
    }

    /// A use that was taken back does not count, and its ref counts once (rule 12): to let it pass as counted would
    /// give it away, and to count it anew would make the answer depend on whether the reversal came before or after.
    private func isReversed(_ meter: Meter, _ ref: Reference) -> Bool {
        let usage = context.state.usage
        let ids = context.names.ids(of: meter)
        let entry = usage.entries.first { ids.contains($0.meter) && $0.reference == ref }
        let targets = Reversals(usage).targets(of: ids)
        return targets.contains(ref) || entry.map { targets.contains($0.key) } ?? false
    }

    /// What makes it free of charge to the quota.
    private func coveredBy(_ decision: Decision, _ meter: Meter) -> String? {
        guard meter.kind == .counter, let usage = decision.usage, usage.limit == nil,
            let source = usage.coveredBy
        else { return nil }
        return MeterShare(of: source, in: meter, check.catalog).entitlement ?? source.id
    }

    private func refuse(_ meter: Meter, _ decision: Decision) -> Verdict {
        let usage = decision.usage
        let isLimit = decision.reason == .limitReached
        if isLimit, let gauge = decision.meter, gauge != meter.name, let usage {
            return Verdict(
                events: evidence(meter, decision), decision: decision,
                rejection: .heldBack(
                    meter: meter.name, gauge: gauge, limit: usage.limit ?? 0, used: usage.used,
                    profile: decider.request.profile, writable: usage.writable))
        }
        let rejection: Rejection =
            isLimit
            ? .limitReached(
                meter: meter.name, limit: usage?.limit ?? 0, used: usage?.used ?? 0,
                reserved: usage?.reserved ?? 0, requested: decision.amount,
                resetsAt: usage?.resetsAt)
            : .notEntitled(name: decision.feature ?? meter.name, reason: decision.reason)
        return Verdict(
            events: evidence(meter, decision), decision: decision, rejection: rejection)
    }

    /// At most one piece of evidence per customer, name, reason and period, and only if the catalog wants it (rule 21).
    private func evidence(_ meter: Meter, _ decision: Decision) -> [EventDraft] {
        let feature = decision.feature.flatMap { check.catalog.feature(named: $0) }
        guard meter.recordsDenials || feature?.recordsDenials == true else { return [] }
        let name = decision.feature ?? meter.name
        let period = decision.usage?.periodKey ?? "always"
        let key = "denied/\(context.subject)/\(name)/\(decision.reason.rawValue)/\(period)"
        var data: JSONObject = [
            "feature": .string(name), "reason_code": .string(decision.reason.rawValue),
            "enforcement": .string(decision.enforcement.rawValue),
        ]
        if let limit = decision.usage?.limit { data["limit"] = .integer(limit) }
        if let used = decision.usage?.used { data["used"] = .integer(used) }
        var events = [decider.event(.accessDenied, data, key: key)]
        if decision.feature != nil, decision.reason != .limitReached {
            events.append(
                decider.event(
                    .featureRestricted, ["feature": .string(name)],
                    key: "restricted/\(context.subject)/\(name)/\(period)"))
        }
        return events
    }

    /// Written with the use that takes the last unit, once per meter and period (rule 21).
    /// - Parameter usage: Before the use.
    private func limitReached(
        _ meter: Meter, _ usage: MeterAnswer, _ amount: Int64
    ) -> [EventDraft] {
        guard meter.kind == .counter else { return [] }
        let period = usage.periodKey ?? "always"
        return [
            decider.event(
                .limitReached,
                [
                    "meter": .string(meter.name), "limit": .integer(usage.limit ?? 0),
                    "used": .integer(usage.used.addingSaturated(amount)),
                ], key: "limit/\(context.subject)/\(meter.name)/\(period)")
        ]
    }

    /// A reservation takes nothing yet; its commit may take the last unit of the period in which it was made.
    private func limitReached(
        by reservation: UsageState.Reservation, _ amount: Int64
    ) -> [EventDraft] {
        guard reservation.coveredBy == 0,
            let meter = check.catalog.meter(named: context.names[reservation.meter])
        else { return [] }
        let usage = check.usage.answer(meter, profile: decider.request.profile)
        let isOfPeriod = usage.period?.contains(reservation.at) ?? true
        // All that is left is set aside, and this is all that is set aside.
        guard isOfPeriod, usage.remaining == 0, usage.reserved == amount, usage.overage == 0 else {
            return []
        }
        return limitReached(meter, usage, amount)
    }

    /// The scheduled reset is written by the first write of a new period, if there was usage before (rule 14).
    private func dueReset(_ meter: Meter) -> [EventDraft] {
        guard var reset = ScheduledResets(context, check).due(meter, at: decider.now) else {
            return []
        }
        reset.extras[Decider.causation] = .string(decider.key)
        return [reset]
    }
}

/// The monthly reset as evidence of what time does by itself.
public struct ScheduledResets {
    private let context: CustomerCase
    private let check: Check

    /// Looks for the resets that one customer should have.
    /// - Parameter check: Of the same case.
    public init(_ context: CustomerCase, _ check: Check) {
        self.context = context
        self.check = check
    }

    /// The reset that the period of a time should have: where there was usage since the last one, and none in the
    /// period or after it (rule 14). So a customer who stays away gets one, not one a month.
    public func due(_ meter: Meter, at instant: Int64) -> EventDraft? {
        guard meter.kind == .counter, meter.period != .lifetime else { return nil }
        let period = check.usage.period(of: meter, at: instant)
        let ids = context.names.ids(of: meter)
        let last = context.state.usage.lastScheduledReset(of: ids) ?? Int64.min
        var wasUsed = false
        for at in context.state.usage.useTimes(of: ids) {
            // A back-dated write writes no reset.
            if at >= period.start { return nil }
            if at >= last { wasUsed = true }
        }
        guard wasUsed, last < period.start,
            let name = check.usage.periodName(of: meter, period),
            let own = check.usage.timeline(of: meter).key(of: period)
        else { return nil }
        let key = "reset/\(context.subject)/\(meter.name)/\(own)"
        return EventDraft(
            type: .usageReset, environment: context.environment, subject: context.subject,
            occurredAt: period.start,
            source: EventSource(kind: "ledger", key: EventSource.boundedKey(key)), trust: .system,
            data: [
                "meter": .string(meter.name), "period_start": .integer(period.start),
                "effective_at": .integer(period.start), "trigger": "scheduled",
                "period": .string(name),
            ])
    }
}
