import DaybookDomain

/// Reads the spans that people type.
enum DurationText {
    /// - Returns: Milliseconds; a day is 24 hours.
    static func read(_ text: String?, option: String) throws -> Int64? {
        guard let text else { return nil }
        guard let duration = CivilDuration(iso8601: text), duration.years == 0,
            duration.months == 0
        else {
            throw Failure(
                .badInput, "bad_duration",
                "\(option): \(text) is no exact duration; write P7D, PT10M, PT90S")
        }
        let milliseconds = Int64(duration.days) * 86_400_000 + duration.milliseconds
        guard milliseconds > 0 else {
            throw Failure(.badInput, "bad_duration", "\(option): \(text) is no time at all")
        }
        return milliseconds
    }
}
