import DaybookDomain
import DaybookEvents

/// What customers have at one time, with what is known through one position and through another.
struct OwnershipChange {
    let group: GroupDecision
    let state: LedgerState
    let zones: ZoneTables
    let environment: Environment
    /// The valid time of what is known before and after.
    let at: Int64

    /// - Parameters:
    ///   - subjects: Customers, each person once or more; the answer has each person once, in this order.
    ///   - first: Everything before this position is known before.
    ///   - last: Everything up to this position is known after.
    ///   - later: The state with aliases of the group, where it has any.
    ///   - known: What customers have after, as far as that is worked out already, by their names.
    func changes(
        of subjects: [String], from first: Int64, through last: Int64,
        later: LedgerState? = nil, known: [ExactText: EntitlementsAnswer] = [:]
    ) throws -> [CustomerChange] {
        var changes: [CustomerChange] = []
        for subject in subjects {
            let before = try context(subject, state, through: first - 1)
            guard !changes.contains(where: { haveSameBytes($0.subject, before.subject) }) else {
                continue
            }
            let after =
                try known[ExactText(subject)]
                ?? EntitlementsAnswer(context(subject, later ?? state, through: last))
            changes.append(
                CustomerChange(
                    subject: before.subject, before: holdings(EntitlementsAnswer(before)),
                    after: holdings(after)))
        }
        return changes
    }

    private func context(
        _ subject: String, _ state: LedgerState, through last: Int64
    ) throws -> CustomerCase {
        try zones.customerCase(subject, environment, group, state, at: at, through: last)
    }

    private func holdings(_ answer: EntitlementsAnswer) -> CustomerChange.Holdings {
        let living = answer.profiles.filter { !$0.isDeleted }
        return CustomerChange.Holdings(
            entitlements: answer.entitlements(),
            profiles: living.map {
                .init(
                    profile: $0.profile, entitlements: answer.entitlements(profile: $0.profile))
            })
    }
}

extension ZoneTables {
    /// The case of a customer with what was decided before it, and with the zones that it names.
    func customerCase(
        _ subject: String, _ environment: Environment, _ group: GroupDecision,
        _ state: LedgerState, at instant: Int64, through last: Int64 = Int64.max
    ) throws -> CustomerCase {
        completing(
            try group.customerCase(state, environment, subject, at: instant, through: last))
    }
}
