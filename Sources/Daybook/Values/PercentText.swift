import DaybookDomain
import DaybookIngest

/// Reads percentages of options and parameters.
package enum PercentText {
    /// - Parameter name: Of the option or parameter, for the message.
    /// - Returns: Thousandths of a percent, 0 to 100,000; `nil` without a text.
    package static func read(_ text: String?, _ name: String) throws(TextProblem) -> Int64? {
        guard let text else { return nil }
        guard let number = DecimalText(text)?.scaled(places: 3), number.isExact,
            (0...100_000).contains(number.value)
        else {
            throw TextProblem(
                "bad_percent",
                "\(name): \(text) is no percentage; write a number from 0 to 100 with at most three decimals"
            )
        }
        return number.value
    }
}
