import DaybookEvents

/// Decides about profiles and which purchase serves which.
struct ProfileDecider {
    let decider: Decider
    let check: Check
    private var context: CustomerCase { decider.context }

    func decide() throws(Rejection) -> Verdict {
        switch decider.request.command {
        case .createProfile(let profile, let kind, let freeStartedAt):
            return try create(profile, kind, freeStartedAt)
        case .deleteProfile(let profile):
            let found = try living(profile)
            return decider.verdict(
                .profileDeleted, ["profile": .string(profile), "kind": .string(found.kind)])
        case .assignPurchase(let transaction, let profile):
            return try assign(transaction, profile)
        case .unassignPurchase(let transaction):
            guard
                let profile = Assignments(context).profile(
                    of: Reference(transaction), at: decider.now)
            else { throw .unknownTransaction(transaction) }
            return decider.verdict(
                .purchaseUnassigned,
                ["transaction_id": .string(transaction), "profile": .string(profile)])
        default: return Verdict(events: [])
        }
    }

    private func living(_ profile: String) throws(Rejection) -> ProfileAnswer {
        if let found = check.entitlements.livingProfile(profile) { return found }
        throw .unknownProfile(profile)
    }

    /// Creating counts on the gauges that the catalog binds to this kind of profile, with their limits.
    private func create(
        _ profile: String, _ kind: String, _ freeStartedAt: Int64?
    ) throws(Rejection) -> Verdict {
        if check.entitlements.livingProfile(profile) != nil { throw .profileExists(profile) }
        for meter in check.catalog.meters where meter.countsProfiles == kind {
            let answer = check.usage.answer(meter)
            guard let remaining = answer.remaining, remaining < 1, meter.enforcement == .hard else {
                continue
            }
            return Verdict(
                events: denial(meter, answer),
                rejection: .limitReached(
                    meter: meter.name, limit: answer.limit ?? 0, used: answer.used, reserved: 0,
                    requested: 1, resetsAt: nil))
        }
        var data: JSONObject = ["profile": .string(profile), "kind": .string(kind)]
        if let freeStartedAt { data["free_started_at"] = .integer(freeStartedAt) }
        return decider.verdict(.profileCreated, data)
    }

    private func denial(_ meter: Meter, _ answer: MeterAnswer) -> [EventDraft] {
        guard meter.recordsDenials else { return [] }
        return [
            decider.event(
                .accessDenied,
                [
                    "feature": .string(meter.name), "reason_code": "limit_reached",
                    "limit": .integer(answer.limit ?? 0), "used": .integer(answer.used),
                    "enforcement": .string(meter.enforcement.rawValue),
                ], key: "denied/\(context.subject)/\(meter.name)/limit_reached/always")
        ]
    }

    private func assign(_ transaction: String, _ profile: String) throws(Rejection) -> Verdict {
        _ = try living(profile)
        let id = Reference(transaction)
        // What was transferred away is the new owner's to assign.
        let owned = context.lineages.filter { $0.isOwned(at: decider.now) }
        let fact = owned.lazy.flatMap(\.state.transactions).first {
            $0.id == id && !$0.isConsumable
        }
        guard let fact, !fact.coreRank.isNone else { throw .unknownTransaction(transaction) }
        let name = context.names[fact.product]
        guard let product = check.catalog.product(name), product.scope == .profile else {
            throw .productMismatch(transaction: transaction, product: name)
        }
        if fact.isFamilyShared, let reason = check.catalog.familyRefusal(of: product) {
            throw .familyNotServed(transaction: transaction, product: name, reason: reason)
        }
        if let owner = Assignments(context).profile(of: id, at: decider.now) {
            if owner == profile { return Verdict(events: [], isRepeated: true) }
            let conflict = decider.event(
                .assignmentConflict,
                [
                    "transaction_id": .string(transaction), "profile": .string(profile),
                    "assigned_profile": .string(owner),
                ], key: "conflict/\(context.subject)/\(transaction)/\(profile)")
            return Verdict(
                events: [conflict],
                rejection: .transactionAlreadyAssigned(transaction: transaction, profile: owner))
        }
        // The first profile is no reassignment, and neither is a return to an earlier one.
        let served = Assignments(context).profiles(of: id)
        if let max = check.catalog.policies.reassignmentsMax,
            !served.contains(where: { haveSameBytes($0, profile) }), served.count > max
        {
            throw .reassignmentsUsed(transaction: transaction, profiles: served, max: max)
        }
        return decider.verdict(
            .purchaseAssigned,
            ["transaction_id": .string(transaction), "profile": .string(profile)])
    }
}
