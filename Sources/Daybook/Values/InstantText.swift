import DaybookDomain
import DaybookEvents

/// Reads the times that people and programs write.
package enum InstantText {
    /// - Parameter name: Of the option or parameter, for the message.
    /// - Returns: Milliseconds since 1970 UTC; `nil` without a text.
    package static func read(_ text: String?, _ name: String) throws(TextProblem) -> Int64? {
        guard let text else { return nil }
        let instant: Int64
        if let number = Int64(text) {
            instant = number
        } else if let parsed = RFC3339.parse(text) {
            instant = parsed
        } else {
            throw problem(text, name)
        }
        try TextProblem.require(
            EventBounds.times.contains(instant), "time_out_of_bounds",
            "\(name): \(text) is outside 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z")
        return instant
    }

    /// A time, or a position such as `@1042`.
    package static func knowledge(
        _ text: String?, _ name: String
    ) throws(TextProblem) -> Moment.Knowledge? {
        guard let text else { return nil }
        guard text.hasPrefix("@") else {
            return try read(text, name).map { .instant($0) }
        }
        guard let position = Int64(text.dropFirst()), position >= 0 else {
            throw TextProblem(
                "bad_position", "\(name): \(text) is no position; write @1042")
        }
        return .position(position)
    }

    private static func problem(_ text: String, _ name: String) -> TextProblem {
        if RFC3339.parse(text + "Z") != nil {
            return TextProblem(
                "missing_offset",
                "\(name): \(text) has no offset, so it names no moment; write \(text)Z for UTC, or \(text)+01:00"
            )
        }
        let coarse = text.replacing(/(\.\d{3})\d+/) { $0.output.1 }
        if coarse != text, RFC3339.parse(coarse) != nil {
            return TextProblem(
                "bad_time",
                "\(name): \(text) is finer than a millisecond; write three digits at most")
        }
        if RFC3339.parse(text + "T00:00:00Z") != nil {
            return TextProblem(
                "bad_time",
                "\(name): \(text) is a day; write the moment, such as \(text)T00:00:00Z")
        }
        return TextProblem(
            "bad_time",
            "\(name): \(text) is no time; write milliseconds since 1970 or 2026-03-01T00:00:00Z")
    }
}
