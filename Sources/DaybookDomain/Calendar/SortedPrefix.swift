extension Array {
    /// Counts the leading elements that satisfy a condition, by bisection.
    ///
    /// The condition must hold for a prefix of the array and for nothing after it.
    /// - Complexity: O(log *n*), without allocation.
    @inline(__always)
    package func sortedPrefixCount(where belongs: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
