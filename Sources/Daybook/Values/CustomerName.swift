import DaybookEvents

/// Whether an id may name a customer (E52), asked before anything is decided for them.
enum CustomerName {
    /// - Throws: What an event of theirs would be refused with.
    static func check(
        _ subject: String, _ environment: Environment, _ profile: String? = nil
    ) throws(EventProblem) {
        _ = try EventValidator.canonical(
            EventDraft(
                type: .appLaunched, environment: environment, subject: subject,
                profile: profile, occurredAt: 0,
                source: EventSource(kind: "ledger", key: "probe"), trust: .system,
                data: JSONObject()))
    }
}
