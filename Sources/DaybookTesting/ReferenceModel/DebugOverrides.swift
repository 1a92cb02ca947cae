import DaybookEvents

/// The debug overrides of developers: intervals beside the state (rule 10).
struct DebugOverrides {
    /// One override in force.
    struct Override {
        let kind: String
        let value: String?
        let setAt: Int64
        /// Exclusive: min(expires_at, cleared).
        let end: Int64
    }

    /// Those in force at the asked time; none in production.
    let active: [Override]

    init(_ context: ReferenceCase) {
        guard context.environment != .production else {
            active = []
            return
        }
        let events = context.customerEvents
        var found: [Override] = []
        for (index, event) in events.enumerated() where event.type == .debugOverrideSet {
            guard let kind = event.word("kind"), let expiresAt = event.integer("expires_at") else {
                continue
            }
            // A clearing without a kind clears every kind.
            let cleared = events[(index + 1)...].first {
                $0.type == .debugOverrideCleared && ($0.word("kind") ?? kind) == kind
            }
            let end = min(expiresAt, cleared?.occurredAt ?? Int64.max)
            guard event.occurredAt <= context.at, context.at < end else { continue }
            found.append(
                Override(
                    kind: kind, value: event.text("value"), setAt: event.occurredAt, end: end))
        }
        active = found
    }

    func active(_ kind: String) -> [Override] { active.filter { $0.kind == kind } }

    /// Facts that start before this are hidden while it lasts.
    var hiddenBefore: Int64 { active("clear_subscription").map(\.setAt).max() ?? Int64.min }
}
