public import DaybookEvents

/// Decides what counts against a meter: check and record in one step.
struct UsageDecider {
    private let decider: Decider
    private let check: Check
    private var question: CustomerCase { decider.question }

    init(_ decider: Decider, _ check: Check) {
        self.decider = decider
        self.check = check
    }

    func consume(
        _ name: String, _ amount: Int64, _ ref: String?
    ) throws(Rejection) -> Verdict {
        let meter = try decider.meter(name, check)
        let isGauge = meter.kind == .gauge
        guard abs(amount) <= EventBounds.amountMax, isGauge ? abs(amount) == 1 : amount >= 1 else {
            throw .amountOutOfBounds(amount)
        }
        if isGauge, ref == nil { throw .ambiguousGauge(meter: meter.name) }
        if let ref, isCounted(meter, Reference(ref), amount) {
            let decision = try decision(meter, max(1, amount))
            return Verdict(events: [], decision: decision, isRepeated: true)
        }
        let decision = try decision(meter, max(1, amount))
        // Deleting what counts on a gauge is always allowed.
        guard decision.allowed || amount < 0 else { return refuse(meter, decision) }
        var data: JSONObject = ["meter": .string(meter.name), "amount": .integer(amount)]
        if let ref { data["ref"] = .string(ref) }
        if let covering = coveredBy(decision, meter) { data["covered_by"] = .string(covering) }
        var events = dueReset(meter)
        events.insert(decider.event(.usageRecorded, data), at: 0)
        events += limitReached(meter, decision, amount)
        return Verdict(events: events, decision: decision)
    }

