/// A text that cannot be read as what it is given for: an option's value, or a parameter's.
package struct TextProblem: Error, Equatable {
    /// A stable word for scripts.
    package var code: String
    /// Which one, what is wrong with it, and what to write instead.
    package var message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Refuses a text of which a condition does not hold.
    static func require(
        _ holds: Bool, _ code: String, _ message: @autoclosure () -> String
    ) throws(TextProblem) {
        if !holds { throw TextProblem(code, message()) }
    }
}
