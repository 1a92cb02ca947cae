extension Int64 {
    /// The sum, held at the limits of the type.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? Int64.max : Int64.min) : sum
    }
}
