package import DaybookDomain

/// Reads periods of the calendar from options and parameters.
package enum PeriodText {
    /// - Parameter name: Of the option or parameter, for the message.
    /// - Returns: `nil` without a text.
    package static func read(
        _ text: String?, _ name: String
    ) throws(TextProblem) -> CalendarPeriod? {
        guard let text else { return nil }
        guard let period = CalendarPeriod(text) else {
            throw TextProblem(
                "bad_period",
                "\(name): \(text) is no period; write a year, quarter, month, week or day such as 2026, 2026-Q1, 2026-03, 2026-W10 or 2026-03-05"
            )
        }
        return period
    }
}
