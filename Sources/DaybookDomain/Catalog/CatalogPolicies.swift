/// What an app decides where stores and documents leave a choice.
public struct Policies: Sendable, Equatable {
    public enum Transfer: String, Sendable, CaseIterable {
        case keep, transfer, transferIfInactive, share
    }
    public enum Clock: String, Sendable, CaseIterable { case server, accept }
    public enum Gap: String, Sendable, CaseIterable { case assumeActive, assumeInactive }

    public var transfer = Transfer.transferIfInactive
    /// Access during billing retry without grace; Apple says no.
    public var billingRetryAccess = false
    public var clock = Clock.server
    /// How long a client's word counts without a signature (rule 11).
    public var clientAssertedHours: Int64 = 0
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
    public init() {}
}
