import DaybookDomain
import DaybookEvents

/// What customers have at one time, with what is known through one position and through another.
struct OwnershipChange {
    let group: GroupDecision
    let state: LedgerState
    let zones: ZoneTables
    let environment: Environment
    /// The valid time of both sides.
    let at: Int64

    /// - Parameters:
    ///   - subjects: Customers, each person once or more; the answer has each person once, in this order.
    ///   - first: Everything before this position is known before.
    ///   - last: Everything up to this position is known after.
    ///   - later: The state with aliases of the group, where it has any.
    func changes(
        of subjects: [String], from first: Int64, through last: Int64,
        later: LedgerState? = nil
    ) throws -> [CustomerChange] {
        var changes: [CustomerChange] = []
        for subject in subjects {
            let before = try context(subject, state, through: first - 1)
            guard !changes.contains(where: { haveSameBytes($0.subject, before.subject) }) else {
                continue
            }
            let after = try context(subject, later ?? state, through: last)
            changes.append(
                CustomerChange(
                    subject: before.subject, before: holdings(before), after: holdings(after)))
        }
        return changes
    }

    private func context(
        _ subject: String, _ state: LedgerState, through last: Int64
    ) throws -> CustomerCase {
        zones.completing(
            try group.customerCase(state, environment, subject, at: at, through: last))
    }

    private func holdings(_ context: CustomerCase) -> CustomerChange.Holdings {
        let answer = EntitlementsAnswer(context)
        let living = answer.profiles.filter { !$0.isDeleted }
        return CustomerChange.Holdings(
            entitlements: answer.entitlements(),
            profiles: living.map {
                .init(
                    profile: $0.profile, entitlements: answer.entitlements(profile: $0.profile))
            })
    }
}
