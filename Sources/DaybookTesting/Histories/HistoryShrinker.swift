/// Makes a history that shows a fault as small as it goes, so that a person can read it.
public enum HistoryShrinker {
    /// Leaves out ever smaller stretches as long as the fault shows (Zeller and Hildebrandt 2002).
    /// - Parameters:
    ///   - steps: In order of arrival; shows the fault.
    ///   - shows: Whether a history still shows it.
    /// - Complexity: O(*n*²) histories in the worst case, O(*n* log *n*) usually.
    public static func smallest<Step>(
        _ steps: [Step], shows: ([Step]) async throws -> Bool
    ) async rethrows -> [Step] {
        var steps = steps
        var count = max(1, steps.count / 2)
        while true {
            var isSmaller = false
            var start = 0
            while start < steps.count {
                var rest = steps
                rest.removeSubrange(start..<min(start + count, rest.count))
                if try await shows(rest) {
                    steps = rest
                    isSmaller = true
                } else {
                    start += count
                }
            }
            if count == 1, !isSmaller { return steps }
            if !isSmaller || count > steps.count { count = max(1, count / 2) }
        }
    }
}
