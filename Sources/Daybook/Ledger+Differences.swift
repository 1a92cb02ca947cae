import DaybookDomain
public import DaybookEvents

/// What is different about one customer between two moments.
public struct CustomerDifference: Sendable, Equatable {
    /// The name under which the person is shown.
    public var subject: String
    public var environment: Environment
    /// Of the customer's status, field by field.
    public var changes: [JSONDifference]
}

extension Ledger {
    /// What is different about a customer between two moments, each with what was true and what was known then.
    /// - Throws: As `status` does.
    public func difference(
        of subject: String, profile: String? = nil, environment: Environment = .production,
        from: Moment, to: Moment
    ) throws -> (difference: CustomerDifference, from: AsOf, to: AsOf) {
        let (before, old) = try status(
            of: subject, profile: profile, environment: environment, moment: from)
        let (after, new) = try status(
            of: subject, profile: profile, environment: environment, moment: to)
        let difference = CustomerDifference(
            subject: subject, environment: environment,
            changes: JSONDifference.between(before.compared(old), after.compared(new)))
        return (difference, old, new)
    }

    /// Every customer about whom something is different between two moments, in the order of environments and names.
    /// - Parameters:
    ///   - progress: People looked at so far, and names in all.
    ///   - visit: Is given each customer with a difference.
    /// - Returns: How many people were looked at.
    /// - Complexity: Two statuses for each customer that the ledger names.
    public func differences(
        from: Moment, to: Moment, progress: (Int, Int) throws -> Void = { _, _ in },
        _ visit: (CustomerDifference) throws -> Void
    ) throws -> Int {
        let names = try Environment.allCases.flatMap { environment in
            try subjects(in: environment).map { (environment, $0) }
        }
        var people = 0
        for (index, (environment, name)) in names.enumerated() {
            let (after, new) = try status(of: name, environment: environment, moment: to)
            // Several ids of one person are one customer.
            if haveSameBytes(after.subject, name) {
                people += 1
                let (before, old) = try status(of: name, environment: environment, moment: from)
                let changes = JSONDifference.between(before.compared(old), after.compared(new))
                if !changes.isEmpty {
                    try visit(
                        CustomerDifference(
                            subject: name, environment: environment, changes: changes))
                }
            }
            try progress(index + 1, names.count)
        }
        return people
    }
}

extension Status {
    /// What two moments are compared by: everything but the moment itself.
    fileprivate func compared(_ asOf: AsOf) -> JSONObject {
        var object = json(asOf)
        object["as_of"] = nil
        object["catalog"] = asOf.catalog.map(JSONValue.integer)
        return object
    }
}
