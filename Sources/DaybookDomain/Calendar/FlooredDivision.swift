extension FixedWidthInteger {
    /// Divides rounding towards minus infinity, so that the remainder is never negative.
    ///
    /// Swift's own division rounds towards zero, which would fold the days on both sides of 1970
    /// into one. The divisor must be positive.
    @inline(__always)
    func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Confines a value to a range.
    @inline(__always)
    func confined(to range: ClosedRange<Self>) -> Self {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
