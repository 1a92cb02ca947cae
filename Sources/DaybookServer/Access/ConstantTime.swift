/// Comparisons whose time does not tell where two secrets differ.
package enum ConstantTime {
    /// Whether two digests are the same.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        // Collected in two steps: in Swift | and ^ bind alike, from left to right.
        for (one, other) in zip(left, right) {
            let bits = one ^ other
            difference |= bits
        }
        return difference == 0
    }
}
