public import DaybookDomain
public import DaybookEvents
import DaybookStore

/// What late knowledge changed about one customer's past.
public struct CustomerRestatements: Sendable, Equatable {
    public var subject: String
    public var environment: Environment
    public var restatements: [Restatement]
}
