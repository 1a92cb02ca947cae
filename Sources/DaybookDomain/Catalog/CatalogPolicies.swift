/// What an app decides where stores and documents leave a choice.
public struct Policies: Sendable, Equatable {
    /// What becomes of a purchase that a customer restores and another one owns.
    ///
    /// The words are explained in docs/app-store.md#ownership-restore-and-transfer.
    public enum Transfer: String, Sendable, CaseIterable {
        case keep, transfer, transferIfInactive, share
    }
    /// Whose time a command is decided at: the ledger's, or the client's where that is earlier.
    public enum Clock: String, Sendable, CaseIterable { case server, accept }
    /// Whether a renewal that was never told counts as access where the store said that service went on.
    public enum Gap: String, Sendable, CaseIterable { case assumeActive, assumeInactive }

    /// What a restore does with a purchase that has another owner; `transferIfInactive` by default.
    public var transfer = Transfer.transferIfInactive
    /// Access during billing retry without grace; Apple says no.
    public var billingRetryAccess = false
    /// Whose time decides; commands about a purchase or a code always go by the ledger's.
    public var clock = Clock.server
    /// How long a client's word counts without a signature (rule 11).
    public var clientAssertedHours: Int64 = 0
    /// How a gap between two known periods is read; one in which a lapse was told is never bridged.
    public var gap = Gap.assumeActive
    /// Access goes on after a prorated refund.
    public var proratedRefundKeepsAccess = false
    /// Commands of an unknown customer are refused instead of creating the customer.
    public var refusesUnknownSubjects = false
    /// A family member's shared purchase may serve one profile.
    public var familyServesOneProfile = false
    /// How often a purchase for one profile may go on to another one after its first is gone or it was unassigned
    /// (OL-28); `nil`: without a limit.
    public var reassignmentsMax: Int64?
    /// While a guardian's consent is withdrawn nothing may be used (DZ-43).
    public var suspendsWithoutConsent = false
    /// Where a customer manages subscriptions.
    public var managementURL: String?
    /// Makes the policies of a catalog that states none.
    public init() {}
}
