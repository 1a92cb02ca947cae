import DaybookDomain
public import DaybookEvents

/// What is different about one customer between two moments.
public struct CustomerDifference: Sendable, Equatable {
    /// The name under which the person is shown; where one customer was asked about, the id that was asked about.
    public var subject: String
    /// The environment of the customer.
    public var environment: Environment
    /// Of the customer's status, field by field.
    public var changes: [JSONDifference]

    package init(subject: String, environment: Environment, changes: [JSONDifference]) {
        self.subject = subject
        self.environment = environment
        self.changes = changes
    }
}