    func reserve(
        _ name: String, _ amount: Int64, _ reservation: String, _ timeout: Int64?
    ) throws(Rejection) -> Verdict {
        let meter = try decider.meter(name, check)
        guard amount >= 1, amount <= EventBounds.amountMax else { throw .amountOutOfBounds(amount) }
        let id = Reference(reservation)
        if question.state.usage.reservations.contains(where: { $0.id == id }) {
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
        var events = dueReset(meter)
        events.insert(decider.event(.usageReserved, data), at: 0)
        return Verdict(events: events, decision: decision)
    }

    func settle(
        _ reservation: String, _ amount: Int64?, isCommit: Bool
    ) throws(Rejection) -> Verdict {
        let id = Reference(reservation)
        guard let open = question.state.usage.reservations.first(where: { $0.id == id }) else {
            throw .unknownReservation(reservation)
        }
        let isSettled = question.state.usage.outcomes.contains {
            $0.id == id && $0.at < open.expiresAt
        }
        if isSettled { throw .reservationClosed(reservation) }
        guard decider.now < open.expiresAt else {
            throw .reservationExpired(reservation, expiredAt: open.expiresAt)
        }
        if let amount, amount < 1 || amount > open.amount { throw .amountOutOfBounds(amount) }
        var data: JSONObject = ["reservation_id": .string(reservation)]
        if let amount { data["amount"] = .integer(amount) }
        let type: EventType = isCommit ? .usageCommitted : .usageReleased
        return Verdict(events: [decider.event(type, data)])
    }

    func reverse(_ target: String) throws(Rejection) -> Verdict {
        let id = Reference(target)
        let usage = question.state.usage
        guard
            usage.entries.contains(where: { $0.key == id || $0.reference == id })
                || usage.reservations.contains(where: { $0.id == id })
        else { throw .unknownUsage(target) }
        return Verdict(events: [decider.event(.usageReversed, ["target": .string(target)])])
    }

    func reset(_ name: String) throws(Rejection) -> Verdict {
        let meter = try decider.meter(name, check)
        let period = check.usage.period(of: meter, at: decider.now)
        return Verdict(events: [
            decider.event(
                .usageReset,
                [
                    "meter": .string(meter.name), "trigger": "manual", "retain_anchor": true,
                    "period_start": .integer(max(0, period.start)),
                    "effective_at": .integer(decider.now),
                ])
        ])
    }

    private func decision(_ meter: Meter, _ amount: Int64) throws(Rejection) -> Decision {
        do throws(UnknownName) {
            return try check.decide(
                CheckQuestion(meter.name, amount: amount, profile: decider.request.profile))
        } catch {
            throw .unknownName(name: error.name, nearest: error.nearest)
        }
    }

    /// The same meter and ref count once, whoever says it (rule 12); on a gauge the latest event says where it is.
    private func isCounted(_ meter: Meter, _ ref: Reference, _ amount: Int64) -> Bool {
        let ids = ([meter.name] + meter.aliases).compactMap { question.names.id(of: $0) }
        let last = question.state.usage.entries.last {
            ids.contains($0.meter) && $0.reference == ref
        }
        guard let last else { return meter.kind == .gauge && amount < 0 }
        return meter.kind == .gauge ? (last.amount > 0) == (amount > 0) : true
    }

    /// What makes it free of charge to the quota.
    private func coveredBy(_ decision: Decision, _ meter: Meter) -> String? {
        guard meter.kind == .counter, let usage = decision.usage, usage.limit == nil,
            let source = usage.coveredBy
        else { return nil }
        let entitled = meter.limitsWith.first {
            $0.limit == nil && source.entitlements.contains($0.entitlement)
        }
        return entitled?.entitlement ?? source.entitlements.first ?? source.id
    }

    private func refuse(_ meter: Meter, _ decision: Decision) -> Verdict {
        let usage = decision.usage
        let isLimit = decision.reason == "limit_reached"
        let rejection: Rejection =
            isLimit
            ? .limitReached(
                meter: meter.name, limit: usage?.limit ?? 0, used: usage?.used ?? 0,
                reserved: usage?.reserved ?? 0, requested: decision.amount,
                resetsAt: usage?.period?.end)
            : .notEntitled(name: decision.feature ?? meter.name, reason: decision.reason)
        return Verdict(
            events: evidence(meter, decision), decision: decision, rejection: rejection)
    }

    /// At most one piece of evidence per customer, name, reason and period, and only if the catalog wants it (rule 21).
    private func evidence(_ meter: Meter, _ decision: Decision) -> [EventDraft] {
        let feature = decision.feature.flatMap { check.catalog.feature(named: $0) }
        guard meter.recordsDenials || feature?.recordsDenials == true else { return [] }
        let name = decision.feature ?? meter.name
        let period = decision.usage?.periodName ?? "always"
        let key = "denied/\(question.subject)/\(name)/\(decision.reason)/\(period)"
        var data: JSONObject = [
            "feature": .string(name), "reason_code": .string(decision.reason),
            "enforcement": .string(decision.enforcement.rawValue),
        ]
        if let limit = decision.usage?.limit { data["limit"] = .integer(limit) }
        if let used = decision.usage?.used { data["used"] = .integer(used) }
        var events = [decider.event(.accessDenied, data, key: key)]
        if decision.feature != nil, decision.reason != "limit_reached" {
            events.append(
                decider.event(
                    .featureRestricted, ["feature": .string(name)],
                    key: "restricted/\(question.subject)/\(name)/\(period)"))
        }
        return events
    }

    /// Written with the consume that takes the last unit, once per meter and period (rule 21).
    private func limitReached(_ meter: Meter, _ decision: Decision, _ amount: Int64) -> [EventDraft]
    {
        guard meter.kind == .counter, let usage = decision.usage,
            let remaining = usage.remaining, remaining == amount
        else { return [] }
        let period = usage.periodName ?? "always"
        return [
            decider.event(
                .limitReached,
                [
                    "meter": .string(meter.name), "limit": .integer(usage.limit ?? 0),
                    "used": .integer(usage.used.addingSaturated(amount)),
                ], key: "limit/\(question.subject)/\(meter.name)/\(period)")
        ]
    }

    /// The scheduled reset is written by the first write of a new period, if there was usage before (rule 14).
    private func dueReset(_ meter: Meter) -> [EventDraft] {
        ScheduledResets(question, check).due(meter, at: decider.now).map { [$0] } ?? []
    }
}

/// The monthly reset as evidence of what time does by itself.
public struct ScheduledResets {
    private let question: CustomerCase
    private let check: Check

    public init(_ question: CustomerCase, _ check: Check) {
        self.question = question
        self.check = check
    }

    /// The reset that the period of a time should have, where there was usage before it and none since.
    public func due(_ meter: Meter, at instant: Int64) -> EventDraft? {
        guard meter.kind == .counter, meter.period != .lifetime else { return nil }
        let period = check.usage.period(of: meter, at: instant)
        let ids = ([meter.name] + meter.aliases).compactMap { question.names.id(of: $0) }
        var wasUsed = false
        for entry in question.state.usage.entries where ids.contains(entry.meter) {
            // A back-dated write writes no reset.
            if entry.at >= period.start { return nil }
            wasUsed = true
        }
        guard wasUsed, let name = check.usage.periodName(of: meter, period) else { return nil }
        return EventDraft(
            type: "usage.reset", environment: question.environment, subject: question.subject,
            occurredAt: period.start,
            source: EventSource(
                kind: "ledger", key: "reset/\(question.subject)/\(meter.name)/\(name)"),
            trust: .system,
            data: [
                "meter": .string(meter.name), "period_start": .integer(period.start),
                "effective_at": .integer(period.start), "trigger": "scheduled",
                "period": .string(name),
            ])
    }
}
