extension EventProblem {
    /// Refuses what a condition does not hold of.
    @inlinable
    package static func require(
        _ holds: Bool, _ code: Code, _ member: String, _ reason: @autoclosure () -> String
    ) throws(EventProblem) {
        if !holds { throw EventProblem(code, member, reason()) }
    }
}
