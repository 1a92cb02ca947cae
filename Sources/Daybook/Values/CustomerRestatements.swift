public import DaybookDomain
public import DaybookEvents
import DaybookStore

/// What late knowledge changed about one customer's past.
public struct CustomerRestatements: Sendable, Equatable {
    /// The name under which the customer is shown.
    public var subject: String
    /// The environment of the customer.
    public var environment: Environment
    /// What was told otherwise than it would be now, by name and interval of valid time; never empty.
    public var restatements: [Restatement]
}
