import ArgumentParser

extension ValidationError {
    /// Refuses an option whose value is given and not within a range.
    static func check<Value: Comparable>(
        _ option: String, _ value: Value?, in range: ClosedRange<Value>
    ) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            "\(option) \(value): write \(range.lowerBound) to \(range.upperBound).")
    }
}
