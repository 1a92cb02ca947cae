import DaybookEvents

/// What a customer's device handed over, verified and mapped, on its way into the ledger.
struct RestoreRequest: Sendable {
    var environment: Environment
    var subject: String
    var actor: String?
    var reason: String?
    /// In the order in which they were handed over.
    var statements: [RestoreStatement]
}

/// One signed payload that was verified.
struct RestoreStatement: Sendable {
    /// Where it stood in what was posted, such as `signedTransactions[3]`; empty: alone.
    var place: String
    /// Of its bytes.
    var sha256: String
    /// `apple:2000000123`; `nil` for what is about no purchase.
    var lineage: String?
    var product: String?
    /// Credits, which stay with their owner: nothing of it is recorded (rule 6).
    var isConsumable: Bool
    /// A renewal is believed only of a lineage that a transaction has told of.
    var needsKnownLineage: Bool
    /// What it states, and the customer's claim.
    var facts: [PreparedEvent]
}
