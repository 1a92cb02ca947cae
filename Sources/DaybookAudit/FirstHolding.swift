/// The first value found above one for which a condition holds, by halving what is left.
///
/// - Parameters:
///   - low: It does not hold for this one.
///   - high: It holds for this one, which is not asked about again.
/// - Complexity: O(log *n*) questions in the distance of the two.
func firstHolding(
    after low: Int64, by high: Int64, _ holds: (Int64) throws -> Bool
) rethrows -> Int64 {
    var (low, high) = (low, high)
    while high - low > 1 {
        let middle = low + (high - low) / 2
        if try holds(middle) { high = middle } else { low = middle }
    }
    return high
}
