import DaybookDomain

/// Reads the lengths of time that people and programs write.
package enum DurationText {
    /// - Parameter name: Of the option or parameter, for the message.
    /// - Returns: Milliseconds, more than 0; a day is 24 hours. `nil` without a text.
    package static func read(_ text: String?, _ name: String) throws(TextProblem) -> Int64? {
        guard let text else { return nil }
        guard let duration = CivilDuration(iso8601: text), duration.years == 0,
            duration.months == 0
        else {
            throw TextProblem(
                "bad_duration",
                "\(name): \(text) is no exact duration; write P7D, PT10M, PT90S")
        }
        let milliseconds = Int64(duration.days) * 86_400_000 + duration.milliseconds
        try TextProblem.require(
            milliseconds > 0, "bad_duration", "\(name): \(text) is no time at all")
        return milliseconds
    }
}
