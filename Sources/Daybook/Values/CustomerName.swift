import DaybookEvents

/// Whether an id may name a customer (E52), asked before anything is decided for them.
enum CustomerName {
    /// As `EventValidator.canonical` looks at the names of an event, in its order.
    /// - Throws: What an event of theirs would be refused with.
    static func check(_ subject: String, profile: String? = nil) throws(EventProblem) {
        try PersonalData.checkCustomer(subject, "subject")
        try EnvelopeBounds.check(subject, "subject")
        try EnvelopeBounds.check(profile, "profile")
    }
}
